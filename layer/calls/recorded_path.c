/* SPDX-License-Identifier: MIT */
/*
 * recorded_path.c: calls that are recorded in the shim's entry (tracelayer/shim.h), as far as the
 * entry leaves work to the library: memory to capture, a full chunk, an end out of order.
 *
 * The words of such a call's parameters lie behind the address of its open call. Those of a call
 * through the generic entry do not, so each function has a second form that takes the words apart.
 */
#include <errno.h>

#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/calls/call_record.h"
#include "layer/calls/captured_memory.h"
#include "layer/calls/open_calls.h"
#include "layer/calls/slow_path.h"

static struct tl_open_call *recorded_open(const uint64_t *recorded)
{
	return (struct tl_open_call *)recorded[0];
}

static struct tl_draft recorded_draft(const struct tl_open_call *open, const uint64_t *words,
				      uint64_t result, uint64_t end)
{
	const struct tl_function *function = tl_call_shim_of(open)->function;

	return (struct tl_draft){.function = function,
				 .id = open->function,
				 .mode = open->mode,
				 .count = open->mode & TL_MODE_WORDS ? function->words : 0,
				 .start = open->start,
				 .end = end,
				 .result = result,
				 .words = words};
}

/* Ends it as a call on the slow path. False: the process was forked inside it, or it was ended. */
static bool recorded_as_traced(struct tl_call *call, const uint64_t *recorded)
{
	struct tl_open_call *open = recorded_open(recorded);

	if (tl_open_frame(open) != (uintptr_t)recorded)
		return false;
	*call = (struct tl_call){.open = open,
				 .shim = tl_call_shim_of(open),
				 .mode = open->mode & TL_MODE_CAPTURED,
				 .start = open->start,
				 .frame = (uintptr_t)recorded,
				 .caller.stack = (uintptr_t)recorded,
				 .thread = tl_buffer_thread_of(open)};
	return true;
}

static __attribute__((noinline)) void recorded_end(const uint64_t *recorded, uint32_t flags,
						   uint64_t result, const uint64_t *words)
{
	struct tl_call call;
	int error = errno;

	if (recorded_as_traced(&call, recorded))
		tl_call_end(&call, flags, result, words, (uint32_t)call.shim->function->words);
	errno = error;
}

/* `mode_and_id`: the shim's. What the library serves here, and what a caller has asked for. */
static TL_ALWAYS_INLINE void *recorded_enter(uint64_t *recorded, struct tl_shim *shim,
					     uintptr_t stack, const uint64_t *words,
					     uint64_t mode_and_id, bool fast)
{
	struct tl_thread *thread = tl_self;
	void *real = atomic_load_explicit(&shim->real, memory_order_relaxed);

	bool captured = (uint32_t)mode_and_id == TL_MODE_CAPTURED;
	if (!thread || !real ||
	    (captured ? shim->function->words > TL_CAPTURE_WORDS
		      : (uint32_t)mode_and_id != TL_MODE_OPEN &&
				!(fast && (uint32_t)mode_and_id == TL_MODE_FAST)))
		return NULL;
	struct tl_open_call *open = tl_open_top(thread);
	if (open >= thread->end || tl_open_frame(open - 1) < stack ||
	    (captured && !tl_scratch_has_room(tl_producer_of(thread))))
		return NULL;
	tl_open_set_top(thread, open + 1);
	recorded[0] = (uintptr_t)open;
	if (captured) {
		struct tl_producer *producer = tl_producer_of(thread);
		uint32_t used = producer->scratch_used;

		open->scratch = used;
		/* In one store: the entry loads all of it when the call ends, and would wait for a second. */
		open->mode_and_function = mode_and_id | TL_OPEN_SCRATCH;
		tl_scratch_fill(producer, open, used, shim->function, words);
	} else {
		open->mode_and_function = mode_and_id;
	}
	open->start = tl_counter();
	/* As in tl_recorded_enter. */
	atomic_store_explicit(&open->frame, (uintptr_t)recorded, memory_order_release);
	return real;
}

void *tl_recorded_enter_captured(uint64_t *recorded, struct tl_shim *shim, uintptr_t stack)
{
	uint64_t mode_and_id = atomic_load_explicit(&shim->mode_and_id, memory_order_relaxed);

	return recorded_enter(recorded, shim, stack, recorded + 1, mode_and_id, false);
}

void *tl_recorded_enter_words(uint64_t *recorded, struct tl_shim *shim, uintptr_t stack,
			      const uint64_t *words, uint32_t mode)
{
	uint64_t mode_and_id = (uint64_t)shim->id << 32 | mode;

	return recorded_enter(recorded, shim, stack, words, mode_and_id, true);
}

/* Whether the call is the innermost, ends on the thread that it began on, and was not changed. */
static bool recorded_is_plain(const struct tl_thread *thread, const struct tl_open_call *open,
			      const uint64_t *recorded, uint32_t mode)
{
	return thread && atomic_load_explicit(&thread->top, memory_order_relaxed) == open + 1 &&
	       tl_open_frame(open) == (uintptr_t)recorded && open->mode == mode;
}

#define WHOLE_MAX 128u /* bytes; memcpy copies more faster */

/*
 * Records a call of which all is captured: its record needs nothing of the tables. Not by a draft, which
 * compilers keep in memory here: loading what was just stored in smaller pieces takes as long as all
 * the rest.
 */
static TL_ALWAYS_INLINE void recorded_whole(struct tl_thread *thread,
					    const struct tl_open_call *open,
					    const struct tl_blob_sizes *sizes, uint64_t result,
					    const uint64_t *words, uint64_t end, bool large)
{
	const uint64_t *blobs = (const uint64_t *)(const void *)(sizes + 1);
	const uint64_t count = sizes->exit >> 8, bytes = sizes->entry,
		       size = sizeof(struct tl_call_record) + 8 * count + sizeof(*sizes) + bytes;
	_Atomic uint64_t *record = (_Atomic uint64_t *)tl_record_reserve(thread, size);

	if (TL_UNLIKELY(!record))
		return;
	uint64_t start = open->start;
	/* Atomic, as in tl_recorded_leave: no compiler makes wider stores of them. */
	atomic_store_explicit(&record[1], start, memory_order_relaxed);
	atomic_store_explicit(&record[2], end - start, memory_order_relaxed);
	atomic_store_explicit(&record[3], result, memory_order_relaxed);
	_Atomic uint64_t *at = record + 4;
	for (uint64_t i = 0; i < count; i++)
		atomic_store_explicit(at++, words[i], memory_order_relaxed);
	atomic_store_explicit(at++, bytes, memory_order_relaxed);
	if (large)
		memcpy((void *)at, blobs, bytes);
	for (uint64_t i = 0; !large && i < bytes / 8; i++)
		atomic_store_explicit(at++, blobs[i], memory_order_relaxed);
	tl_record_commit((uint64_t *)record,
			 tl_record_head(size, TL_RECORD_WORDS | TL_RECORD_BLOBS, open->function));
}

static __attribute__((noinline)) void recorded_large(const uint64_t *recorded, uint64_t result,
						     const uint64_t *words, uint64_t end)
{
	const struct tl_open_call *open = recorded_open(recorded);
	struct tl_thread *thread = tl_self;

	recorded_whole(thread, open, tl_scratch_sizes(tl_producer_of(thread), open), result, words,
		       end, true);
}

/* The same for any other call that is plain. */
static __attribute__((noinline)) void recorded_captured(const uint64_t *recorded, uint64_t result,
							const uint64_t *words, uint64_t end)
{
	struct tl_open_call *open = recorded_open(recorded);
	struct tl_draft draft = recorded_draft(open, words, result, end);

	tl_draft_record_captured(tl_self, open, &draft);
}

static TL_ALWAYS_INLINE void recorded_leave(uint64_t *recorded, uint64_t result,
					    const uint64_t *words)
{
	struct tl_open_call *open = recorded_open(recorded);
	struct tl_thread *thread = tl_self;

	if (TL_UNLIKELY(!recorded_is_plain(thread, open, recorded,
					   TL_MODE_CAPTURED | TL_OPEN_SCRATCH))) {
		if (!recorded_is_plain(thread, open, recorded, TL_MODE_OPEN)) {
			recorded_end(recorded, 0, result, words);
			return;
		}
		tl_open_clear(open);
		tl_open_set_top(thread, open);
		return;
	}
	uint64_t end = tl_counter();
	const struct tl_blob_sizes *sizes = tl_scratch_sizes(tl_producer_of(thread), open);
	if (TL_UNLIKELY(!(sizes->exit & TL_SCRATCH_WHOLE)))
		recorded_captured(recorded, result, words, end);
	else if (TL_UNLIKELY(sizes->entry > WHOLE_MAX))
		recorded_large(recorded, result, words, end);
	else
		recorded_whole(thread, open, sizes, result, words, end, false);
	tl_scratch_release(thread, open);
	tl_open_clear(open);
	tl_open_set_top(thread, open);
	tl_clock_keep_up(end);
}

uint64_t tl_recorded_leave_slow(uint64_t *recorded, uint64_t result)
{
	recorded_leave(recorded, result, recorded + 1);
	return result;
}

void tl_recorded_leave_words(uint64_t *recorded, uint64_t result, const uint64_t *words)
{
	recorded_leave(recorded, result, words);
}

void tl_recorded_unwound(uint64_t *recorded)
{
	recorded_end(recorded, TL_RECORD_UNWOUND, 0, recorded + 1);
}

void tl_recorded_unwound_words(uint64_t *recorded, const uint64_t *words)
{
	recorded_end(recorded, TL_RECORD_UNWOUND, 0, words);
}

static TL_ALWAYS_INLINE void recorded_leave_full(uint64_t *recorded, uint64_t result, uint64_t at,
						 uint64_t end, const uint64_t *words)
{
	struct tl_thread *thread = tl_self;
	struct tl_open_call *open = recorded_open(recorded);
	struct tl_draft draft = recorded_draft(open, words, result, end);
	uint64_t size = tl_draft_size(&draft);
	uint64_t *record = tl_record_reserve_slow(thread, size, at);

	if (record) {
		tl_record_sized(record, size);
		tl_draft_fill(record, &draft);
		tl_draft_commit(record, size, &draft);
	}
	tl_open_clear(open);
	tl_open_set_top(thread, open);
}

uint64_t tl_recorded_leave_full(uint64_t *recorded, uint64_t result, uint64_t at, uint64_t end)
{
	recorded_leave_full(recorded, result, at, end, recorded + 1);
	return result;
}

void tl_recorded_leave_full_words(uint64_t *recorded, uint64_t result, uint64_t at, uint64_t end,
				  const uint64_t *words)
{
	recorded_leave_full(recorded, result, at, end, words);
}
