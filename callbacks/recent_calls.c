/* SPDX-License-Identifier: MIT */
/*
 * recent_calls.c: see recent_calls.h. A ring: a reader copies an entry, and then checks whether the
 * writer has overwritten it meanwhile.
 */
#include "callbacks/recent_calls.h"

#include <stdbool.h>

#include "tracelayer/tracer.h"

void recent_add(struct recent *recent, int thread, const char *name, uint64_t start, uint64_t end)
{
	uint64_t head = atomic_load_explicit(&recent->head, memory_order_relaxed);
	struct recent_call *call = &recent->calls[head % RECENT];

	/*
	 * Release pairs with recent_read_call's acquire: a reader that sees any part of this call
	 * also sees that the head has come to its place.
	 */
	atomic_store_explicit(&call->start, start, memory_order_release);
	atomic_store_explicit(&call->end, end, memory_order_release);
	atomic_store_explicit(&call->name, name, memory_order_release);
	atomic_store_explicit(&call->thread, thread, memory_order_release);
	/* Pairs with recent_tell's acquire. */
	atomic_store_explicit(&recent->head, head + 1, memory_order_release);
}

struct seen_call {
	uint64_t start, end; /* nanoseconds */
	const char *name;
	int thread;
};

/* False: the call was overwritten, or is being overwritten. */
static bool recent_read_call(const struct recent *recent, uint64_t number, struct seen_call *seen)
{
	const struct recent_call *call = &recent->calls[number % RECENT];

	/*
	 * Acquire pairs with recent_add's releases. If this thread sees any part of the call that
	 * replaces this one, RECENT calls later, it also sees the head at that call's number.
	 */
	uint64_t start = atomic_load_explicit(&call->start, memory_order_acquire),
		 end = atomic_load_explicit(&call->end, memory_order_acquire);

	seen->name = atomic_load_explicit(&call->name, memory_order_acquire);
	seen->thread = atomic_load_explicit(&call->thread, memory_order_acquire);
	if (atomic_load_explicit(&recent->head, memory_order_relaxed) >= number + RECENT)
		return false;
	seen->start = tl_ticks_ns(start);
	seen->end = tl_ticks_ns(end);
	return true;
}

uint64_t recent_tell(const struct recent *recent, int thread, uint64_t from, uint64_t to,
		     recent_told told, void *context)
{
	uint64_t number = atomic_load_explicit(&recent->head, memory_order_acquire), at = to;
	struct seen_call call;

	while (number && at > from) {
		if (!recent_read_call(recent, --number, &call))
			return to - at;
		if (call.thread != thread)
			continue;
		uint64_t end = call.end < at ? call.end : at,
			 start = call.start > from ? call.start : from;
		if (end <= from)
			break;
		if (end < at)
			told(context, NULL, at - end);
		if (start < end)
			told(context, call.name, end - start);
		at = start < end ? start : end;
	}
	if (at > from)
		told(context, NULL, at - from);
	return to - from;
}
