/* SPDX-License-Identifier: MIT */
/*
 * recent_calls.h: the calls that a thread made lately, for whoever asks what it was in at a time.
 *
 * One writer, the thread; any readers, without a lock. What is asked of longer ago than the last
 * calls is not known. Another thread may go on with it when that one has ended: each call knows
 * whose it was.
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
 * What the thread was in from one time to another (nanoseconds), the last stretch first. Calls
 * inside others count as those. Returns how much of the time was told of; what lies before that is
 * not known.
 */
uint64_t recent_tell(const struct recent *recent, int thread, uint64_t from, uint64_t to,
		     recent_told told, void *context);

#endif
