/* SPDX-License-Identifier: MIT */
/*
 * phase_names.c: see phase_names.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/interned.h"
#include "cli/phases/phase_names.h"

#define BIT(number)  (1u << (number))
#define OF_EXECUTION (BIT(PHASE_PIO) | BIT(PHASE_PTR) | BIT(PHASE_PCO) | BIT(PHASE_PR))
#define OF_OVERALL                                                                                 \
	(BIT(PHASE_PWU) | BIT(PHASE_PBM) | BIT(PHASE_PI) | BIT(PHASE_PP) | BIT(PHASE_PC) |         \
	 BIT(PHASE_PE) | BIT(PHASE_PT))
#define MOST_NAMES   0x4000u /* of either kind; more are all taken for one */
#define LONGEST_NAME 64u     /* what a name has beyond that is not looked at */

static const char *const known_layers[LAYERS_KNOWN] = {
	[LAYER_LA] = "LA", [LAYER_LR] = "LR", [LAYER_LI] = "LI",
	[LAYER_LD] = "LD", [LAYER_LC] = "LC", [LAYER_LT] = " total",
	[LAYER_LU] = "LU", [LAYER_LX] = "LX", [LAYER_NONE] = " none",
};

static const char *const known_phases[PHASES_KNOWN] = {
	[PHASE_PO] = "PO", [PHASE_PI] = "PI",	   [PHASE_PP] = "PP",	[PHASE_PC] = "PC",
	[PHASE_PE] = "PE", [PHASE_PIO] = "PIO",	   [PHASE_PTR] = "PTR", [PHASE_PCO] = "PCO",
	[PHASE_PR] = "PR", [PHASE_PT] = "PT",	   [PHASE_PWU] = "PWU", [PHASE_PBM] = "PBM",
	[PHASE_PU] = "PU", [PHASE_NONE] = " none",
};

/* By the phase above. */
static const uint32_t nested[PHASES_KNOWN] = {
	[PHASE_PO] = OF_OVERALL,
	[PHASE_PWU] = BIT(PHASE_PE),
	[PHASE_PBM] = BIT(PHASE_PE),
	[PHASE_PE] = OF_EXECUTION,
};

static const uint32_t called[LAYERS_KNOWN] = {
	[LAYER_LA] = BIT(LAYER_LR),
	[LAYER_LR] = BIT(LAYER_LI) | BIT(LAYER_LC),
	[LAYER_LI] = BIT(LAYER_LD),
};

static struct names other_layers, other_phases;

static uint16_t number_of(const char *name, size_t size, const char *const *known, unsigned count,
			  struct names *others)
{
	char text[LONGEST_NAME + 1];

	for (unsigned i = 0; i < count; i++)
		if (!strncmp(known[i], name, size) && !known[i][size])
			return (uint16_t)i;
	if (size > LONGEST_NAME)
		size = LONGEST_NAME;
	memcpy(text, name, size);
	text[size] = '\0';
	if (others->count >= MOST_NAMES)
		return (uint16_t)(count + MOST_NAMES - 1);
	return (uint16_t)(count + names_number(others, text));
}

uint16_t layer_number(const char *name, size_t size)
{
	return number_of(name, size, known_layers, LAYERS_KNOWN, &other_layers);
}

uint16_t phase_number(const char *name, size_t size)
{
	return number_of(name, size, known_phases, PHASES_KNOWN, &other_phases);
}

static const char *name_of(uint16_t number, const char *const *known, unsigned count,
			   const struct names *others)
{
	return number < count ? known[number] : others->list[number - count];
}

const char *layer_name(uint16_t layer)
{
	return name_of(layer, known_layers, LAYERS_KNOWN, &other_layers);
}

const char *phase_name(uint16_t phase)
{
	return name_of(phase, known_phases, PHASES_KNOWN, &other_phases);
}

const char *overall_name(enum overall overall)
{
	static const char *const names[OVERALLS] = {"PO", "PWU", "PBM"};

	return names[overall];
}

void phase_names_free(void)
{
	names_free(&other_layers);
	names_free(&other_phases);
	memset(&other_layers, 0, sizeof(other_layers));
	memset(&other_phases, 0, sizeof(other_phases));
}

bool phase_is_of_execution(uint16_t phase)
{
	return phase < PHASES_KNOWN && OF_EXECUTION & BIT(phase);
}

bool phase_nests(uint16_t above, uint16_t below)
{
	return above < PHASES_KNOWN && below < PHASES_KNOWN && nested[above] & BIT(below);
}

bool layer_calls(uint16_t above, uint16_t below)
{
	return above < LAYERS_KNOWN && below < LAYERS_KNOWN && called[above] & BIT(below);
}
