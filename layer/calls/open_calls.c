/* SPDX-License-Identifier: MIT */
/*
 * open_calls.c: see open_calls.h.
 *
 * Calls that never return
 *
 * An exception, a cancellation or pthread_exit runs the shim's cleanup, and so tl_call_unwound.
 * After a longjmp nothing runs: the call's entry stays on the stack of open calls. The entry is
 * found when a later call's part of the stack does not lie below it, or when an outer call returns
 * and is not on top. Neither proves that the inner call is over: it may live on another stack (of a
 * signal handler, or a coroutine), and an outer call must never be ended by mistake. longjmp.c
 * finds out. A call that may go on is suspect: later calls ask about it again. If it turns out to
 * be over, it counts as ended at the time when it became suspect. What is left at the thread's end
 * is ended then.
 *
 * A call that was left may also look like an outer one, if later frames cover it without having
 * written there. That does harm in four places only: in destroy, when a thread seems to be inside a
 * callback; when calls inside of calls are not wanted; and when the stack of open calls is full.
 * These ask about such calls, too.
 */
#include "layer/calls/open_calls.h"

#include "layer/calls/call_record.h"
#include "layer/calls/call_thread.h"
#include "layer/calls/call_tracing.h"
#include "layer/calls/hook.h"
#include "layer/calls/longjmp.h"
#include "layer/calls/request.h"
#include "layer/calls/thread.h"

static void open_suspect(struct tl_open_call *open, uint64_t now)
{
	uint64_t lasted = (now - open->start) / 256;

	if (open->mode & TL_OPEN_SUSPECT)
		return;
	open->lasted = lasted < UINT32_MAX ? (uint32_t)lasted : UINT32_MAX;
	open->mode |= TL_OPEN_SUSPECT;
}

/* Takes the entry of a call that never returned off the stack, and records the call. */
static void open_pop_left(struct tl_thread *thread, struct tl_open_call *open, uint64_t now)
{
	struct tl_frame *frame = tl_open_tracing(thread, open);
	/* A call that was left before the driver was called has not begun. */
	uint64_t start = open->start ? open->start : now, duration = now - start;

	if (open->mode & TL_OPEN_SUSPECT && duration > (uint64_t)open->lasted * 256)
		duration = (uint64_t)open->lasted * 256;
	tl_scratch_release(thread, open);
	struct tl_cause cause = open->mode & TL_MODE_DEVICE
					? tl_hook_abandon(thread, open, now)
					: (struct tl_cause){0, tl_request_current()};
	if (tl_open_frame(open) != TL_NO_FRAME)
		tl_record_left_call(thread, open, start, duration, cause);
	open->mode = 0;
	if (frame) {
		tl_frame_set_times(frame, start, start + duration);
		tl_call_abandon(thread, open, frame);
	}
	tl_open_clear(open);
	tl_open_set_top(thread, open);
}

void tl_open_settle(struct tl_thread *thread, const struct tl_open_call *bottom,
		    struct tl_caller caller, bool returned, uint64_t now)
{
	struct tl_open_call *top;

	while ((top = tl_open_top(thread)) > bottom) {
		struct tl_open_call *open = top - 1;
		if (tl_open_frame(open) == TL_NO_FRAME) {
			/* Interrupted while its entry was made or removed. */
			if (!(open->mode & TL_OPEN_FINISHED))
				return;
		} else if (!returned && tl_open_frame(open) >= caller.stack &&
			   !(open->mode & TL_OPEN_SUSPECT)) {
			return; /* an ordinary outer call */
		}
		now = now ? now : tl_ticks(thread);
		if (tl_open_frame(open) != TL_NO_FRAME &&
		    tl_left_ask(thread, open, caller) != TL_LEFT_YES) {
			open_suspect(open, now);
			return;
		}
		open_pop_left(thread, open, now);
	}
}

void tl_open_settle_all(struct tl_thread *thread, struct tl_caller caller)
{
	struct tl_open_call *top;

	while ((top = tl_open_top(thread)) > thread->open) {
		struct tl_open_call *open = top - 1;
		if (tl_open_frame(open) == TL_NO_FRAME
			    ? !(open->mode & TL_OPEN_FINISHED)
			    : tl_left_ask(thread, open, caller) != TL_LEFT_YES)
			return;
		open_pop_left(thread, open, tl_ticks(thread));
	}
}

void tl_call_end_inner(struct tl_call *call, uint64_t now)
{
	struct tl_open_call *open = call->open;

	if (open && tl_open_frame(open) == call->frame && tl_open_top(call->thread) > open + 1)
		tl_open_settle(call->thread, open + 1, (struct tl_caller){NULL, call->frame}, true,
			       now);
}

void tl_call_close_entry(struct tl_call *call)
{
	struct tl_thread *thread = call->thread;
	struct tl_open_call *open = call->open;

	if (!open || tl_open_frame(open) != call->frame)
		return;
	if (tl_open_top(thread) > open + 1) {
		open->mode |= TL_OPEN_FINISHED;
		atomic_store_explicit(&open->frame, TL_NO_FRAME, memory_order_relaxed);
		return;
	}
	tl_open_pop(thread, open);
}

void tl_call_end_all(struct tl_thread *thread)
{
	struct tl_open_call *top;
	uint64_t now = tl_ticks(thread);

	while ((top = tl_open_top(thread)) > thread->open)
		open_pop_left(thread, top - 1, now);
	tl_call_thread_of(tl_producer_of(thread))->full = 0;
	tl_buffer_lose_unentered(tl_producer_of(thread));
}

bool tl_thread_is_in_callback(struct tl_thread *thread, struct tl_caller caller)
{
	struct tl_open_call *top = tl_open_top(thread);

	if (!thread->busy)
		return false;
	if (top == thread->open || tl_open_frame(top - 1) == TL_NO_FRAME)
		return true;
	enum tl_left left = tl_left_ask(thread, top - 1, caller);
	if (left == TL_LEFT_NO || left == TL_LEFT_UNKNOWN)
		return true;
	thread->busy = 1;
	tl_thread_free(thread);
	return false;
}

void tl_call_end_left(struct tl_thread *thread, struct tl_caller caller)
{
	if (!tl_thread_is_in_callback(thread, caller))
		tl_open_settle_all(thread, caller);
}
