/* SPDX-License-Identifier: MIT */
/*
 * xpti_events.h: the functions by which other libraries of tracelayer record (xpti/timeline,
 * annotations). These libraries are linked with libtracelayer.so, so it is also there if nobody preloaded it.
 *
 * Numbers of strings and lanes belong to one process: a forked child gets new ones.
 */
#ifndef TL_LAYER_PROGRAM_XPTI_EVENTS_H
#define TL_LAYER_PROGRAM_XPTI_EVENTS_H

#include "layer/calls/event.h"
#include "tracelayer/shim.h"

/*
 * The user has asked for what the guest library records: recording begins, if the settings and
 * TRACELAYER_LEVEL allow it, also without preloading. False: this process will record nothing of
 * this level.
 */
TL_EXPORT bool tl_guest_joins(uint8_t level);

/* True if an event of this level would be kept, if the calling thread recorded it now. */
TL_EXPORT bool tl_guest_wanted(uint8_t level);

/*
 * The time now, in the ticks of events; and nanoseconds of CLOCK_MONOTONIC between two such times.
 */
TL_EXPORT uint64_t tl_guest_now(void);
TL_EXPORT uint64_t tl_guest_ns(uint64_t from, uint64_t to);

/* tl_event_put, with the request that the calling thread works on. */
TL_EXPORT bool tl_guest_put(struct tl_event *event);
/* tl_event_put_end, with that request. */
TL_EXPORT bool tl_guest_put_end(struct tl_event *event);

/* tl_string_of_program and tl_string_text, tl_event_lane, tl_event_flows. */
TL_EXPORT uint32_t tl_guest_number(const char *text, size_t size);
TL_EXPORT const char *tl_guest_text(uint32_t number, size_t *size);
TL_EXPORT uint32_t tl_guest_lane(uint32_t name, int32_t sort);
TL_EXPORT uint64_t tl_guest_flows(void);

/*
 * Set the function to call for each call of the program that has a slice and gave work to a device,
 * when the call has ended, in its thread. The function records nothing itself. There is one such
 * function.
 */
TL_EXPORT void tl_guest_at_submission(void (*submitted)(uint64_t start, uint64_t end));

/*
 * Add a function to call once when the process ends, as late as something can still be recorded.
 * Each library has one; there is room for four.
 */
TL_EXPORT void tl_guest_at_end(void (*ends)(void));

/* For the runtime: call those functions, unless they were called; whether there is one to call. */
void tl_guest_end(void);
bool tl_guest_awaits_end(void);

#endif
