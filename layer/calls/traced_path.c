/* SPDX-License-Identifier: MIT */
/*
 * traced_path.c: calls that are traced, recorded or not, and nothing else; it passes all others on.
 *
 * Shims come here with every call that the entry does not serve. While a tracer is enabled, most of
 * these are calls of a known function by a known thread, in order. This file serves them without
 * settling calls or looking at the function's description. It reads the clock only for calls that
 * are recorded: once before the real function and once after it. All other calls go on to
 * slow_path.c, which can also end a call that began here: such a call has the same entry on the
 * stack of open calls, the same frame, and the same fields in its struct tl_call, except that the
 * time of a call that is not recorded is 0.
 *
 * What is usual falls through, and the callbacks of a single tracer are called without a loop:
 * jumps that are taken cost more here than instructions, loads and stores.
 */
#include <errno.h>

#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/calls/call_record.h"
#include "layer/calls/call_thread.h"
#include "layer/calls/slow_path.h"
#include "layer/calls/dispatch_table.h"
#include "layer/calls/open_calls.h"
#include "layer/calls/tracer_callbacks.h"
#include "layer/base/cache_near.h"
#include "layer/calls/thread.h"

/* The thread was not busy before. A callback may have begun a request. */
static TL_ALWAYS_INLINE void callbacks_end(struct tl_thread *const *thread)
{
	struct tl_open_call *end = ((struct tl_producer *)*thread)->inline_end;

	if (TL_UNLIKELY(tl_request_inside() || !(*thread)->clock))
		end = NULL;
	(*thread)->busy = 0;
	(*thread)->end = end;
}

/*
 * Callbacks follow, up to the end of the block or an exception: the calls that they make pass
 * unwatched.
 */
#define CALLBACKS(thread_)                                                                         \
	struct tl_thread *const busy_ __attribute__((unused, cleanup(callbacks_end))) = (thread_); \
	(thread_)->busy = 1;                                                                       \
	(thread_)->end = NULL

/*
 * Keeps the parameters' values. Reads whole words even if a parameter is narrower: both lie on the
 * caller's stack.
 */
static inline __attribute__((no_sanitize("address", "thread"))) void
frame_keep_words(struct tl_frame *frame, void *const *params, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		frame->words[i] = *(const volatile uint64_t *)params[i];
}

static TL_ALWAYS_INLINE void
frame_run_prologue(struct tl_frame *frame, const struct tl_entry *entry, uint32_t i, void *params)
{
	void **instance = &frame->instance[i];

	*instance = NULL;
	frame->begun = i + 1;
	if (TL_LIKELY(entry->prologue))
		((tl_typed)entry->prologue)(params, 0, entry->user_data, instance);
}

static TL_ALWAYS_INLINE void frame_run_epilogue(struct tl_frame *frame,
						const struct tl_entry *entry, uint32_t i,
						void *params, uint64_t result)
{
	frame->ended = i + 1; /* first, so that an epilogue that throws isn't run again */
	if (TL_LIKELY(entry->epilogue))
		((tl_typed)entry->epilogue)(params, result, entry->user_data, &frame->instance[i]);
}

/*
 * Those of several tracers. Out of line: the loops keep values over each callback that a single
 * tracer's callbacks do not need.
 */
static TL_NEAR_CODE __attribute__((noinline)) void
frame_run_prologues(struct tl_frame *frame, const struct tl_dispatch *table, void *params)
{
	const struct tl_entry *entry = table->entries;
	const uint32_t count = table->count;

	for (uint32_t i = 0; i < count; i++, entry++)
		frame_run_prologue(frame, entry, i, params);
}

static TL_NEAR_CODE __attribute__((noinline)) void
frame_run_epilogues(struct tl_frame *frame, const struct tl_dispatch *table, void *params,
		    uint64_t result)
{
	const struct tl_entry *entry = table->entries;
	const uint32_t count = table->count;

	for (uint32_t i = 0; i < count; i++, entry++)
		frame_run_epilogue(frame, entry, i, params, result);
}

/* The frame's .caller is for generic callbacks, of which there are none here. */
static TL_ALWAYS_INLINE void frame_begin_plain(struct tl_frame *frame,
					       const struct tl_dispatch *table,
					       const struct tl_call *call)
{
	void *params = (void *)call->params;

	frame->ended = frame->flags = 0;
	frame_keep_words(frame, call->params, table->words);
	if (TL_LIKELY(table->count == 1))
		frame_run_prologue(frame, table->entries, 0, params);
	else
		frame_run_prologues(frame, table, params);
}

/* Claims and fills the call's entry, which `open` points to. */
static TL_ALWAYS_INLINE struct tl_frame *traced_open(struct tl_call *call, struct tl_thread *thread,
						     struct tl_open_call *open,
						     uint64_t mode_and_id)
{
	struct tl_frames *frames = tl_call_thread_of(tl_producer_of(thread))->frames;
	struct tl_frame *frame = &frames->frames[open - thread->open];

	/* Without this, the compiler would multiply again at every use. */
	__asm__("" : "+r"(frame));
	atomic_store_explicit(&thread->top, open + 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	open->start = 0;
	open->mode_and_function = mode_and_id | TL_OPEN_TRACED;
	call->open = open;
	call->mode = (uint32_t)mode_and_id;
	call->request = 0;
	call->thread = thread;
	call->start = 0;
	call->more = frame;
	/*
	 * The rest of the entry is written before .frame makes it valid: for this thread's signal
	 * handlers, and for recovery.
	 */
	atomic_store_explicit(&open->frame, (uintptr_t)call, memory_order_release);
	return frame;
}

static TL_ALWAYS_INLINE void *traced_enter(struct tl_call *call, struct tl_thread *thread,
					   struct tl_open_call *open, uint64_t mode_and_id,
					   bool recorded)
{
	struct tl_frame *frame = traced_open(call, thread, open, mode_and_id);
	const struct tl_dispatch *table = tl_pin(call->shim, frame);
	bool skipped = false;

	if (TL_LIKELY(table != NULL)) {
		/* kept: a callback may fork, and the child has another producer */
		int *error_at = tl_producer_of(thread)->error, error = *error_at;
		{
			CALLBACKS(thread);
			if (TL_LIKELY(table->plain)) {
				frame_begin_plain(frame, table, call);
			} else {
				tl_tracer_prologues(call, frame, table);
				/* Generic callbacks get the time. */
				call->open->start = call->start = tl_ticks(thread);
				skipped = ((struct tl_frame *)call->more)->flags & TL_VIEW_SKIPPED;
			}
		}
		*error_at = error;
	} else {
		call->more = NULL;
	}
	if (TL_UNLIKELY(skipped))
		return NULL;
	/* After the prologues, whose time must not count as the driver's. */
	if (recorded)
		call->open->start = call->start = tl_counter();
	return atomic_load_explicit(&call->shim->real, memory_order_relaxed);
}

static TL_ALWAYS_INLINE bool thread_has_frame(const struct tl_thread *thread,
					      const struct tl_open_call *open,
					      const struct tl_call *call)
{
	return TL_LIKELY(open <
			 tl_call_thread_of((const struct tl_producer *)thread)->framed_end) &&
	       TL_LIKELY(tl_open_frame(&open[-1]) >= call->caller.stack);
}

static bool mode_is_traced_and_recorded(uint32_t mode)
{
	return (mode & ~(uint32_t)TL_MODE_WORDS) == (TL_MODE_TRACERS | TL_MODE_RECORD);
}

/* Calls that are traced and recorded. */
static TL_NEAR_CODE __attribute__((noinline)) void *enter_recorded(struct tl_call *call,
								   uint64_t mode_and_id)
{
	struct tl_thread *thread = tl_self;

	/* .end is NULL inside callbacks and requests, and where the counter is no clock. */
	if (TL_UNLIKELY(!mode_is_traced_and_recorded((uint32_t)mode_and_id) || !thread ||
			!thread->end))
		return tl_call_enter_other(call);
	struct tl_open_call *open = tl_open_top(thread);
	if (TL_UNLIKELY(!thread_has_frame(thread, open, call) ||
			!atomic_load_explicit(&call->shim->real, memory_order_relaxed)))
		return tl_call_enter_other(call);
	return traced_enter(call, thread, open, mode_and_id, true);
}

static TL_NEAR_CODE __attribute__((noinline)) void *enter_by_mode(struct tl_call *call,
								  uint64_t mode_and_id)
{
	return tl_call_is_hooked((uint32_t)mode_and_id) ? tl_call_enter_hooked(call, mode_and_id)
							: enter_recorded(call, mode_and_id);
}

TL_NEAR_CODE void *tl_call_enter(struct tl_call *call)
{
	struct tl_thread *thread = tl_self;
	uint64_t mode_and_id = atomic_load_explicit(&call->shim->mode_and_id, memory_order_relaxed);

	if (TL_UNLIKELY((uint32_t)mode_and_id != TL_MODE_TRACERS))
		return enter_by_mode(call, mode_and_id);
	if (TL_UNLIKELY(!thread) || TL_UNLIKELY(thread->busy))
		return tl_call_enter_other(call);
	struct tl_open_call *open = tl_open_top(thread);
	if (TL_UNLIKELY(!thread_has_frame(thread, open, call)))
		return tl_call_enter_other(call);
	return traced_enter(call, thread, open, mode_and_id, false);
}

static TL_ALWAYS_INLINE void traced_leave(struct tl_call *call, struct tl_frame *frame,
					  const struct tl_dispatch *table, uint64_t result)
{
	struct tl_thread *thread = call->thread;
	void *params = (void *)call->params;
	int *error_at = tl_producer_of(thread)->error, error = *error_at;

	{
		CALLBACKS(thread);
		if (TL_LIKELY(table->count == 1))
			frame_run_epilogue(frame, table->entries, 0, params, result);
		else
			frame_run_epilogues(frame, table, params, result);
	}
	struct tl_open_call *open = call->open;
	tl_unpin(call->more);
	*error_at = error;
	atomic_store_explicit(&open->frame, TL_NO_FRAME, memory_order_relaxed);
	atomic_store_explicit(&thread->top, open, memory_order_release);
}

/*
 * The table that the call has pinned, if it has only plain callbacks, and the call ends in order,
 * on the thread that it began on, and in its process. Else NULL.
 */
static TL_ALWAYS_INLINE const struct tl_dispatch *call_plain_table(const struct tl_call *call,
								   const struct tl_thread *thread)
{
	struct tl_frame *frame = call->more;

	if (TL_UNLIKELY(!frame) || TL_UNLIKELY(!thread) || TL_UNLIKELY(call->thread != thread) ||
	    TL_UNLIKELY(thread->busy) ||
	    TL_UNLIKELY(atomic_load_explicit(&thread->top, memory_order_relaxed) != call->open + 1))
		return NULL;
	const struct tl_dispatch *table = atomic_load_explicit(&frame->pin, memory_order_relaxed);
	return TL_LIKELY(table->plain) ? table : NULL;
}

/*
 * Not by a draft, which compilers keep in memory here, and not with wider stores, as in
 * tl_recorded_store.
 */
static TL_ALWAYS_INLINE void call_record(const struct tl_call *call, uint64_t end, uint64_t result,
					 const uint64_t *words, uint32_t count)
{
	bool with_words = call->mode & TL_MODE_WORDS;
	uint64_t size = sizeof(struct tl_call_record) + (with_words ? 8 * (uint64_t)count : 0);
	_Atomic uint64_t *record = (_Atomic uint64_t *)tl_record_reserve(call->thread, size);

	if (TL_UNLIKELY(!record))
		return;
	atomic_store_explicit(&record[1], call->start, memory_order_relaxed);
	atomic_store_explicit(&record[2], end - call->start, memory_order_relaxed);
	atomic_store_explicit(&record[3], result, memory_order_relaxed);
	for (uint32_t i = 0; with_words && i < count; i++)
		atomic_store_explicit(&record[4 + i], words[i], memory_order_relaxed);
	tl_record_commit((uint64_t *)record, tl_record_head(size, with_words ? TL_RECORD_WORDS : 0,
							    call->open->function));
}

static TL_NEAR_CODE __attribute__((noinline)) void
leave_recorded(struct tl_call *call, uint64_t result, const uint64_t *words, uint32_t count)
{
	struct tl_thread *thread = tl_self;

	const struct tl_dispatch *table =
		mode_is_traced_and_recorded(call->mode) ? call_plain_table(call, thread) : NULL;
	if (TL_UNLIKELY(!table || !thread->end || tl_open_frame(call->open) != (uintptr_t)call))
		return tl_call_leave_other(call, result, words, count);
	uint64_t end = tl_counter();
	call_record(call, end, result, words, count);
	/* An epilogue may throw or be left by longjmp: the call must not be recorded again. */
	call->mode = call->open->mode = TL_MODE_TRACERS;
	call->open->mode |= TL_OPEN_TRACED;
	traced_leave(call, call->more, table, result);
	tl_clock_keep_up(end);
}

static TL_NEAR_CODE __attribute__((noinline)) void
leave_by_mode(struct tl_call *call, uint64_t result, const uint64_t *words, uint32_t count)
{
	if (tl_call_is_hooked(call->mode))
		return tl_call_leave_hooked(call, result, words, count);
	leave_recorded(call, result, words, count);
}

TL_NEAR_CODE void tl_call_leave(struct tl_call *call, uint64_t result, const uint64_t *words,
				uint32_t count)
{
	if (TL_UNLIKELY(call->mode != TL_MODE_TRACERS))
		return leave_by_mode(call, result, words, count);
	const struct tl_dispatch *table = call_plain_table(call, tl_self);
	if (TL_UNLIKELY(!table))
		return tl_call_leave_other(call, result, words, count);
	traced_leave(call, call->more, table, result);
}
