/* SPDX-License-Identifier: MIT */
/*
 * traced_path.c: calls that are traced and nothing else; it passes all others on.
 *
 * Shims come here with every call that the entry does not serve. While a tracer is enabled, most of
 * these are calls of a known function by a known thread, in order, that are not recorded. This file
 * serves them, without reading the clock, settling calls, or looking at the function's description.
 * All other calls go on to slow_path.c, which can also end a call that began here: such a call has
 * the same entry on the stack of open calls, the same frame, and the same fields in its struct
 * tl_call, except that its time is 0.
 */
#include <errno.h>

#include "layer/buffers/buffer.h"
#include "layer/calls/call_thread.h"
#include "layer/calls/slow_path.h"
#include "layer/calls/dispatch_table.h"
#include "layer/calls/tracer_callbacks.h"
#include "layer/base/cache_near.h"
#include "layer/calls/thread.h"

/* A thread that is busy while callbacks run, and was not busy before. */
struct busy {
	struct tl_thread *thread;
	struct tl_open_call *end;
};

static inline void busy_end(const struct busy *busy)
{
	busy->thread->busy = 0;
	/* A callback may have begun a request. */
	busy->thread->end = TL_LIKELY(!tl_request_inside()) ? busy->end : NULL;
}

/*
 * Callbacks follow, up to the end of the block or an exception: the calls that they make pass
 * unwatched.
 */
#define CALLBACKS(thread_)                                                                         \
	struct busy busy_ __attribute__((unused, cleanup(busy_end))) = {.thread = (thread_),       \
									.end = (thread_)->end};    \
	(thread_)->busy = 1;                                                                       \
	(thread_)->end = NULL

/*
 * Keeps the parameters' values. Reads whole words even if a parameter is narrower: both lie on the
 * caller's stack.
 */
static inline __attribute__((no_sanitize("address", "thread"))) void
frame_keep_words(struct tl_frame *frame, const struct tl_call *call, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		frame->words[i] = *(const volatile uint64_t *)call->params[i];
}

/* The frame's .caller is for generic callbacks, of which there are none here. */
static inline void frame_run_plain_prologues(struct tl_call *call, struct tl_frame *frame,
					     struct tl_shim *shim, const struct tl_dispatch *table)
{
	const struct tl_entry *entry = table->entries;
	void *params = (void *)call->params;
	uint32_t count = table->count, i = 0;

	frame->shim = shim;
	frame->ended = frame->flags = 0;
	frame_keep_words(frame, call, table->words);
	do {
		void **instance = &frame->instance[i];
		*instance = NULL;
		frame->begun = ++i;
		if (TL_LIKELY(entry->prologue))
			((tl_typed)entry->prologue)(params, 0, entry->user_data, instance);
		entry++;
	} while (i < count);
}

static inline void frame_run_plain_epilogues(struct tl_call *call, struct tl_frame *frame,
					     const struct tl_dispatch *table, uint64_t result)
{
	const struct tl_entry *entry = table->entries;
	void *params = (void *)call->params;
	uint32_t count = table->count, i = 0;

	do {
		void **instance = &frame->instance[i];
		frame->ended = ++i; /* first, so that an epilogue that throws isn't run again */
		if (TL_LIKELY(entry->epilogue))
			((tl_typed)entry->epilogue)(params, result, entry->user_data, instance);
		entry++;
	} while (i < count);
}

static void *traced_enter(struct tl_call *call, struct tl_thread *thread, struct tl_open_call *open,
			  uint64_t mode_and_id)
{
	struct tl_producer *producer = (struct tl_producer *)thread;
	struct tl_frame *frame = &tl_call_thread_of(producer)->frames->frames[open - thread->open];
	struct tl_shim *shim = call->shim;
	void *real = atomic_load_explicit(&shim->real, memory_order_relaxed);

	/* Without this, the compiler would multiply again at every use. */
	__asm__("" : "+r"(frame));
	atomic_store_explicit(&thread->top, open + 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	open->start = 0;
	open->mode_and_function = mode_and_id | TL_OPEN_TRACED;
	call->open = open;
	call->frame = (uintptr_t)call;
	call->mode = TL_MODE_TRACERS;
	call->thread = thread;
	call->start = 0;
	call->more = frame;
	/*
	 * The rest of the entry is written before .frame makes it valid: for this thread's signal
	 * handlers, and for recovery.
	 */
	atomic_store_explicit(&open->frame, (uintptr_t)call, memory_order_release);

	const struct tl_dispatch *table = tl_pin(shim, frame);
	if (TL_UNLIKELY(!table)) {
		call->more = NULL;
		return real;
	}
	/* kept: a callback may fork, and the child has another producer */
	int *error_at = producer->error, error = *error_at;
	{
		CALLBACKS(thread);
		if (TL_LIKELY(table->plain)) {
			frame_run_plain_prologues(call, frame, shim, table);
		} else {
			tl_tracer_prologues(call, frame, table);
			/* Generic callbacks get the time. */
			open->start = call->start = tl_ticks(thread);
		}
	}
	*error_at = error;
	return TL_UNLIKELY(frame->flags & TL_VIEW_SKIPPED) ? NULL : real;
}

TL_NEAR_CODE void *tl_call_enter(struct tl_call *call)
{
	struct tl_thread *thread = tl_self;
	uint64_t mode_and_id = atomic_load_explicit(&call->shim->mode_and_id, memory_order_relaxed);

	if (TL_UNLIKELY(tl_call_is_hooked((uint32_t)mode_and_id)))
		return tl_call_enter_hooked(call, mode_and_id);
	if (TL_UNLIKELY(!thread || (uint32_t)mode_and_id != TL_MODE_TRACERS || thread->busy))
		return tl_call_enter_other(call);
	struct tl_open_call *open = atomic_load_explicit(&thread->top, memory_order_relaxed);
	if (TL_UNLIKELY(open >= tl_call_thread_of((struct tl_producer *)thread)->framed_end ||
			atomic_load_explicit(&open[-1].frame, memory_order_relaxed) <
				call->caller.stack))
		return tl_call_enter_other(call);
	return traced_enter(call, thread, open, mode_and_id);
}

static void traced_leave(struct tl_call *call, struct tl_thread *thread, struct tl_frame *frame,
			 const struct tl_dispatch *table, uint64_t result)
{
	struct tl_producer *producer = (struct tl_producer *)thread;
	struct tl_open_call *open = call->open;
	int *error_at = producer->error, error = *error_at;

	{
		CALLBACKS(thread);
		frame_run_plain_epilogues(call, frame, table, result);
	}
	tl_unpin(frame);
	*error_at = error;
	atomic_store_explicit(&open->frame, TL_NO_FRAME, memory_order_relaxed);
	atomic_store_explicit(&thread->top, open, memory_order_release);
}

TL_NEAR_CODE void tl_call_leave(struct tl_call *call, uint64_t result, const uint64_t *words,
				uint32_t count)
{
	struct tl_thread *thread = tl_self;
	struct tl_frame *frame = call->more;

	if (TL_UNLIKELY(tl_call_is_hooked(call->mode)))
		return tl_call_leave_hooked(call, result, words, count);
	/*
	 * The call is not recorded, in order, on the thread that it began on, and in its process.
	 */
	if (TL_UNLIKELY(call->mode != TL_MODE_TRACERS || !frame || !thread ||
			call->thread != thread || thread->busy ||
			atomic_load_explicit(&thread->top, memory_order_relaxed) != call->open + 1))
		return tl_call_leave_other(call, result, words, count);
	const struct tl_dispatch *table = atomic_load_explicit(&frame->pin, memory_order_relaxed);
	if (TL_UNLIKELY(!table->plain))
		return tl_call_leave_other(call, result, words, count);
	traced_leave(call, thread, frame, table, result);
}
