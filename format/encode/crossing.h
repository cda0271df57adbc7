/* SPDX-License-Identifier: MIT */
/*
 * crossing.h: calls of one thread that overlap and of which none lies in the other.
 *
 * A thread's calls nest as long as it stays on one stack. If it changes to another stack inside of a
 * call and makes a call there (coroutines, fibers), the first may end before the second. The one
 * that ends last then goes to another lane of the thread: on one lane calls always nest.
 *
 * Calls come in the order of their ends, as records do, but for those that were found to be over
 * later. The stack has the calls so far that lie in no other one of the thread's own lane. When it
 * is full, of its older half the long ones stay: few calls begin within a short one and end behind
 * it.
 */
#ifndef TL_FORMAT_ENCODE_CROSSING_H
#define TL_FORMAT_ENCODE_CROSSING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TL_CROSSING_THREADS 16u
#define TL_CROSSING_DEPTH   128u
#define TL_CROSSING_LANES   63u

struct tl_crossing {
	struct tl_crossing_thread {
		uint32_t tid, depth;
		struct tl_crossing_call {
			uint64_t start, end;
		} stack[TL_CROSSING_DEPTH];
		uint64_t ends[TL_CROSSING_LANES]; /* of the last call on each further lane */
	} threads[TL_CROSSING_THREADS];
};

static inline void tl_crossing_forget(struct tl_crossing_thread *thread)
{
	const uint32_t half = TL_CROSSING_DEPTH / 2;
	struct tl_crossing_call *stack = thread->stack;
	uint64_t average = 0;
	uint32_t from = half;

	for (uint32_t i = 0; i < half; i++)
		average += (stack[i].end - stack[i].start) / half;
	for (uint32_t i = half; i && from > half / 2; i--)
		if (stack[i - 1].end - stack[i - 1].start > average)
			stack[--from] = stack[i - 1];
	thread->depth = TL_CROSSING_DEPTH - from;
	memmove(stack, stack + from, thread->depth * sizeof(*stack));
}

/* A further lane that has no call at this time, from 1 on; 0: there is none. */
static inline uint32_t tl_crossing_free_lane(struct tl_crossing_thread *thread, uint64_t start,
					     uint64_t end)
{
	for (uint32_t lane = 0; lane < TL_CROSSING_LANES; lane++)
		if (thread->ends[lane] <= start) {
			thread->ends[lane] = end;
			return lane + 1;
		}
	return 0;
}

/* The lane of the thread's next call: 0: the thread's own. */
static inline uint32_t tl_crossing_lane(struct tl_crossing *crossing, uint32_t tid, uint64_t start,
					uint64_t end)
{
	struct tl_crossing_thread *thread = &crossing->threads[tid % TL_CROSSING_THREADS];
	const struct tl_crossing_call *stack = thread->stack;
	bool crosses = false;

	if (thread->tid != tid) {
		thread->tid = tid;
		thread->depth = 0;
		memset(thread->ends, 0, sizeof(thread->ends));
	}
	uint32_t depth = thread->depth;
	for (; depth && stack[depth - 1].start >= start; depth--)
		crosses |= stack[depth - 1].start > start && stack[depth - 1].start < end &&
			   stack[depth - 1].end > end;
	if (depth && stack[depth - 1].end > start) {
		if (stack[depth - 1].end >= end)
			return 0; /* lies in it */
		crosses = true;
	}
	uint32_t lane = crosses ? tl_crossing_free_lane(thread, start, end) : 0;
	if (lane)
		return lane;
	thread->depth = depth;
	if (depth == TL_CROSSING_DEPTH)
		tl_crossing_forget(thread);
	thread->stack[thread->depth++] = (struct tl_crossing_call){start, end};
	return 0;
}

#endif
