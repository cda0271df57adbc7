/* SPDX-License-Identifier: MIT */
/*
 * event_lanes.h: lanes that are no thread's: a device's queue, an XPTI stream, a counter.
 *
 * A lane has a number and a tid that it is shown by, like a thread, and a name. Lanes are never
 * freed. They lie in the arena, so that recovery knows their names. Everything here is
 * async-signal-safe and may run in any thread.
 */
#ifndef TL_LAYER_BUFFERS_EVENT_LANES_H
#define TL_LAYER_BUFFERS_EVENT_LANES_H

#include <stdint.h>

/*
 * A new lane. It has events as soon as an event names it. `name` is a string's number
 * (layer/buffers/strings.h). `sort`: lanes with larger numbers come further down. 0: memory is
 * short, and the events go to the lanes of the threads that record them.
 */
uint32_t tl_event_lane(uint32_t name, int32_t sort);

/* What the file shows of a lane. NULL: no such lane has this number. */
struct tl_lane_entry;
const struct tl_lane_entry *tl_event_lane_entry(uint32_t lane);

/* The number of the lane that is shown by this tid; 0: the tid is a thread's. */
uint32_t tl_event_lane_shown(uint32_t tid);

/* In a forked child: forget the lanes. */
void tl_event_lanes_after_fork(void);

#endif
