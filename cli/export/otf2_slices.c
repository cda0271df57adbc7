/* SPDX-License-Identifier: MIT */
/*
 * otf2_slices.c: see otf2_slices.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/basics/basics.h"
#include "cli/export/otf2_slices.h"

/* Slices that are open. */
struct open {
	struct otf2_slice **list;
	size_t depth, room;
};

void otf2_slices_add(struct otf2_slices *slices, struct otf2_slice slice)
{
	if (slices->count == slices->room) {
		slices->room = 2 * slices->room + 1024;
		slices->list =
			need(reallocarray(slices->list, slices->room, sizeof(*slices->list)));
	}
	slices->list[slices->count++] = slice;
}

/*
 * An outer slice before those in it. If both have the same time, the outer one was recorded later;
 * the list is in the order of recording, and a sort that is not stable compares places.
 */
static int slices_by_time(const void *left, const void *right)
{
	const struct otf2_slice *a = *(struct otf2_slice *const *)left,
				*b = *(struct otf2_slice *const *)right;

	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a > b ? -1 : a < b;
}

/* Ends the slices that ended up to that time. */
static void open_end(struct open *open, uint64_t time, const struct otf2_events *events, void *to)
{
	while (open->depth && open->list[open->depth - 1]->end <= time) {
		const struct otf2_slice *slice = open->list[--open->depth];
		events->leave(to, slice->end, slice->region);
	}
}

static void open_begin(struct open *open, struct otf2_slice *slice,
		       const struct otf2_events *events, void *to)
{
	if (open->depth && slice->end > open->list[open->depth - 1]->end)
		slice->end = open->list[open->depth - 1]->end;
	if (open->depth == open->room) {
		open->room = 2 * open->room + 64;
		open->list = need(reallocarray(open->list, open->room, sizeof(*open->list)));
	}
	open->list[open->depth++] = slice;
	events->enter(to, slice->start, slice->region);
}

void otf2_slices_play(struct otf2_slices *slices, const struct otf2_events *events, void *to)
{
	struct otf2_slice **sorted = need(calloc(slices->count + 1, sizeof(*sorted)));
	struct open open = {NULL, 0, 0};

	for (size_t i = 0; i < slices->count; i++)
		sorted[i] = &slices->list[i];
	qsort(sorted, slices->count, sizeof(*sorted), slices_by_time);
	for (size_t i = 0; i < slices->count; i++) {
		struct otf2_slice *slice = sorted[i];
		bool first = !i || sorted[i - 1]->location != slice->location;

		open_end(&open, first ? UINT64_MAX : slice->start, events, to);
		if (first)
			events->location(to, slice->location);
		if (!slice->is_value)
			open_begin(&open, slice, events, to);
		if (slice->metric == OTF2_MESSAGE)
			events->message(to, slice->start, slice->value);
		else if (slice->metric != OTF2_NO_METRIC)
			events->value(to, slice->start, slice->metric, slice->value);
	}
	open_end(&open, UINT64_MAX, events, to);
	slices->count = 0;
	free(open.list);
	free(sorted);
}

void otf2_slices_free(struct otf2_slices *slices)
{
	free(slices->list);
}
