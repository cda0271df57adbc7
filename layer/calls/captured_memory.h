/* SPDX-License-Identifier: MIT */
/*
 * captured_memory.h: the scratch, where a thread keeps the memory that arguments of its open calls
 * lead to, until they are recorded. Each open call's part lies behind that of the call outside of
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
/* bytes of arguments captured at the entries of a thread's open calls */
#define TL_SCRATCH (64u * 1024)
/* for as many struct tl_blob_sizes as there can be open calls, behind it */
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
 * What is captured of a call lies in the scratch as it will in the record: the sizes of what was
 * read at entry and at exit, and both.
 */
static inline struct tl_blob_sizes *tl_scratch_sizes(const struct tl_producer *producer,
						     const struct tl_open_call *open)
{
	return (struct tl_blob_sizes *)(producer->scratch + open->scratch);
}

/*
 * Capture the memory that IN parameters lead to, before the driver may change it. Until the call
 * ends, .exit says if something did not fit.
 */
void tl_scratch_capture_entry(struct tl_producer *producer, struct tl_open_call *open,
			      const struct tl_function *function, const uint64_t *words);

/*
 * Capture what the result leads to, or errno of a call that failed; before what OUT parameters lead
 * to. False: nothing.
 */
bool tl_scratch_capture_result(struct tl_producer *producer, const struct tl_open_call *open,
			       const struct tl_function *function, uint64_t result, bool failed);

/* The same for OUT parameters, after a success, behind the result's. *cut is set where something did not fit. */
void tl_scratch_capture_exit(struct tl_producer *producer, const struct tl_open_call *open,
			     const struct tl_function *function, const uint64_t *words, bool *cut);

#endif
