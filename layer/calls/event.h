/* SPDX-License-Identifier: MIT */
/*
 * event.h: events that are not calls, recorded as calls are: device work, a program's own events,
 * counters, flows.
 *
 * Names, keys and categories are numbers of strings (layer/buffers/strings.h). Times are
 * nanoseconds of CLOCK_MONOTONIC with TL_EVENT_NS, else ticks.
 */
#ifndef TL_LAYER_CALLS_EVENT_H
#define TL_LAYER_CALLS_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/record.h"
#include "layer/buffers/event_lanes.h"
#include "layer/buffers/strings.h"

#define TL_EVENT_ARGS 64u /* an event's arguments at most; more are left out */

struct tl_event {
	char phase;    /* Chrome's: X, B, E, i, C, s, t, f */
	uint8_t flags; /* enum tl_event_flag */
	uint8_t level; /* enum tl_level */
	/*
	 * 0: the calling thread's; with TL_EVENT_TID: another thread's tid, as the trace shows it
	 */
	uint32_t lane;
	uint32_t name, category;
	uint32_t request;
	uint64_t start, duration;
	uint32_t nargs;
	const struct tl_event_arg *args;
	const struct tl_event_arrows *arrows; /* for an X with TL_EVENT_NS; NULL: none */
};

/*
 * Record the event in the calling thread's buffer. False: nothing is recorded now, the event's
 * level is not wanted, or the event was lost (and counted). Async-signal-safe once the thread has
 * made a call or recorded an event.
 */
bool tl_event_put(const struct tl_event *event);

/*
 * The same for the end of something whose beginning was recorded: also if nothing is recorded now.
 */
bool tl_event_put_end(const struct tl_event *event);

/* An argument whose key and text have no numbers yet. */
static inline struct tl_event_arg tl_event_text(const char *key, const char *text)
{
	return (struct tl_event_arg){
		.key = tl_string_of(key), .kind = TL_VALUE_STRING, .value = tl_string_of(text)};
}

static inline struct tl_event_arg tl_event_number(const char *key, enum tl_event_value kind,
						  uint64_t value)
{
	return (struct tl_event_arg){.key = tl_string_of(key), .kind = kind, .value = value};
}

/* Whether events of this level would be recorded now. */
bool tl_event_wanted(uint8_t level);

/*
 * Numbers for two flows; returns the first. They are unique to this process for the first billion.
 */
uint64_t tl_event_flows(void);

/* The time now, in ticks of the calling thread's clock. */
uint64_t tl_event_now(void);

/* In a forked child: forget the lanes. */
void tl_events_after_fork(void);

#endif
