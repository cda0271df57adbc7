/* SPDX-License-Identifier: MIT */
/*
 * clock.h: ticks to nanoseconds of CLOCK_MONOTONIC.
 *
 * The counter register (invariant TSC, cntvct) is paired with CLOCK_MONOTONIC at the start, through
 * the run and at the end. Between two pairs time runs linearly, so that conversion never goes
 * backwards.
 *
 * What that is worth: CLOCK_MONOTONIC is the counter at a rate that time synchronisation changes,
 * by a few ppm as a rule and by 500 ppm when it slews. While the rate stays as it is, times are
 * right within a fraction of a microsecond, however far apart the pairs are. A change of the rate
 * is found where it was, and times around it are right within a microsecond, on three conditions:
 * there are pairs before and behind it (in its first fifth of a second a process has not enough),
 * there is no second change between these two, and nothing between them was converted before the
 * change was settled. The writer sees to the last (tl_clock_settle), and takes pairs often. A
 * process without a writer has the pair of its first call, that of its end, and those that calls
 * with memory that is followed, or with callbacks, take (tl_clock_keep_up). A process that has no
 * such calls either: its times are as exact as the rate was constant.
 */
#ifndef TL_LAYER_BUFFERS_CLOCK_H
#define TL_LAYER_BUFFERS_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* First pair; decides between counter and clock_gettime. Called at the first traced call. */
void tl_clock_start(void);
bool tl_clock_is_counter(void);

/* The same, with the choice made: for tests. */
void tl_clock_start_with(bool counter);

/*
 * Take a further pair. Async-signal-safe, any thread. Does nothing where another thread is at it.
 */
void tl_clock_pair(void);

/*
 * A further pair, and all that has to be known to convert what was recorded before it: where the
 * clock's rate has changed since the last pair it takes another one 5 to 125 ms later. For the
 * writer, each time it wakes and for each chunk (where the last pair is new enough this costs a
 * look at the counter), and the exit handler.
 */
void tl_clock_settle(void);

/*
 * At `now`, when a call has ended that is not recorded in the shim's entry alone: a pair, if the
 * last one is 100 ms old. So a process without a writer has some, too.
 */
extern _Atomic uint64_t tl_clock_due;
static inline void tl_clock_keep_up(uint64_t now)
{
	if (now > atomic_load_explicit(&tl_clock_due, memory_order_relaxed))
		tl_clock_pair();
}

/* What a time lasts in ticks, roughly; 0 where their rate is not known yet. Async-signal-safe. */
extern _Atomic uint64_t tl_clock_rate; /* ticks in 2 to the 20 nanoseconds */
static inline uint64_t tl_clock_ticks(uint32_t ns)
{
	return ns * atomic_load_explicit(&tl_clock_rate, memory_order_relaxed) >> 20;
}

/*
 * A pair, if the last one is older than 2 ms: before a thread of the program's converts what is
 * new. Waits for nothing.
 */
void tl_clock_freshen(void);

/*
 * Nanoseconds of a tick count. Non-decreasing in ticks, whatever pairs are taken in between. Exact
 * within the pairs' own error between two of them, so take a pair before converting what was
 * recorded since the last. Not for producers.
 */
uint64_t tl_clock_ns(uint64_t ticks);

/*
 * From now on pairs are kept there, where they outlive the process; those that there are go along.
 * Before anything is converted.
 */
struct tl_clock_table;
void tl_clock_move(struct tl_clock_table *to);

/* The pairs as they are now. Any thread that may convert. */
void tl_clock_copy(struct tl_clock_table *to);

/* In a forked child: forget the pairs. tl_clock_start comes again. */
void tl_clock_after_fork(void);

#endif
