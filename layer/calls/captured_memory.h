/* SPDX-License-Identifier: MIT */
/*
 * captured_memory.h: the scratch, where a thread keeps the memory that arguments of its open calls
 * point to, until the calls are recorded. Each open call's part lies behind that of the call around
 * it.
 */
#ifndef TL_LAYER_CALLS_CAPTURED_MEMORY_H
#define TL_LAYER_CALLS_CAPTURED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

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
 * Capture the memory that IN parameters point to, before the driver may change it. Until the call
 * ends, .exit says if something did not fit.
 */
void tl_scratch_capture_entry(struct tl_producer *producer, struct tl_open_call *open,
			      const struct tl_function *function, const uint64_t *words);

/*
 * Capture what the result leads to, or errno of a call that failed. Call this before
 * tl_scratch_capture_exit. False: there was nothing.
 */
bool tl_scratch_capture_result(struct tl_producer *producer, const struct tl_open_call *open,
			       const struct tl_function *function, uint64_t result, bool failed);

/* The same for OUT parameters, after a success, after the result's. *cut is set if something did not fit. */
void tl_scratch_capture_exit(struct tl_producer *producer, const struct tl_open_call *open,
			     const struct tl_function *function, const uint64_t *words, bool *cut);

#endif
