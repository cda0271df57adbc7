/* SPDX-License-Identifier: MIT */
/*
 * annotation_events.c: see annotation_events.h.
 *
 * Only the thread itself uses its starts, until the process ends (annotation_threads_stop). They
 * are in the order of their times. If there is no room for another one, the older half become
 * marks: a program that never ends its events makes marks only.
 */
#include "annotations/annotation_events.h"

#include <string.h>

#include "annotations/annotation_ranges.h"

enum { OPEN = 2048 };

/* A start that has no end yet. */
struct event_open {
	uint64_t start; /* ticks; 0: it is not to be recorded */
	uint32_t number, name;
};

struct annotation_events {
	struct annotation_domain *domain; /* ITT's default one, as events name none */
	uint32_t count;
	struct event_open open[OPEN];
};

/* The oldest starts become marks. */
static void events_flush(struct annotation_thread *thread, uint32_t count)
{
	struct annotation_events *events = thread->events;

	for (uint32_t i = 0; i < count; i++) {
		struct annotation_about about = {.name = events->open[i].name};
		if (events->open[i].start)
			annotation_mark_late(thread, events->domain, &about, events->open[i].start);
	}
	events->count -= count;
	memmove(events->open, events->open + count, events->count * sizeof(*events->open));
}

void annotation_event_start(struct annotation_thread *thread, struct annotation_domain *domain,
			    uint32_t number, uint32_t name)
{
	struct annotation_events *events = thread->events;

	if (!events)
		events = thread->events = annotation_memory(sizeof(*events));
	if (!events || !domain)
		return;
	events->domain = domain;
	if (events->count == OPEN)
		events_flush(thread, OPEN / 2);
	struct event_open *open = &events->open[events->count++];
	*open = (struct event_open){.number = number, .name = name};
	if (!tl_guest_wanted(ANNOTATION_LEVEL))
		return;
	/* Now: the end of the process may be another thread's, which has another name. */
	annotation_lane(thread, domain);
	open->start = tl_guest_now();
}

void annotation_event_end(struct annotation_thread *thread, struct annotation_domain *domain,
			  uint32_t number)
{
	struct annotation_events *events = thread->events;
	uint32_t at = events ? events->count : 0;

	while (at && events->open[at - 1].number != number)
		at--;
	if (!at)
		return;
	struct event_open ended = events->open[at - 1];
	events->count--;
	memmove(&events->open[at - 1], &events->open[at],
		(events->count - (at - 1)) * sizeof(*events->open));
	struct annotation_about about = {.name = ended.name};
	if (ended.start)
		annotation_slice(domain, &about, ended.start, tl_guest_now());
}

void annotation_events_flush(struct annotation_thread *thread)
{
	if (thread->events)
		events_flush(thread, thread->events->count);
}
