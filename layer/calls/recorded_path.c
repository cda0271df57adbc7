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

/*
 * A call of a function whose plan is a single step, as most are that have one: does what
 * recorded_enter_other does, without a walk over steps and without calls. It looks for all that can be
 * in the way before it stores anything. NULL: something is.
 */
static TL_ALWAYS_INLINE void *recorded_enter_single(uint64_t *recorded, const struct tl_shim *shim,
						    uintptr_t stack, const uint64_t *words,
						    uint64_t mode_and_id)
{
	const struct tl_capture_place *place = &tl_capture_places[TL_CAPTURE_PLACE(shim->function)];
	struct tl_thread *thread = tl_thread_self();

	if (TL_UNLIKELY(atomic_load_explicit(&place->single, memory_order_acquire) !=
				shim->function ||
			!thread || !atomic_load_explicit(&shim->real, memory_order_relaxed)))
		return NULL;
	struct tl_open_call *open = tl_open_top(thread);
	struct tl_producer *producer = tl_producer_of(thread);
	const uint32_t used = producer->scratch_used;
	char *scratch = producer->scratch;
	uint64_t step = atomic_load_explicit(&place->plan, memory_order_relaxed) >> TL_CAPTURE_HEAD;
	const char *from = (const char *)(uintptr_t)words[TL_CAPTURE_WORD(step)];
	if (TL_UNLIKELY(open >= thread->end || tl_open_frame(open - 1) < stack || !from ||
			!scratch ||
			used > TL_SCRATCH - sizeof(struct tl_blob_sizes) - TL_CAPTURE_PLANNED))
		return NULL;
	tl_open_set_top(thread, open + 1);
	recorded[0] = (uintptr_t)open;
	open->mode_and_function = mode_and_id | TL_OPEN_SCRATCH;
	open->scratch = used;
	/* First claim the room: a signal handler that comes in between captures behind it. */
	uint64_t sizes = atomic_load_explicit(&place->sizes, memory_order_relaxed);
	producer->scratch_used = used + (uint32_t)sizeof(struct tl_blob_sizes) + (uint32_t)sizes;
	atomic_signal_fence(memory_order_seq_cst);
	*(tl_scratch_head *)(void *)(scratch + used) = sizes;
	uint64_t *out = (uint64_t *)(void *)(scratch + used + sizeof(sizes));
	uint64_t blob = atomic_load_explicit(&place->blob, memory_order_relaxed);
	*out = blob;
	tl_capture_copy(out + 1, from, blob);
	open->start = tl_counter();
	/* As in tl_recorded_enter. */
	atomic_store_explicit(&open->frame, (uintptr_t)recorded, memory_order_release);
	/* Loaded again: it is never taken back, and would need a register meanwhile. */
	void *real = atomic_load_explicit(&shim->real, memory_order_relaxed);
	if (!real)
		__builtin_unreachable();
	return real;
}

/* `mode_and_id`: the shim's. What the library serves here, and what a caller has asked for. */
static __attribute__((noinline)) void *recorded_enter_other(uint64_t *recorded,
							    struct tl_shim *shim, uintptr_t stack,
							    const uint64_t *words,
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

static TL_ALWAYS_INLINE void *recorded_enter(uint64_t *recorded, struct tl_shim *shim,
					     uintptr_t stack, const uint64_t *words,
					     uint64_t mode_and_id, bool fast)
{
	if (TL_LIKELY((uint32_t)mode_and_id == TL_MODE_CAPTURED)) {
		void *real = recorded_enter_single(recorded, shim, stack, words, mode_and_id);
		if (TL_LIKELY(real != NULL))
			return real;
	}
	return recorded_enter_other(recorded, shim, stack, words, mode_and_id, fast);
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

/* Whether the call is the innermost, and ends on the thread that it began on. */
static bool recorded_is_innermost(const struct tl_thread *thread, const struct tl_open_call *open,
				  const uint64_t *recorded)
{
	return thread && atomic_load_explicit(&thread->top, memory_order_relaxed) == open + 1 &&
	       tl_open_frame(open) == (uintptr_t)recorded;
}

#define WHOLE_MAX 128u /* bytes; memcpy copies more faster */

/* `mode_and_function`: the open call's. */
static TL_ALWAYS_INLINE void recorded_commit(uint64_t *record, uint64_t words,
					     uint64_t mode_and_function)
{
	const uint64_t mode = TL_MODE_CAPTURED | TL_OPEN_SCRATCH;

	tl_record_commit(record, mode_and_function - mode +
					 tl_record_head(0, TL_RECORD_WORDS | TL_RECORD_BLOBS, 0) +
					 words);
}

/* Fills the record of a call of which all is captured, but for its head. Returns where the blobs go. */
static TL_ALWAYS_INLINE _Atomic uint64_t *recorded_fill(uint64_t *record,
							const struct tl_open_call *open,
							uint64_t head, uint64_t result,
							const uint64_t *words, uint64_t end)
{
	/* Atomic, as in tl_recorded_leave: no compiler makes wider stores of them. */
	_Atomic uint64_t *to = (_Atomic uint64_t *)record;
	uint64_t start = open->start, count = TL_SCRATCH_WORDS(head >> 32);

	atomic_store_explicit(&to[1], start, memory_order_relaxed);
	atomic_store_explicit(&to[2], end - start, memory_order_relaxed);
	atomic_store_explicit(&to[3], result, memory_order_relaxed);
	to += 4;
	for (uint64_t i = 0; i < count; i++)
		atomic_store_explicit(&to[i], words[i], memory_order_relaxed);
	atomic_store_explicit(&to[count], (uint32_t)head, memory_order_relaxed);
	return to + count + 1;
}

/* A call that captured memory is over: its entry is free. */
static TL_ALWAYS_INLINE void recorded_close(struct tl_thread *thread, struct tl_open_call *open)
{
	tl_producer_of(thread)->scratch_used = open->scratch;
	tl_open_clear(open);
	tl_open_set_top(thread, open);
}

/*
 * The rest of recorded_leave is out of line, and returns the result, so that recorded_leave has
 * nothing to keep over a call.
 *
 * A record that is large, or does not fit at the position `at`, where its place was reserved.
 */
static __attribute__((noinline)) uint64_t recorded_large(uint64_t *recorded, uint64_t result,
							 const uint64_t *words, uint64_t end,
							 uint64_t at)
{
	struct tl_open_call *open = recorded_open(recorded);
	struct tl_thread *thread = tl_self;
	const struct tl_blob_sizes *sizes = tl_scratch_sizes(tl_producer_of(thread), open);
	uint64_t head = *(const tl_scratch_head *)sizes, count = TL_SCRATCH_RECORD(head >> 32);
	uint64_t *record = (uint64_t *)(uintptr_t)TL_POSITION_ADDRESS(at);

	/* As tl_record_reserve. */
	if (thread->limit - at - 8 * count > TL_CHUNK_MAX)
		record = tl_record_reserve_slow(thread, 8 * count, at);
	if (record) {
		tl_record_sized(record, 8 * count);
		memcpy((void *)recorded_fill(record, open, head, result, words, end), sizes + 1,
		       (uint32_t)head);
		recorded_commit(record, count, open->mode_and_function);
	}
	recorded_close(thread, open);
	tl_clock_keep_up(end);
	return result;
}

/* A call of which more is captured now that it has ended. */
static __attribute__((noinline)) uint64_t recorded_captured(uint64_t *recorded, uint64_t result,
							    const uint64_t *words, uint64_t end)
{
	struct tl_open_call *open = recorded_open(recorded);
	struct tl_thread *thread = tl_self;
	struct tl_draft draft = recorded_draft(open, words, result, end);

	tl_draft_record_captured(thread, open, &draft);
	recorded_close(thread, open);
	tl_clock_keep_up(end);
	return result;
}

/* A call that has captured nothing and was only open, or one that is not plain. */
static __attribute__((noinline)) uint64_t recorded_leave_other(uint64_t *recorded, uint64_t result,
							       const uint64_t *words)
{
	struct tl_open_call *open = recorded_open(recorded);
	struct tl_thread *thread = tl_self;

	if (recorded_is_innermost(thread, open, recorded) && open->mode == TL_MODE_OPEN) {
		tl_open_clear(open);
		tl_open_set_top(thread, open);
	} else {
		recorded_end(recorded, 0, result, words);
	}
	return result;
}

static __attribute__((noinline)) uint64_t recorded_clock_pair(uint64_t result)
{
	tl_clock_pair();
	return result;
}

/*
 * A call of which all is captured has a record that needs nothing of the tables. It is not made by a
 * draft, which compilers keep in memory here: loading what was just stored in smaller pieces takes as
 * long as all the rest.
 */
static TL_ALWAYS_INLINE uint64_t recorded_leave(uint64_t *recorded, uint64_t result,
						const uint64_t *words)
{
	struct tl_open_call *open = recorded_open(recorded);
	struct tl_thread *thread = tl_thread_self();

	if (TL_UNLIKELY(!recorded_is_innermost(thread, open, recorded)))
		return recorded_leave_other(recorded, result, words);
	uint64_t mode_and_function = open->mode_and_function;
	if (TL_UNLIKELY((uint32_t)mode_and_function != (TL_MODE_CAPTURED | TL_OPEN_SCRATCH)))
		return recorded_leave_other(recorded, result, words);
	uint64_t end = tl_counter();
	const struct tl_blob_sizes *sizes = tl_scratch_sizes(tl_producer_of(thread), open);
	const uint64_t *blobs = (const uint64_t *)(const void *)(sizes + 1);
	uint64_t head = *(const tl_scratch_head *)sizes, count = TL_SCRATCH_RECORD(head >> 32);
	if (TL_UNLIKELY(!(head >> 32 & TL_SCRATCH_WHOLE)))
		return recorded_captured(recorded, result, words, end);
	uint64_t at = tl_advance(&thread->position, 8 * count);
	/* As tl_record_reserve. */
	if (TL_UNLIKELY(thread->limit - at - 8 * count > TL_CHUNK_MAX ||
			(uint32_t)head > WHOLE_MAX))
		return recorded_large(recorded, result, words, end, at);
	uint64_t *record = (uint64_t *)(uintptr_t)TL_POSITION_ADDRESS(at);
	tl_record_sized(record, 8 * count);
	_Atomic uint64_t *to = recorded_fill(record, open, head, result, words, end);
	for (uint64_t i = 0; i < (uint32_t)head / 8; i++)
		atomic_store_explicit(&to[i], blobs[i], memory_order_relaxed);
	recorded_commit(record, count, mode_and_function);
	recorded_close(thread, open);
	if (TL_UNLIKELY(tl_clock_is_due(end)))
		return recorded_clock_pair(result);
	return result;
}

uint64_t tl_recorded_leave_slow(uint64_t *recorded, uint64_t result)
{
	return recorded_leave(recorded, result, recorded + 1);
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
