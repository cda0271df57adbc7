/*
 * recent.h: the calls that a thread made lately, for whoever asks what it was in at a time.
 *
 * One writer, the thread; any readers, without a lock. What is asked of longer ago than the last calls is not known.
 */
#ifndef TL_CALLBACKS_RECENT_H
#define TL_CALLBACKS_RECENT_H

#include <stdatomic.h>
#include <stdint.h>

#define RECENT 2048u

struct recent {
	_Atomic uint64_t head;	/* calls so far; release when the last one is there */
	struct recent_call {
		_Atomic uint64_t start, end;	/* ticks */
		_Atomic(const char *) name;
	} calls[RECENT];
};

void recent_add(struct recent *recent, const char *name, uint64_t start, uint64_t end);

/*
 * What the thread was in from one time to another (nanoseconds): `told` gets each stretch, the last one first, and how long it was; a NULL name: in no call.
 * Calls inside others count as those. Returns how much of the time was told of; what lies before that is not known.
 */
uint64_t recent_tell(const struct recent *recent, uint64_t from, uint64_t to, void (*told)(void *context, const char *name, uint64_t time), void *context);

#endif
