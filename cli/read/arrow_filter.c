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

struct arrow_place {
	json_t *event;
	uint32_t arrow, lane;
	int64_t time;
};

void arrow_filter_span(struct arrow_filter *filter, uint32_t lane, int64_t start, int64_t end)
{
	lane_spans_add(&filter->spans, lane, start, end);
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

/* What an arrow has of its two ends. */
enum { ARROW_BEGINS = 1, ARROW_ENDS = 2 };

void arrow_filter_flush(struct arrow_filter *filter, void (*each)(void *user, const json_t *event),
			void *user)
{
	unsigned char *has = need(calloc(filter->arrows.count + 1, 1));

	lane_spans_sort(&filter->spans);
	for (size_t i = 0; i < filter->nplaces; i++) {
		const struct arrow_place *place = &filter->places[i];

		if (lane_spans_have(&filter->spans, place->lane, place->time))
			has[place->arrow] |= *event_text(place->event, "ph") == 's'   ? ARROW_BEGINS
					     : *event_text(place->event, "ph") == 'f' ? ARROW_ENDS
										      : 0;
	}
	for (size_t i = 0; i < filter->nplaces; i++) {
		const struct arrow_place *place = &filter->places[i];

		if (has[place->arrow] == (ARROW_BEGINS | ARROW_ENDS) &&
		    lane_spans_have(&filter->spans, place->lane, place->time))
			each(user, place->event);
		json_decref(place->event);
	}
	free(has);
	names_free(&filter->arrows);
	filter->arrows = (struct names){0};
	filter->nplaces = filter->spans.count = 0;
}

void arrow_filter_free(struct arrow_filter *filter)
{
	lane_spans_free(&filter->spans);
	free(filter->places);
}
