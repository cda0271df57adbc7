/* SPDX-License-Identifier: MIT */
/*
 * clock.h: ticks to nanoseconds of CLOCK_MONOTONIC.
 *
 * The counter register (invariant TSC, cntvct) is paired with CLOCK_MONOTONIC at the start, through
 * the run and at the end. Between two pairs time runs linearly, so that conversion never goes
 * backwards.
 *
 * Precision: CLOCK_MONOTONIC is the counter at a rate that time synchronisation changes, by a few
 * ppm as a rule and by 500 ppm when it slews. While the rate stays as it is, times are right within
 * a fraction of a microsecond, however far apart the pairs are. When the rate changes, the layer
 * finds the time of the change, and times around it are right within a microsecond, on three
 * conditions: there are pairs before and after it (in its first fifth of a second a process has too
 * few), there is no second change between these two, and nothing between them was converted before
 * the change was settled. The writer provides for the last (tl_clock_settle), and takes pairs
 * often. A process without a writer has a pair from its first call and one from its end. Calls
 * whose memory is followed, or that have callbacks, take more (tl_clock_keep_up). In a process that
 * has no such calls either, times are exact only if the rate was constant.
 */
#ifndef TL_LAYER_BUFFERS_CLOCK_H
#define TL_LAYER_BUFFERS_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracelayer/shim.h"

/* First pair; decides between counter and clock_gettime. Called at the first traced call. */
void tl_clock_start(void);
bool tl_clock_is_counter(void);

/* The tick now, for callers that have no struct tl_thread to ask (tl_ticks). */
static inline uint64_t tl_clock_now(void)
{
	return tl_clock_is_counter() ? tl_counter() : tl_clock_gettime_ticks();
}

/* The same, with the choice made by the caller: for tests. */
void tl_clock_start_with(bool counter);

/* Take a further pair, unless another thread is taking one. Async-signal-safe, any thread. */
void tl_clock_pair(void);

/*
 * Take a further pair, and find out what is needed to convert what was recorded before it: if the
 * clock's rate has changed since the last pair, take another one 5 to 125 ms later. For the writer,
 * each time it wakes and for each chunk, and for the exit handler. Where the last pair is new
 * enough, this only reads the counter.
 */
void tl_clock_settle(void);

/*
 * tl_clock_keep_up takes a pair if the last one is 100 ms old. Called at tick `now`, when a call
 * has ended that the shim's entry did not record alone. So a process without a writer has pairs,
 * too.
 */
extern _Atomic uint64_t tl_clock_due;
static inline bool tl_clock_is_due(uint64_t now)
{
	return now > atomic_load_explicit(&tl_clock_due, memory_order_relaxed);
}

static inline void tl_clock_keep_up(uint64_t now)
{
	if (tl_clock_is_due(now))
		tl_clock_pair();
}

/*
 * Roughly how many ticks a time lasts; 0 where the rate of ticks is not known yet.
 * Async-signal-safe.
 */
extern _Atomic uint64_t tl_clock_rate; /* ticks in 2 to the 20 nanoseconds */
static inline uint64_t tl_clock_ticks(uint32_t ns)
{
	return ns * atomic_load_explicit(&tl_clock_rate, memory_order_relaxed) >> 20;
}

/*
 * How long the counter stays at one tick, if that is more than 50 ns; else 0. Converted ticks may be
 * wrong by so much: by half of it for the tick, and by half for the pair.
 */
uint32_t tl_clock_step_ns(void);

/*
 * Take a pair, if the last one is older than 2 ms: before a thread of the program converts new
 * ticks. Never waits.
 */
void tl_clock_freshen(void);

/*
 * Nanoseconds of a tick count. Non-decreasing in ticks, whatever pairs are taken in between.
 * Between two pairs it is as exact as the pairs, so take a pair before converting what was recorded
 * since the last. Not for producers.
 */
uint64_t tl_clock_ns(uint64_t ticks);

/*
 * From now on keep the pairs in this table, which outlives the process. Copies the pairs known so
 * far. Called before any thread converts.
 */
struct tl_clock_table;
void tl_clock_move(struct tl_clock_table *to);

/* Copies the pairs as they are now. Any thread that may convert. */
void tl_clock_copy(struct tl_clock_table *to);

/* In a forked child: forget the pairs. The child calls tl_clock_start again. */
void tl_clock_after_fork(void);

#endif
