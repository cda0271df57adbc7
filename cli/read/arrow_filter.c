/* SPDX-License-Identifier: MIT */
/*
 * arrow_filter.c: see arrow_filter.h.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/basics/basics.h"
#include "cli/read/arrow_filter.h"
#include "cli/read/event_members.h"
#include "cli/read/lane_keys.h"
#include "cli/read/trace_events.h"

struct arrow_span {
	uint32_t lane;
	int64_t start, end, latest; /* .latest: of all of the lane up to this one */
};

struct arrow_place {
	json_t *event;
	uint32_t arrow, lane;
	int64_t time;
};

void arrow_filter_span(struct arrow_filter *filter, uint32_t lane, int64_t start, int64_t end)
{
	LIST_ROOM(filter->spans, filter->nspans, filter->spans_room);
	filter->spans[filter->nspans++] = (struct arrow_span){lane, start, end, end};
}

void arrow_filter_place(struct arrow_filter *filter, const json_t *event, uint32_t lane,
			int64_t time)
{
	char id[LANE_NUMBER_ROOM], *key;

	trace_number_print(id, sizeof(id), json_object_get(event, "id"));
	if (asprintf(&key, "%s %s", event_text(event, "name"), id) < 0)
		need(NULL);
	LIST_ROOM(filter->places, filter->nplaces, filter->places_room);
	filter->places[filter->nplaces++] = (struct arrow_place){
		.event = json_incref((json_t *)event),
		.arrow = names_number(&filter->arrows, key),
		.lane = lane,
		.time = time,
	};
	free(key);
}

static int spans_by_start(const void *left, const void *right)
{
	const struct arrow_span *a = left, *b = right;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void spans_sort(struct arrow_filter *filter)
{
	struct arrow_span *spans = filter->spans;

	if (filter->nspans)
		qsort(spans, filter->nspans, sizeof(*spans), spans_by_start);
	for (size_t i = 1; i < filter->nspans; i++)
		if (spans[i - 1].lane == spans[i].lane && spans[i - 1].latest > spans[i].latest)
			spans[i].latest = spans[i - 1].latest;
}

/* A slice that is selected is there at that time. */
static bool spans_have(const struct arrow_filter *filter, uint32_t lane, int64_t time)
{
	size_t low = 0, high = filter->nspans;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct arrow_span *span = &filter->spans[middle];

		if (span->lane < lane || (span->lane == lane && span->start <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low && filter->spans[low - 1].lane == lane && filter->spans[low - 1].latest >= time;
}

/* What an arrow has of its two ends. */
enum { ARROW_BEGINS = 1, ARROW_ENDS = 2 };

void arrow_filter_flush(struct arrow_filter *filter, void (*each)(void *user, const json_t *event),
			void *user)
{
	unsigned char *has = need(calloc(filter->arrows.count + 1, 1));

	spans_sort(filter);
	for (size_t i = 0; i < filter->nplaces; i++) {
		const struct arrow_place *place = &filter->places[i];

		if (spans_have(filter, place->lane, place->time))
			has[place->arrow] |= *event_text(place->event, "ph") == 's'   ? ARROW_BEGINS
					     : *event_text(place->event, "ph") == 'f' ? ARROW_ENDS
										      : 0;
	}
	for (size_t i = 0; i < filter->nplaces; i++) {
		const struct arrow_place *place = &filter->places[i];

		if (has[place->arrow] == (ARROW_BEGINS | ARROW_ENDS) &&
		    spans_have(filter, place->lane, place->time))
			each(user, place->event);
		json_decref(place->event);
	}
	free(has);
	names_free(&filter->arrows);
	filter->arrows = (struct names){0};
	filter->nplaces = filter->nspans = 0;
}

void arrow_filter_free(struct arrow_filter *filter)
{
	free(filter->spans);
	free(filter->places);
}
