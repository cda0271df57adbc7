/* SPDX-License-Identifier: MIT */
/*
 * histogram.c: see histogram.h. Row 0 has the numbers below 32. Row n has those from 2^(n+4) on,
 * each place 2^(n-1) wide.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tables/histogram.h"

static int64_t sum_of(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static uint64_t *histogram_new_row(struct histogram *histogram, unsigned row)
{
	return histogram->rows[row] = need(calloc(HISTOGRAM_PLACES, sizeof(uint64_t)));
}

void histogram_add_place(struct histogram *histogram, unsigned row, unsigned place, uint64_t count)
{
	uint64_t *places = histogram->rows[row];

	if (!places)
		places = histogram_new_row(histogram, row);
	places[place] += count;
}

void histogram_add(struct histogram *histogram, int64_t number)
{
	number = number < 0 ? 0 : number;
	unsigned row = histogram_row((uint64_t)number);

	histogram_add_place(histogram, row, histogram_place((uint64_t)number, row), 1);
	if (!histogram->count++ || number < histogram->min)
		histogram->min = number;
	if (number > histogram->max)
		histogram->max = number;
	histogram->sum = sum_of(histogram->sum, number);
}

void histogram_merge(struct histogram *to, const struct histogram *from)
{
	if (!from->count)
		return;
	for (unsigned row = 0; row < HISTOGRAM_ROWS; row++)
		for (unsigned place = 0; from->rows[row] && place < HISTOGRAM_PLACES; place++)
			histogram_add_place(to, row, place, from->rows[row][place]);
	if (!to->count || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->count = sum_of(to->count, from->count);
	to->sum = sum_of(to->sum, from->sum);
}

/* The middle of a place. */
static int64_t middle_of(unsigned row, unsigned place)
{
	if (row < 2)
		return (int64_t)(row * HISTOGRAM_PLACES + place);
	uint64_t width = 1ull << (row - 1);

	return (int64_t)((HISTOGRAM_PLACES + place) * width + (width - 1) / 2);
}

int64_t histogram_percentile(const struct histogram *histogram, unsigned percent)
{
	uint64_t count = (uint64_t)histogram->count, before = 0,
		 nth = (uint64_t)(((unsigned __int128)count * percent + 99) / 100);

	nth = nth ? nth : 1;
	if (nth >= count)
		return histogram->max;
	for (unsigned row = 0; row < HISTOGRAM_ROWS; row++)
		for (unsigned place = 0; histogram->rows[row] && place < HISTOGRAM_PLACES;
		     place++) {
			before += histogram->rows[row][place];
			if (before < nth)
				continue;
			int64_t middle = middle_of(row, place);

			return middle < histogram->min	 ? histogram->min
			       : middle > histogram->max ? histogram->max
							 : middle;
		}
	return histogram->max;
}

void histogram_clear(struct histogram *histogram)
{
	for (unsigned row = 0; row < HISTOGRAM_ROWS; row++)
		free(histogram->rows[row]);
	memset(histogram, 0, sizeof(*histogram));
}
