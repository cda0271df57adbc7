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

/*
 * Slices of one lane that were looked at apart from those before them. Only a slice that lies in no
 * other one, and in which all earlier ones of the part lie, can touch a slice before the part.
 */
#define TL_TOUCHING_SEAM 8u
struct tl_touching_seam {
	uint32_t count; /* more than TL_TOUCHING_SEAM: some are missing */
	uint64_t starts[TL_TOUCHING_SEAM];
	struct tl_touching_lane lane; /* at the part's end */
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

/* A part of a lane begins: nothing is known of what was before. */
static inline void tl_touching_part(struct tl_touching *touching, uint32_t tid,
				    struct tl_touching_seam *seam)
{
	touching->lanes[tid % TL_TOUCHING_LANES].tid = tid;
	touching->lanes[tid % TL_TOUCHING_LANES].depth = 0;
	seam->count = 0;
}

/* After each slice of the part. */
static inline void tl_touching_note(const struct tl_touching *touching, uint32_t tid,
				    struct tl_touching_seam *seam)
{
	const struct tl_touching_lane *lane = &touching->lanes[tid % TL_TOUCHING_LANES];

	if (lane->depth != 1)
		return;
	if (seam->count < TL_TOUCHING_SEAM)
		seam->starts[seam->count] = lane->stack[0].start;
	seam->count++;
}

static inline void tl_touching_part_end(const struct tl_touching *touching, uint32_t tid,
					struct tl_touching_seam *seam)
{
	seam->lane = touching->lanes[tid % TL_TOUCHING_LANES];
}

/*
 * Puts a part behind what is known of its lane. False: one of its slices touches one before it, and
 * was not moved; nothing is changed then.
 */
static inline bool tl_touching_join(struct tl_touching *touching, uint32_t tid,
				    const struct tl_touching_seam *seam)
{
	struct tl_touching_lane *lane = &touching->lanes[tid % TL_TOUCHING_LANES];
	uint32_t depth = lane->tid == tid ? lane->depth : 0, kept;

	if (seam->count > TL_TOUCHING_SEAM)
		return false;
	for (uint32_t i = 0; i < seam->count; i++) {
		while (depth && lane->stack[depth - 1].start >= seam->starts[i] &&
		       lane->stack[depth - 1].end > seam->starts[i])
			depth--;
		if (depth && lane->stack[depth - 1].end == seam->starts[i])
			return false;
	}
	/* The newest of both. */
	kept = TL_TOUCHING_DEPTH - seam->lane.depth;
	kept = depth < kept ? depth : kept;
	memmove(lane->stack, lane->stack + (depth - kept), kept * sizeof(lane->stack[0]));
	memcpy(lane->stack + kept, seam->lane.stack, seam->lane.depth * sizeof(lane->stack[0]));
	lane->tid = tid;
	lane->depth = kept + seam->lane.depth;
	return true;
}

#endif
