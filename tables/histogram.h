/* SPDX-License-Identifier: MIT */
/*
 * histogram.h: durations, or other numbers from 0 on, counted by size.
 *
 * Count, sum, least and largest are exact. Numbers below 64 have a place each. Above that, each
 * power of two has 32 places of equal width, so that the middle of a place is at most 1/64 (1.6 %)
 * away from the numbers in it. Two histograms are merged by addition, in any order.
 *
 * A row of 32 places takes memory when the first number falls into it: 256 bytes. Functions whose
 * comment says nothing else use one thread.
 */
#ifndef TL_TABLES_HISTOGRAM_H
#define TL_TABLES_HISTOGRAM_H

#include <stdint.h>

#include "tables/needed_memory.h"

#define HISTOGRAM_BITS	 5u /* 32 places in a row */
#define HISTOGRAM_PLACES (1u << HISTOGRAM_BITS)
#define HISTOGRAM_ROWS	 (64u - HISTOGRAM_BITS) /* for numbers below 2 to the 63 */

/* Zeroed at first. */
struct histogram {
	int64_t count, sum, min, max;
	uint64_t *rows[HISTOGRAM_ROWS]; /* NULL: nothing in it */
};

/* The row of a number, and its place there. */
static inline unsigned histogram_row(uint64_t number)
{
	return number < HISTOGRAM_PLACES ? 0
					 : 64 - HISTOGRAM_BITS - (unsigned)__builtin_clzll(number);
}

static inline unsigned histogram_place(uint64_t number, unsigned row)
{
	return (unsigned)(row ? number >> (row - 1) : number) % HISTOGRAM_PLACES;
}

/* Add one number; negative ones count as 0. The sum stops at INT64_MAX. */
void histogram_add(struct histogram *histogram, int64_t number);

/* Add `count` numbers to a place, and nothing to .count, .sum, .min and .max: for readers of files. */
void histogram_add_place(struct histogram *histogram, unsigned row, unsigned place, uint64_t count);

/* Add all of the second to the first. */
void histogram_merge(struct histogram *to, const struct histogram *from);

/*
 * The least number that at least `percent` of all do not exceed, to 1.6 %, and within .min and .max.
 * 0 where there is none. Safe in several threads.
 */
int64_t histogram_percentile(const struct histogram *histogram, unsigned percent);

/* Frees the rows, and zeroes it. */
void histogram_clear(struct histogram *histogram);

#endif
