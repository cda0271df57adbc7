/* SPDX-License-Identifier: MIT */
/*
 * kept_times.c: see kept_times.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/summary/kept_times.h"

void kept_times_add(struct kept_times *times, const struct kept_time *time)
{
	if (times->count == times->room) {
		times->room = times->room ? 2 * times->room : 1024;
		times->list = need(reallocarray(times->list, times->room, sizeof(*times->list)));
	}
	times->list[times->count++] = *time;
}

void kept_times_free(struct kept_times *times)
{
	free(times->list);
	*times = (struct kept_times){NULL, 0, 0};
}

void kept_times_merge(struct kept_times *to, const struct kept_times *from, const uint32_t *groups)
{
	for (size_t i = 0; i < from->count; i++) {
		struct kept_time time = from->list[i];

		time.group = groups ? groups[time.group] : time.group;
		kept_times_add(to, &time);
	}
}

static int compare_rows(const struct kept_time *x, const struct kept_time *y)
{
	if (x->kind != y->kind)
		return x->kind > y->kind ? 1 : -1;
	if (x->group != y->group)
		return x->group > y->group ? 1 : -1;
	return (x->name > y->name) - (x->name < y->name);
}

static int compare_times(const void *a, const void *b)
{
	const struct kept_time *x = a, *y = b;
	int rows = compare_rows(x, y);

	return rows ? rows : (x->duration > y->duration) - (x->duration < y->duration);
}

struct exact_times *kept_times_exact(struct kept_times *times, struct tally *tally)
{
	struct exact_times *exact = need(calloc((size_t)tally->nrows + 1, sizeof(*exact)));

	if (times->count)
		qsort(times->list, times->count, sizeof(*times->list), compare_times);
	for (size_t first = 0, end; first < times->count; first = end) {
		const struct kept_time *time = &times->list[first];

		for (end = first; end < times->count && !compare_rows(time, &times->list[end]);)
			end++;
		const struct tally_row *row =
			tally_row(tally, (enum tally_kind)time->kind, time->group, time->name);

		exact[row - tally->rows] = (struct exact_times){
			.median = time[nearest_rank(end - first, 50)].duration,
			.p99 = time[nearest_rank(end - first, 99)].duration,
		};
	}
	return exact;
}
