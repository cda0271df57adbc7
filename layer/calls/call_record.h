/* SPDX-License-Identifier: MIT */
/*
 * call_record.h: the record of a call that the library makes, and not the shim's entry. Each path
 * that a call may take fills in a draft of the call, and the record is made of that.
 */
#ifndef TL_LAYER_CALLS_CALL_RECORD_H
#define TL_LAYER_CALLS_CALL_RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "format/file/record.h"
#include "layer/calls/captured_memory.h"
#include "layer/calls/hook.h"
#include "tracelayer/shim.h"

/* As memcpy, for copies that are short as a rule. */
static inline void tl_record_copy_words(uint64_t *to, const void *from, uint64_t count)
{
	const uint64_t *words = from;

	if (count > 16) {
		memcpy(to, from, 8 * count);
		return;
	}
	for (uint64_t i = 0; i < count; i++) {
		to[i] = words[i];
		/* Without this, compilers call memcpy for the loop. */
		__asm__ volatile("");
	}
}

static inline uint64_t tl_record_head(uint64_t size, uint32_t flags, uint32_t function)
{
	return size / 8 | (uint64_t)TL_RECORD_CALL << 16 | (uint64_t)flags << 24 |
	       (uint64_t)function << 32;
}

/* What a call's record is made of. */
struct tl_draft {
	const struct tl_function *function;
	uint32_t id;
	uint32_t mode;	/* TL_MODE_FOLLOW: with what is captured; TL_MODE_WORDS: with the words */
	uint32_t count; /* of words */
	uint32_t flags;
	uint64_t start, end, result;
	const uint64_t *words;
	struct tl_cause cause;
};

static TL_ALWAYS_INLINE bool tl_draft_has_cause(const struct tl_draft *draft)
{
	return draft->cause.correlation || draft->cause.request;
}

static TL_ALWAYS_INLINE uint64_t tl_draft_size(const struct tl_draft *draft)
{
	uint64_t size = sizeof(struct tl_call_record) + 8 * (uint64_t)draft->count;

	return tl_draft_has_cause(draft) ? size + sizeof(draft->cause) : size;
}

static inline void tl_draft_tell_submission(const struct tl_draft *draft)
{
	tl_submission_listener *listener =
		atomic_load_explicit(&tl_submission_listens, memory_order_acquire);

	if (TL_UNLIKELY(listener != NULL) && draft->cause.correlation)
		listener(draft->start, draft->end);
}

/* Fills in all of the record but its blobs; does not commit it. Returns where the blobs go. */
static TL_ALWAYS_INLINE uint64_t *tl_draft_fill(uint64_t *record, const struct tl_draft *draft)
{
	_Atomic uint64_t *words = (_Atomic uint64_t *)record;

	/* Atomic, as in tl_recorded_leave: no compiler makes wider stores of them. */
	atomic_store_explicit(&words[1], draft->start, memory_order_relaxed);
	atomic_store_explicit(&words[2], draft->end - draft->start, memory_order_relaxed);
	atomic_store_explicit(&words[3], draft->result, memory_order_relaxed);
	record += 4;
	if (tl_draft_has_cause(draft)) {
		memcpy(record++, &draft->cause, sizeof(draft->cause));
		tl_draft_tell_submission(draft);
	}
	tl_record_copy_words(record, draft->words, draft->count);
	return record + draft->count;
}

static TL_ALWAYS_INLINE void tl_draft_commit(uint64_t *record, uint64_t size,
					     const struct tl_draft *draft)
{
	uint32_t flags = draft->flags | (draft->mode & TL_MODE_WORDS ? TL_RECORD_WORDS : 0) |
			 (tl_draft_has_cause(draft) ? TL_RECORD_CAUSE : 0);

	tl_record_commit(record, tl_record_head(size, flags, draft->id));
}

static TL_ALWAYS_INLINE void tl_draft_record(struct tl_thread *thread, const struct tl_draft *draft)
{
	uint64_t *record = tl_record_reserve(thread, tl_draft_size(draft));

	if (!record)
		return;
	tl_draft_fill(record, draft);
	tl_draft_commit(record, tl_draft_size(draft), draft);
}

static TL_ALWAYS_INLINE void tl_draft_capture_exit(struct tl_producer *producer,
						   const struct tl_open_call *open,
						   struct tl_draft *draft, bool *cut)
{
	const struct tl_function *function = draft->function;
	bool failed = tl_call_failed(function, draft->result);

	if (TL_UNLIKELY(function->flags & (TL_FUNCTION_TEXT | TL_FUNCTION_ERRNO)) &&
	    tl_scratch_capture_result(producer, open, function, draft->result, failed))
		draft->flags |= TL_RECORD_RESULT;
	if (!failed)
		tl_scratch_capture_exit(producer, open, function, draft->words, cut);
}

/*
 * `stack`: the number of the stack's text, which becomes the record's last word; 0, as in the calls
 * that have to be fast: none.
 */
static TL_ALWAYS_INLINE void tl_draft_commit_stacked(uint64_t *record, uint64_t size,
						     struct tl_draft *draft, uint32_t stack)
{
	if (stack) {
		draft->flags |= TL_RECORD_STACK;
		record[size / 8 - 1] = stack;
	}
	tl_draft_commit(record, size, draft);
}

static TL_ALWAYS_INLINE void tl_draft_capture_and_record(struct tl_thread *thread,
							 const struct tl_open_call *open,
							 struct tl_draft *draft, uint32_t stack)
{
	struct tl_producer *producer = tl_producer_of(thread);
	struct tl_blob_sizes *sizes = tl_scratch_sizes(producer, open);
	bool cut = sizes->exit & TL_SCRATCH_CUT;

	sizes->exit = 0;
	if (!(draft->flags & TL_RECORD_UNWOUND))
		tl_draft_capture_exit(producer, open, draft, &cut);
	draft->flags |= cut ? TL_RECORD_BLOBS | TL_RECORD_CUT : TL_RECORD_BLOBS;
	uint64_t blobs = sizeof(*sizes) + sizes->entry + sizes->exit,
		 size = tl_draft_size(draft) + blobs + (stack ? sizeof(uint64_t) : 0);
	uint64_t *record = tl_record_reserve(thread, size);
	if (!record)
		return;
	tl_record_copy_words(tl_draft_fill(record, draft), sizes, blobs / 8);
	tl_draft_commit_stacked(record, size, draft, stack);
}

/* The same with what was captured. `open`: the call's entry. */
void tl_draft_record_captured(struct tl_thread *thread, const struct tl_open_call *open,
			      struct tl_draft *draft);

/* Record a call that left no more than its entry on the stack of open calls. */
void tl_record_left_call(struct tl_thread *thread, const struct tl_open_call *open, uint64_t start,
			 uint64_t duration, struct tl_cause cause);

/*
 * Record a call that has ended. `count`: how many words there are. `stack`: the number of its stack's
 * text; 0: none.
 */
void tl_record_call(const struct tl_call *call, uint64_t end, uint32_t flags, uint64_t result,
		    const uint64_t *words, uint32_t count, uint32_t stack);

#endif
