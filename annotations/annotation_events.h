/* SPDX-License-Identifier: MIT */
/*
 * annotation_events.h: events of ITT, which a thread starts and ends, in any order.
 *
 * An end belongs to the thread's newest open start of the same event. A start that gets no end is a
 * mark. All functions here are for a thread inside the library (annotation_enter).
 */
#ifndef TL_ANNOTATIONS_ANNOTATION_EVENTS_H
#define TL_ANNOTATIONS_ANNOTATION_EVENTS_H

#include <stdint.h>

#include "annotations/annotation_domains.h"
#include "annotations/annotation_threads.h"

/*
 * The event with this number starts. `name`: a string's number. While recording is paused, this
 * counts, so that ends find their own start, but nothing is recorded.
 */
void annotation_event_start(struct annotation_thread *thread, struct annotation_domain *domain,
			    uint32_t number, uint32_t name);
/* It ends. Nothing happens if the thread has no open start of it. */
void annotation_event_end(struct annotation_thread *thread, struct annotation_domain *domain,
			  uint32_t number);
/* The thread or the process ends: what has no end becomes a mark. */
void annotation_events_flush(struct annotation_thread *thread);

#endif
