/*
 * clock.h: ticks to nanoseconds of CLOCK_MONOTONIC.
 *
 * The counter register (invariant TSC, cntvct) is paired with CLOCK_MONOTONIC at start, through the run and at the end; between two
 * pairs time runs linearly, so that conversion never goes backwards.
 */
#ifndef TL_LAYER_CLOCK_H
#define TL_LAYER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* First pair; decides between counter and clock_gettime. Called at the first traced call. */
void tl_clock_start(void);
bool tl_clock_is_counter(void);

/* Take a further pair (writer: each time it wakes; the exit handler). */
void tl_clock_pair(void);

/* Nanoseconds of a tick count. Non-decreasing in ticks. Not for producers. */
uint64_t tl_clock_ns(uint64_t ticks);

#endif
