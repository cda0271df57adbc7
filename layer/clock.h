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

/* The same, with the choice made: for tests. */
void tl_clock_start_with(bool counter);

/* Take a further pair (writer: each time it wakes; the exit handler). Async-signal-safe, any thread. */
void tl_clock_pair(void);

/*
 * Nanoseconds of a tick count. Non-decreasing in ticks, whatever pairs are taken in between. Exact within the pairs' own error between two
 * of them, so take a pair before converting what was recorded since the last. Not for producers.
 */
uint64_t tl_clock_ns(uint64_t ticks);

/* From now on pairs are kept there, where they outlive the process; those that there are go along. Before anything is converted. */
struct tl_clock_table;
void tl_clock_move(struct tl_clock_table *to);

/* In a forked child: forget the pairs. tl_clock_start comes again. */
void tl_clock_after_fork(void);

#endif
