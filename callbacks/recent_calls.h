/* SPDX-License-Identifier: MIT */
/*
 * recent_calls.h: the recent calls of a thread. They answer the question in which call the thread
 * was at a given time.
 *
 * One writer, the thread; any readers, without a lock. Times before the last calls are not known.
 * When the thread has ended, another one may use the struct: each call has the number of its
 * thread.
 */
#ifndef TL_CALLBACKS_RECENT_CALLS_H
#define TL_CALLBACKS_RECENT_CALLS_H

#include <stdatomic.h>
#include <stdint.h>

#define RECENT 8192u

struct recent {
	_Atomic uint64_t head; /* calls so far; release when the last one is there */
	struct recent_call {
		_Atomic uint64_t start, end; /* ticks */
		_Atomic(const char *) name;
		_Atomic int thread;
	} calls[RECENT];
};

void recent_add(struct recent *recent, int thread, const char *name, uint64_t start, uint64_t end);

/* A stretch of time in which a thread was in a call; a NULL name: in none. */
typedef void (*recent_told)(void *context, const char *name, uint64_t time);

/*
 * Call `told` for each stretch of a thread's time between `from` and `to` (nanoseconds of
 * CLOCK_MONOTONIC), the last one first. Calls inside other calls count as the outer call. Returns
 * how much of the time is known; the unknown part is the earliest.
 */
uint64_t recent_tell(const struct recent *recent, int thread, uint64_t from, uint64_t to,
		     recent_told told, void *context);

#endif
