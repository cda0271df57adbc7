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
