/* SPDX-License-Identifier: MIT */
/*
 * captured_memory.h: the scratch, where a thread keeps the memory that arguments of its open calls
 * point to, until the calls are recorded. Each open call's part lies behind that of the call around
 * it.
 */
#ifndef TL_LAYER_CALLS_CAPTURED_MEMORY_H
#define TL_LAYER_CALLS_CAPTURED_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/args/args.h"
#include "format/file/record.h"
#include "layer/calls/open_calls.h"

/* functions with more words of parameters get no captured memory */
#define TL_CAPTURE_WORDS 64u
/* bytes for all that a thread's open calls captured when they began */
#define TL_SCRATCH (64u * 1024)
/* bytes behind that: a struct tl_blob_sizes for each call that can be open */
#define TL_SCRATCH_HEADS 4096u

/* False: memory is short. */
bool tl_scratch_make(struct tl_producer *producer);

/* False: the thread's scratch is full, or there is no memory for one. */
static inline bool tl_scratch_has_room(struct tl_producer *producer)
{
	if (TL_LIKELY(producer->scratch))
		return producer->scratch_used < TL_SCRATCH + TL_SCRATCH_HEADS;
	return tl_scratch_make(producer);
}

/*
 * What is captured of a call lies in the scratch as it will in the record: first the sizes of the
 * blobs read at entry and at exit, then these blobs.
 */
static inline struct tl_blob_sizes *tl_scratch_sizes(const struct tl_producer *producer,
						     const struct tl_open_call *open)
{
	return (struct tl_blob_sizes *)(producer->scratch + open->scratch);
}

/*
 * The plans of functions that were called. A function whose place is taken gets no plan kept.
 * Release when a function is stored, acquire when it is read: its plan is there. What is stored
 * never changes.
 */
#define TL_CAPTURE_PLACES 1024u
/* An API's functions lie one behind the other, so that each gets a place of its own. */
#define TL_CAPTURE_PLACE(function) ((uintptr_t)(function) / 16 % TL_CAPTURE_PLACES)
_Static_assert(sizeof(struct tl_function) % 32 == 16, "neighbours have different places");
struct tl_capture_place {
	_Atomic(const struct tl_function *) function;
	_Atomic uint64_t plan;
	/*
	 * The function once more, if its plan is a single step, after which nothing is captured:
	 * then the blob's head, and the sizes as they are stored when such a call begins.
	 */
	_Atomic(const struct tl_function *) single;
	_Atomic uint64_t blob, sizes;
	uint64_t reserved[3]; /* each place is a cache line */
};
extern struct tl_capture_place tl_capture_places[TL_CAPTURE_PLACES] __attribute__((aligned(64)));

uint64_t tl_capture_plan_keep(const struct tl_function *function, uint32_t at);

static inline uint64_t tl_capture_plan_of(const struct tl_function *function)
{
	uint32_t at = (uint32_t)TL_CAPTURE_PLACE(function);
	struct tl_capture_place *place = &tl_capture_places[at];

	if (TL_LIKELY(atomic_load_explicit(&place->function, memory_order_acquire) == function))
		return atomic_load_explicit(&place->plan, memory_order_relaxed);
	return tl_capture_plan_keep(function, at);
}

/* Of functions without a plan, after failures, or where room is short. */
void tl_scratch_walk_entry(struct tl_producer *producer, struct tl_open_call *open,
			   const struct tl_function *function, const uint64_t *words);
void tl_scratch_walk_exit(struct tl_producer *producer, const struct tl_open_call *open,
			  const struct tl_function *function, const uint64_t *words,
			  enum tl_capture_when when, bool *cut);

/*
 * Captures by a plan at `at`, behind what is in use. It first claims all that it may need, so that a
 * signal handler that comes in between captures behind it. Returns the bytes used.
 */
static inline uint32_t tl_scratch_by_plan(struct tl_producer *producer, uint64_t plan,
					  const uint64_t *words, enum tl_capture_when when,
					  uint32_t at)
{
	uint64_t *out = (uint64_t *)(void *)(producer->scratch + at);

	producer->scratch_used = at + (uint32_t)TL_CAPTURE_PLANNED;
	atomic_signal_fence(memory_order_seq_cst);
	uint32_t size = (uint32_t)(tl_capture_by_plan(plan, words, when, out) - out) * 8;
	atomic_signal_fence(memory_order_seq_cst);
	producer->scratch_used = at + size;
	return size;
}

/*
 * What .exit says of a call that has not ended. Both sizes are stored and loaded in one, as
 * tl_scratch_head: .exit is its upper half.
 */
typedef uint64_t tl_scratch_head __attribute__((may_alias));
#define TL_SCRATCH_CUT		1u		    /* something did not fit */
#define TL_SCRATCH_WHOLE	2u		    /* all is there that will be captured; and: */
#define TL_SCRATCH_WORDS(exit)	((exit) >> 8 & 255) /* the parameters' words */
#define TL_SCRATCH_RECORD(exit) ((exit) >> 16)	    /* the words of the whole record */

/* For a call of which `bytes` bytes of blobs are there, and no more will be. */
static inline uint64_t tl_scratch_whole(const struct tl_function *function, uint32_t bytes)
{
	uint64_t record = sizeof(struct tl_call_record) + 8u * function->words +
			  sizeof(struct tl_blob_sizes) + bytes;

	return bytes | (TL_SCRATCH_WHOLE | (uint64_t)function->words << 8 | record / 8 << 16) << 32;
}

/* Capture the memory that IN parameters point to, before the driver may change it. `used`: .scratch_used. */
static TL_ALWAYS_INLINE void tl_scratch_fill(struct tl_producer *producer,
					     struct tl_open_call *open, uint32_t used,
					     const struct tl_function *function,
					     const uint64_t *words)
{
	uint64_t plan = tl_capture_plan_of(function);
	uint32_t at = used + (uint32_t)sizeof(struct tl_blob_sizes);

	if (TL_UNLIKELY(!tl_capture_is_planned(plan, TL_CAPTURE_ENTRY) ||
			at + TL_CAPTURE_PLANNED > TL_SCRATCH)) {
		tl_scratch_walk_entry(producer, open, function, words);
		return;
	}
	uint32_t size = tl_scratch_by_plan(producer, plan, words, TL_CAPTURE_ENTRY, at);
	*(tl_scratch_head *)(void *)(producer->scratch + used) =
		plan & TL_CAPTURE_ONCE ? tl_scratch_whole(function, size) : size;
}

/* The same for a call whose entry is filled in: from here on the entry says where it is. */
static TL_ALWAYS_INLINE void tl_scratch_capture_entry(struct tl_producer *producer,
						      struct tl_open_call *open,
						      const struct tl_function *function,
						      const uint64_t *words)
{
	uint32_t used = producer->scratch_used;

	open->scratch = used;
	open->mode |= TL_OPEN_SCRATCH;
	tl_scratch_fill(producer, open, used, function, words);
}

/*
 * Capture what the result leads to, or errno of a call that failed. Call this before
 * tl_scratch_capture_exit. False: there was nothing.
 */
bool tl_scratch_capture_result(struct tl_producer *producer, const struct tl_open_call *open,
			       const struct tl_function *function, uint64_t result, bool failed);

/* The same for OUT parameters, after a success, after the result's. *cut is set if something did not fit. */
static inline void tl_scratch_capture_exit(struct tl_producer *producer,
					   const struct tl_open_call *open,
					   const struct tl_function *function,
					   const uint64_t *words, bool *cut)
{
	struct tl_blob_sizes *sizes = tl_scratch_sizes(producer, open);
	uint64_t plan = tl_capture_plan_of(function);
	uint32_t at = open->scratch + (uint32_t)sizeof(*sizes) + sizes->entry + sizes->exit;

	if (TL_UNLIKELY(!tl_capture_is_planned(plan, TL_CAPTURE_EXIT) ||
			at + TL_CAPTURE_PLANNED > TL_SCRATCH || sizes->entry > TL_CAPTURE_PLANNED ||
			sizes->exit))
		tl_scratch_walk_exit(producer, open, function, words, TL_CAPTURE_EXIT, cut);
	else if (tl_capture_has_steps(plan, TL_CAPTURE_EXIT))
		sizes->exit = tl_scratch_by_plan(producer, plan, words, TL_CAPTURE_EXIT, at);
}

#endif
