/* SPDX-License-Identifier: MIT */
/*
 * call_tracing.h: tracers' callbacks around a call that is served out of line. While they run, the
 * calls that they make pass through.
 */
#ifndef TL_LAYER_CALLS_CALL_TRACING_H
#define TL_LAYER_CALLS_CALL_TRACING_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/calls/tracer_callbacks.h"
#include "tracelayer/shim.h"

/* The frame of an open call that owes epilogues; NULL: it owes none. */
struct tl_frame *tl_open_tracing(struct tl_thread *thread, const struct tl_open_call *open);

/* Run the prologues of a call that has its entry. */
void tl_call_begin_tracing(struct tl_call *call);

/* The call's frame; NULL: no tracer has seen it. */
static inline struct tl_frame *tl_call_tracing(const struct tl_call *call)
{
	return call->mode & TL_MODE_TRACERS ? call->more : NULL;
}

/* A prologue has given the result in the driver's place. */
static inline bool tl_call_is_skipped(const struct tl_call *call)
{
	const struct tl_frame *frame = tl_call_tracing(call);

	return frame && frame->flags & TL_VIEW_SKIPPED;
}

/* What the epilogues are told. */
static inline void tl_frame_set_times(struct tl_frame *frame, uint64_t start, uint64_t end)
{
	frame->start = start ? start : end;
	frame->end = end;
}

/*
 * Run the epilogues that are owed. Also in a process forked inside the call, and on another thread
 * than it began on.
 */
void tl_call_end_tracing(struct tl_call *call, bool unwound);

/*
 * Run the epilogues of an open call that was left. The entry is this function's meanwhile:
 * longjmp.c knows its frame.
 */
void tl_call_abandon(struct tl_thread *thread, struct tl_open_call *open, struct tl_frame *frame);

#endif
