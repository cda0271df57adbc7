/* SPDX-License-Identifier: MIT */
/*
 * timeline_numbers.c: see timeline_numbers.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/export/timeline_numbers.h"

/* Beyond the kernel's numbers, which end at 2 to the 22, and those of most lanes, which follow. */
#define FRESH_FIRST (1u << 24)
/*
 * The layer counts flows in so many bits, below its process's number (layer/calls/event.c). What
 * stands above becomes a small number, so that the whole is exact as a double.
 */
#define FLOW_BITS 30

void timeline_numbers_next(struct timeline_numbers *numbers)
{
	numbers_free(&numbers->own);
	numbers->own = (struct numbers){0};
	numbers->process++;
	numbers->correlations_below = numbers->correlations;
}

/* A number that nobody has; the one that the process gave, if possible. */
static uint32_t number_take(struct timeline_numbers *numbers, uint32_t own)
{
	uint32_t number = own;

	while (numbers_find(&numbers->taken, number) != NO_NUMBER) {
		numbers->fresh = numbers->fresh ? numbers->fresh + 1 : FRESH_FIRST;
		number = numbers->fresh;
	}
	numbers_add(&numbers->taken, number);
	return number;
}

uint32_t timeline_number(struct timeline_numbers *numbers, uint32_t own)
{
	uint32_t count = numbers->own.count, place = own ? numbers_add(&numbers->own, own) : 0;

	if (!own)
		return 0;
	if (place < count)
		return numbers->shown[place];
	if (place >= numbers->room) {
		numbers->room = 2 * numbers->room + 64;
		numbers->shown =
			need(reallocarray(numbers->shown, numbers->room, sizeof(*numbers->shown)));
	}
	return numbers->shown[place] = number_take(numbers, own);
}

uint64_t timeline_number_of_flow(struct timeline_numbers *numbers, uint64_t own)
{
	/* The number of the process stands where no process's number reaches. */
	uint64_t upper = own >> FLOW_BITS ^ (uint64_t)numbers->process << 40;
	uint64_t place = 1 + (uint64_t)numbers_add(&numbers->flows, upper);

	return place << FLOW_BITS | (own & (((uint64_t)1 << FLOW_BITS) - 1));
}

uint32_t timeline_number_of_correlation(struct timeline_numbers *numbers, uint32_t own)
{
	uint32_t number = own ? own + numbers->correlations_below : 0;

	if (number > numbers->correlations)
		numbers->correlations = number;
	return number;
}

void timeline_numbers_free(struct timeline_numbers *numbers)
{
	numbers_free(&numbers->taken);
	numbers_free(&numbers->flows);
	numbers_free(&numbers->own);
	free(numbers->shown);
}
