/* SPDX-License-Identifier: MIT */
/*
 * call_tracing.h: tracers' callbacks around a call on the slow path. While they run, the calls that
 * they make pass unwatched.
 */
#ifndef TL_LAYER_CALLS_CALL_TRACING_H
#define TL_LAYER_CALLS_CALL_TRACING_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/calls/tracer_callbacks.h"
#include "tracelayer/shim.h"

/* The frame of an open call whose epilogues have not run; NULL: it owes none. */
struct tl_frame *tl_open_tracing(struct tl_thread *thread, const struct tl_open_call *open);

/* Run the prologues of a call that has its entry on the stack of open calls. */
void tl_call_begin_tracing(struct tl_call *call);

/* The call's frame; NULL: no tracer has seen it. */
static inline struct tl_frame *tl_call_tracing(const struct tl_call *call)
{
	return call->mode & TL_MODE_TRACERS ? call->more : NULL;
}

/* A prologue has given a result, so the driver is not called. */
static inline bool tl_call_is_skipped(const struct tl_call *call)
{
	const struct tl_frame *frame = tl_call_tracing(call);

	return frame && frame->flags & TL_VIEW_SKIPPED;
}

/* The times that the epilogues get. */
static inline void tl_frame_set_times(struct tl_frame *frame, uint64_t start, uint64_t end)
{
	frame->start = start ? start : end;
	frame->end = end;
}

/*
 * Run the epilogues that are owed. Also in a process that was forked inside the call, and on
 * another thread than the call began on.
 */
void tl_call_end_tracing(struct tl_call *call, bool unwound);

/*
 * Run the epilogues of an open call that was left. Meanwhile the entry belongs to this function:
 * longjmp.c knows its frame.
 */
void tl_call_abandon(struct tl_thread *thread, struct tl_open_call *open, struct tl_frame *frame);

#endif
