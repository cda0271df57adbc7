/* SPDX-License-Identifier: MIT */
/*
 * touching.h: which slices of a lane begin at the very nanosecond at which the one before them
 * ended.
 *
 * Some viewers, speedscope among them, sort beginnings and ends by time. They take two such slices
 * of the same name for one within the other. And if a machine has been up for days, ts + dur in
 * doubles may lie behind the next ts. So in JSON a slice that touches the one before begins 0.2 ns
 * later and ends when it ended; readers of whole nanoseconds round that away. A slice that takes no
 * time, which speedscope would not show, lasts 0.1 ns.
 *
 * Slices of a lane come in the order of their ends, as records do. The stack has the slices that so
 * far lie in no other one. A new slice removes from the top those that lie in it; the one on top
 * then ended before the new one began. Slices that begin together are moved together. When the
 * stack is full, the oldest are forgotten: a slice that touches one of them isn't moved.
 */
#ifndef TL_FORMAT_ENCODE_TOUCHING_H
#define TL_FORMAT_ENCODE_TOUCHING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TL_TOUCHING_LANES 64u
#define TL_TOUCHING_DEPTH 32u

struct tl_touching {
	struct tl_touching_lane {
		uint32_t tid, depth;
		struct {
			uint64_t start, end;
		} stack[TL_TOUCHING_DEPTH];
	} lanes[TL_TOUCHING_LANES];
};

/* Whether the next slice of a lane must be moved. */
static inline bool tl_touching_next(struct tl_touching *touching, uint32_t tid, uint64_t start,
				    uint64_t end)
{
	struct tl_touching_lane *lane = &touching->lanes[tid % TL_TOUCHING_LANES];
	uint32_t depth = lane->tid == tid ? lane->depth : 0;

	lane->tid = tid;
	while (depth && lane->stack[depth - 1].start >= start && lane->stack[depth - 1].end > start)
		depth--;
	bool touches = depth && lane->stack[depth - 1].end == start;
	if (depth == TL_TOUCHING_DEPTH) {
		depth /= 2;
		memmove(lane->stack, lane->stack + depth, depth * sizeof(lane->stack[0]));
	}
	lane->stack[depth].start = start;
	lane->stack[depth].end = end;
	lane->depth = depth + 1;
	return touches;
}

#endif
