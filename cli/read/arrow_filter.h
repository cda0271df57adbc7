/* SPDX-License-Identifier: MIT */
/*
 * arrow_filter.h: which arrows of a trace file are selected: those whose two ends are on slices that
 * are selected. That is known at the file's end, so slices and ends of arrows are kept up to there.
 */
#ifndef TL_CLI_READ_ARROW_FILTER_H
#define TL_CLI_READ_ARROW_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "cli/basics/interned.h"
#include "cli/basics/lane_spans.h"
#include "cli/read/json.h"

struct arrow_place;

/* Begins as zeros. Times are nanoseconds. */
struct arrow_filter {
	struct lane_spans spans;
	struct arrow_place *places;
	size_t nplaces, places_room;
	struct names arrows;
};

/* A slice that is selected. */
void arrow_filter_span(struct arrow_filter *filter, uint32_t lane, int64_t start, int64_t end);

/* An end of an arrow, or a place on its way: an event s, t or f. */
void arrow_filter_place(struct arrow_filter *filter, const json_t *event, uint32_t lane,
			int64_t time);

/* Calls back with what is selected, and forgets all. */
void arrow_filter_flush(struct arrow_filter *filter, void (*each)(void *user, const json_t *event),
			void *user);

void arrow_filter_free(struct arrow_filter *filter);

#endif
