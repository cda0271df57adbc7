/* SPDX-License-Identifier: MIT */
/*
 * call_tracing.c: see call_tracing.h.
 */
#include "layer/calls/call_tracing.h"

#include "layer/calls/call_thread.h"
#include "layer/calls/open_calls.h"
#include "layer/calls/thread.h"

struct tl_frame *tl_open_tracing(struct tl_thread *thread, const struct tl_open_call *open)
{
	struct tl_frames *block = tl_call_thread_of(tl_producer_of(thread))->frames;
	uint32_t index = (uint32_t)(open - thread->open);

	if (!block || index >= atomic_load_explicit(&block->used, memory_order_relaxed) ||
	    !tl_frame_in_use(&block->frames[index]))
		return NULL;
	return &block->frames[index];
}

static void thread_free_again(struct tl_thread **thread)
{
	if (*thread)
		tl_thread_free(*thread);
}

/*
 * Callbacks follow, up to the end of the block or an exception: the calls that they make pass
 * unwatched.
 */
#define WHILE_BUSY(thread)                                                                         \
	struct tl_thread *busy_ __attribute__((cleanup(thread_free_again))) = (thread);            \
	if (busy_)                                                                                 \
	tl_thread_busy(busy_)

void tl_call_begin_tracing(struct tl_call *call)
{
	struct tl_producer *producer = tl_producer_of(call->thread);
	struct tl_call_thread *calls = tl_call_thread_of(producer);
	uint32_t depth = (uint32_t)(call->open - call->thread->open);

	if (!calls->frames)
		calls->frames =
			tl_tracer_frames((uint32_t)(producer->open_end - call->thread->open));
	if (!calls->frames)
		return;
	struct tl_frame *frame = tl_frame_at(calls->frames, depth);
	calls->framed_end = call->thread->open +
			    atomic_load_explicit(&calls->frames->used, memory_order_relaxed);
	if (calls->framed_end > producer->inline_end)
		calls->framed_end = producer->inline_end;
	call->more = frame; /* before an exception can be thrown */
	WHILE_BUSY(call->thread);
	if (!tl_tracer_enter(call, frame))
		call->more = NULL;
}

void tl_call_end_tracing(struct tl_call *call, bool unwound)
{
	struct tl_frame *frame = tl_call_tracing(call);

	if (!frame || !tl_frame_in_use(frame))
		return;
	WHILE_BUSY(tl_self);
	if (unwound)
		tl_tracer_unwind(call, frame);
	else
		tl_tracer_leave(call, frame);
}

/*
 * Until the epilogues have run, the entry belongs to this function. If an epilogue leaves by
 * longjmp, later questions find this function gone, as they would find a call gone.
 */
__attribute__((noinline)) void tl_call_abandon(struct tl_thread *thread, struct tl_open_call *open,
					       struct tl_frame *frame)
{
	struct tl_call here = {.open = open};

	atomic_store_explicit(&open->frame, (uintptr_t)&here, memory_order_release);
	WHILE_BUSY(thread);
	tl_tracer_abandon(frame);
	/* Else a later question could find `here` in memory that nothing has overwritten. */
	here.open = NULL;
	__asm__ volatile("" : : "r"(&here) : "memory");
}
