/* SPDX-License-Identifier: MIT */
/*
 * touching.h: which slices of a lane begin at the very nanosecond at which the one before them
 * ended; and which calls of a thread overlap, so that none lies in the other.
 *
 * Some viewers, speedscope among them, sort beginnings and ends by time. They take two such slices
 * of the same name for one within the other. And if a machine has been up for days, ts + dur in
 * doubles may lie behind the next ts. So in JSON a slice that touches the one before begins 0.2 ns
 * later and ends when it ended; readers of whole nanoseconds round that away. A slice that takes no
 * time, which speedscope would not show, lasts 0.1 ns.
 *
 * A thread's calls nest as long as it stays on one stack. If it changes to another stack inside of a
 * call and makes a call there (coroutines, fibers), the first may end before the second. The one
 * that ends last then goes to another lane of the thread: on one lane calls always nest.
 *
 * Slices of a lane come in the order of their ends, as records do, but for calls that were found to
 * be over later. The stack has the slices that so far lie in no other one. A new slice removes from
 * the top those that lie in it; the one on top then ended before the new one began, or has it
 * inside, or crosses it. Slices that begin together are moved together.
 *
 * The newest slices of the stack are in a ring. Long ones are also kept apart, when the ring has no
 * room for them any more: few calls begin within a short one and end behind it. With room for 32, some
 * did whose stack made some tens of calls more. A slice that touches or crosses one that is forgotten is
 * drawn as if there were none.
 */
#ifndef TL_FORMAT_ENCODE_TOUCHING_H
#define TL_FORMAT_ENCODE_TOUCHING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TL_TOUCHING_LANES   64u
#define TL_TOUCHING_RING    128u
#define TL_TOUCHING_LONG    32u
#define TL_TOUCHING_FURTHER 31u
#define TL_TOUCHING_MEASURE 256u /* as many slices later, what is long is measured again */

struct tl_touching_slice {
	uint64_t start, end;
};

struct tl_touching {
	uint32_t block; /* counts blocks (encoder.h) */
	struct tl_touching_lane {
		uint32_t tid;
		uint32_t bottom,
			top; /* of the ring; they count on, .bottom where slices are removed */
		uint32_t nlong;
		uint64_t is_long; /* a slice that takes more is */
		struct tl_touching_slice ring[TL_TOUCHING_RING];
		struct tl_touching_slice longs[TL_TOUCHING_LONG];
		bool crosses;		/* a call of the part crossed another one */
		uint32_t told, told_in; /* names of further lanes that a block has, a bit each */
		uint64_t ends[TL_TOUCHING_FURTHER]; /* of the last call on each further lane */
	} lanes[TL_TOUCHING_LANES];
};

/* Where the next slice is drawn. */
struct tl_touching_place {
	bool moves;
	uint32_t further; /* the further lane of the thread; 0: its own */
};

/*
 * Slices of one lane that were looked at apart from those before them. Only a slice that lies in no
 * other one, and in which all earlier ones of the part lie, can touch or cross a slice before the
 * part.
 */
#define TL_TOUCHING_SEAM 32u
struct tl_touching_seam {
	uint32_t count; /* more than TL_TOUCHING_SEAM: some are missing */
	uint64_t starts[TL_TOUCHING_SEAM];
	struct tl_touching_lane lane; /* at the part's end */
};

static inline void tl_touching_lane_begin(struct tl_touching_lane *lane, uint32_t tid)
{
	lane->tid = tid;
	lane->bottom = lane->top = lane->nlong = 0;
	lane->told = 0;
	memset(lane->ends, 0, sizeof(lane->ends));
}

/* Four times as long as those of the ring on average is long. */
static inline void tl_touching_measure(struct tl_touching_lane *lane)
{
	uint64_t sum = 0;

	if (lane->top < TL_TOUCHING_RING)
		return;
	for (uint32_t i = 0; i < TL_TOUCHING_RING; i++)
		sum += lane->ring[i].end - lane->ring[i].start;
	lane->is_long = sum / (TL_TOUCHING_RING / 4);
}

static inline void tl_touching_keep(struct tl_touching_lane *lane, uint64_t start, uint64_t end)
{
	if (lane->nlong == TL_TOUCHING_LONG)
		memmove(lane->longs, lane->longs + 1, --lane->nlong * sizeof(*lane->longs));
	lane->longs[lane->nlong++] = (struct tl_touching_slice){start, end};
}

static inline void tl_touching_put(struct tl_touching_lane *lane, uint64_t start, uint64_t end)
{
	struct tl_touching_slice *slice = &lane->ring[lane->top++ % TL_TOUCHING_RING];

	slice->start = start;
	slice->end = end;
}

/* A slice that may be long. */
static inline void tl_touching_push(struct tl_touching_lane *lane, uint64_t start, uint64_t end)
{
	if (end - start > lane->is_long || lane->top % TL_TOUCHING_MEASURE == 0)
		tl_touching_measure(lane);
	if (end - start > lane->is_long)
		tl_touching_keep(lane, start, end);
	tl_touching_put(lane, start, end);
}

/* The slice on top of those that are left. NULL: there is none. */
static inline const struct tl_touching_slice *tl_touching_top(const struct tl_touching_lane *lane)
{
	if (lane->top != lane->bottom)
		return &lane->ring[(lane->top - 1) % TL_TOUCHING_RING];
	return lane->nlong ? &lane->longs[lane->nlong - 1] : NULL;
}

static inline void tl_touching_remove(struct tl_touching_lane *lane)
{
	if (lane->top != lane->bottom)
		lane->top--;
	else
		lane->nlong--;
}

/* Before slices are removed. */
static inline void tl_touching_settle(struct tl_touching_lane *lane)
{
	if (lane->top - lane->bottom > TL_TOUCHING_RING)
		lane->bottom = lane->top - TL_TOUCHING_RING;
}

/* A further lane that has no call at this time. .further 0: there is none. */
static inline struct tl_touching_place tl_touching_further(struct tl_touching_lane *lane,
							   uint64_t start, uint64_t end)
{
	lane->crosses = true;
	for (uint32_t i = 0; i < TL_TOUCHING_FURTHER; i++)
		if (lane->ends[i] <= start) {
			bool touches = lane->ends[i] == start;

			lane->ends[i] = end;
			return (struct tl_touching_place){touches, i + 1};
		}
	return (struct tl_touching_place){false, 0};
}

/* A slice that may have others inside, or lie in one, or cross one. */
static __attribute__((noinline, unused)) struct tl_touching_place
tl_touching_next_any(struct tl_touching_lane *lane, uint32_t tid, uint64_t start, uint64_t end,
		     bool is_call)
{
	struct tl_touching_place place = {false, 0};
	const struct tl_touching_slice *top;
	bool crosses = false;

	if (lane->tid != tid)
		tl_touching_lane_begin(lane, tid);
	tl_touching_settle(lane);
	const uint32_t was_top = lane->top, was_long = lane->nlong;
	while ((top = tl_touching_top(lane)) && top->start >= start && top->end > start) {
		crosses |= top->end > end && top->start > start && top->start < end;
		tl_touching_remove(lane);
	}
	if (top && top->end >= start) {
		place.moves = top->end == start;
		crosses |= !place.moves && top->end < end;
	}
	if (crosses && is_call) {
		struct tl_touching_place further = tl_touching_further(lane, start, end);

		if (further.further) {
			lane->top = was_top;
			lane->nlong = was_long;
			return further;
		}
	}
	tl_touching_push(lane, start, end);
	return place;
}

/* `is_call`: it goes to a further lane of its thread if it crosses another slice. */
static inline struct tl_touching_place tl_touching_next(struct tl_touching *touching, uint32_t tid,
							uint64_t start, uint64_t end, bool is_call)
{
	struct tl_touching_lane *lane = &touching->lanes[tid % TL_TOUCHING_LANES];
	const struct tl_touching_slice *top = &lane->ring[(lane->top - 1) % TL_TOUCHING_RING];

	/* Most are short, and begin behind the one on top. */
	if (lane->tid != tid || lane->top == lane->bottom || top->end > start ||
	    top->start >= start || end - start > lane->is_long ||
	    lane->top % TL_TOUCHING_MEASURE == 0)
		return tl_touching_next_any(lane, tid, start, end, is_call);
	bool moves = top->end == start;
	tl_touching_put(lane, start, end);
	return (struct tl_touching_place){moves, 0};
}

/* Whether this block has the name of a further lane. It has it then. */
static inline bool tl_touching_told(struct tl_touching *touching, uint32_t tid, uint32_t further)
{
	struct tl_touching_lane *lane = &touching->lanes[tid % TL_TOUCHING_LANES];
	uint32_t told = lane->told_in == touching->block ? lane->told : 0;

	lane->told_in = touching->block;
	lane->told = told | UINT32_C(1) << further;
	return told >> further & 1;
}

/* A part of a lane begins: nothing is known of what was before. */
static inline void tl_touching_part(struct tl_touching *touching, uint32_t tid,
				    struct tl_touching_seam *seam)
{
	struct tl_touching_lane *lane = &touching->lanes[tid % TL_TOUCHING_LANES];

	tl_touching_lane_begin(lane, tid);
	lane->crosses = false;
	seam->count = 0;
}

/* After each slice of the part. */
static inline void tl_touching_note(const struct tl_touching *touching, uint32_t tid,
				    struct tl_touching_seam *seam)
{
	const struct tl_touching_lane *lane = &touching->lanes[tid % TL_TOUCHING_LANES];

	if (lane->top - lane->bottom != 1 || lane->nlong > 1)
		return;
	if (seam->count < TL_TOUCHING_SEAM)
		seam->starts[seam->count] = lane->ring[lane->bottom % TL_TOUCHING_RING].start;
	seam->count++;
}

static inline void tl_touching_part_end(struct tl_touching *touching, uint32_t tid,
					struct tl_touching_seam *seam)
{
	struct tl_touching_lane *lane = &touching->lanes[tid % TL_TOUCHING_LANES];

	tl_touching_settle(lane);
	seam->lane.tid = lane->tid;
	seam->lane.crosses = lane->crosses;
	seam->lane.bottom = lane->bottom;
	seam->lane.top = lane->top;
	seam->lane.nlong = lane->nlong;
	memcpy(seam->lane.ring, lane->ring, sizeof(lane->ring));
	memcpy(seam->lane.longs, lane->longs, lane->nlong * sizeof(*lane->longs));
}

/* Removes what lies in slices of the part. False: one of these touches or crosses another one. */
static inline bool tl_touching_seam_remove(struct tl_touching_lane *lane,
					   const struct tl_touching_seam *seam)
{
	for (uint32_t i = 0; i < seam->count; i++) {
		const struct tl_touching_slice *top;

		while ((top = tl_touching_top(lane)) && top->start >= seam->starts[i] &&
		       top->end > seam->starts[i])
			tl_touching_remove(lane);
		if (top && top->end >= seam->starts[i])
			return false;
	}
	return true;
}

/*
 * Whether a part can be put behind what is known of its lane, which stays as it is. False: one of its
 * slices crosses another one, or touches one before the part and was not moved.
 */
static inline bool tl_touching_joins(struct tl_touching *touching, uint32_t tid,
				     const struct tl_touching_seam *seam)
{
	struct tl_touching_lane *lane = &touching->lanes[tid % TL_TOUCHING_LANES];

	if (seam->count > TL_TOUCHING_SEAM || seam->lane.crosses)
		return false;
	if (lane->tid != tid)
		return true;
	tl_touching_settle(lane);
	const uint32_t was_top = lane->top, was_long = lane->nlong;
	const bool joins = tl_touching_seam_remove(lane, seam);

	lane->top = was_top;
	lane->nlong = was_long;
	return joins;
}

/* Puts a part that joins behind what is known of its lane. */
static inline void tl_touching_append(struct tl_touching *touching, uint32_t tid,
				      const struct tl_touching_seam *seam)
{
	struct tl_touching_lane *lane = &touching->lanes[tid % TL_TOUCHING_LANES];
	const struct tl_touching_lane *part = &seam->lane;

	if (lane->tid != tid)
		tl_touching_lane_begin(lane, tid);
	tl_touching_seam_remove(lane, seam);
	for (uint32_t i = 0; i < part->nlong; i++)
		tl_touching_keep(lane, part->longs[i].start, part->longs[i].end);
	for (uint32_t i = part->bottom; i != part->top; i++) {
		const struct tl_touching_slice *slice = &part->ring[i % TL_TOUCHING_RING];

		tl_touching_put(lane, slice->start, slice->end);
	}
	tl_touching_measure(lane);
}

/* The same of a part that may not join. False: it does not; nothing is changed then. */
static inline bool tl_touching_join(struct tl_touching *touching, uint32_t tid,
				    const struct tl_touching_seam *seam)
{
	if (!tl_touching_joins(touching, tid, seam))
		return false;
	tl_touching_append(touching, tid, seam);
	return true;
}

#endif
