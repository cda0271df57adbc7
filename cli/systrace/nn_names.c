/* SPDX-License-Identifier: MIT */
/*
 * nn_names.c: see nn_names.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/systrace/nn_names.h"

#define BIT(number)  (1u << (number))
#define OF_EXECUTION (BIT(NN_PHASE_PIO) | BIT(NN_PHASE_PTR) | BIT(NN_PHASE_PCO) | BIT(NN_PHASE_PR))
#define OF_OVERALL                                                                                 \
	(BIT(NN_PHASE_PWU) | BIT(NN_PHASE_PBM) | BIT(NN_PHASE_PI) | BIT(NN_PHASE_PP) |             \
	 BIT(NN_PHASE_PC) | BIT(NN_PHASE_PE) | BIT(NN_PHASE_PT))
#define MOST_NAMES   0x4000u /* of either kind; all others count as one */
#define LONGEST_NAME 64u     /* the rest of a longer name is ignored */

static const char *const known_layers[NN_LAYERS_KNOWN] = {
	[NN_LAYER_LA] = "LA", [NN_LAYER_LR] = "LR", [NN_LAYER_LI] = "LI",
	[NN_LAYER_LD] = "LD", [NN_LAYER_LC] = "LC", [NN_LAYER_LT] = " total",
	[NN_LAYER_LU] = "LU", [NN_LAYER_LX] = "LX", [NN_LAYER_NONE] = " none",
};

static const char *const known_phases[NN_PHASES_KNOWN] = {
	[NN_PHASE_PO] = "PO",	[NN_PHASE_PI] = "PI",	   [NN_PHASE_PP] = "PP",
	[NN_PHASE_PC] = "PC",	[NN_PHASE_PE] = "PE",	   [NN_PHASE_PIO] = "PIO",
	[NN_PHASE_PTR] = "PTR", [NN_PHASE_PCO] = "PCO",	   [NN_PHASE_PR] = "PR",
	[NN_PHASE_PT] = "PT",	[NN_PHASE_PWU] = "PWU",	   [NN_PHASE_PBM] = "PBM",
	[NN_PHASE_PU] = "PU",	[NN_PHASE_NONE] = " none",
};

/* By the phase above. */
static const uint32_t nested[NN_PHASES_KNOWN] = {
	[NN_PHASE_PO] = OF_OVERALL,
	[NN_PHASE_PWU] = BIT(NN_PHASE_PE),
	[NN_PHASE_PBM] = BIT(NN_PHASE_PE),
	[NN_PHASE_PE] = OF_EXECUTION,
};

static const uint32_t called[NN_LAYERS_KNOWN] = {
	[NN_LAYER_LA] = BIT(NN_LAYER_LR),
	[NN_LAYER_LR] = BIT(NN_LAYER_LI) | BIT(NN_LAYER_LC),
	[NN_LAYER_LI] = BIT(NN_LAYER_LD),
};

static struct names other_layers, other_phases;

static uint16_t number_of(const char *name, size_t size, const char *const *known, unsigned count,
			  struct names *others)
{
	char text[LONGEST_NAME + 1];

	for (unsigned i = 0; i < count; i++)
		if (strlen(known[i]) == size && !memcmp(known[i], name, size))
			return (uint16_t)i;
	if (size > LONGEST_NAME)
		size = LONGEST_NAME;
	memcpy(text, name, size);
	text[size] = '\0';
	if (others->count >= MOST_NAMES)
		return (uint16_t)(count + MOST_NAMES - 1);
	return (uint16_t)(count + names_number(others, text));
}

uint16_t nn_layer_number(const char *name, size_t size)
{
	return number_of(name, size, known_layers, NN_LAYERS_KNOWN, &other_layers);
}

uint16_t nn_phase_number(const char *name, size_t size)
{
	return number_of(name, size, known_phases, NN_PHASES_KNOWN, &other_phases);
}

static const char *name_of(uint16_t number, const char *const *known, unsigned count,
			   const struct names *others)
{
	return number < count ? known[number] : others->list[number - count];
}

const char *nn_layer_name(uint16_t nn_layer)
{
	return name_of(nn_layer, known_layers, NN_LAYERS_KNOWN, &other_layers);
}

const char *nn_phase_name(uint16_t nn_phase)
{
	return name_of(nn_phase, known_phases, NN_PHASES_KNOWN, &other_phases);
}

const char *nn_overall_name(enum overall overall)
{
	static const char *const names[OVERALLS] = {"PO", "PWU", "PBM"};

	return names[overall];
}

void nn_names_free(void)
{
	names_free(&other_layers);
	names_free(&other_phases);
	memset(&other_layers, 0, sizeof(other_layers));
	memset(&other_phases, 0, sizeof(other_phases));
}

bool nn_phase_is_of_execution(uint16_t nn_phase)
{
	return nn_phase < NN_PHASES_KNOWN && OF_EXECUTION & BIT(nn_phase);
}

bool nn_phase_nests(uint16_t above, uint16_t below)
{
	return above < NN_PHASES_KNOWN && below < NN_PHASES_KNOWN && nested[above] & BIT(below);
}

bool nn_layer_calls(uint16_t above, uint16_t below)
{
	return above < NN_LAYERS_KNOWN && below < NN_LAYERS_KNOWN && called[above] & BIT(below);
}
