/* SPDX-License-Identifier: MIT */
/*
 * tracer_callbacks.h: running the prologues and epilogues of one call.
 */
#ifndef TL_LAYER_CALLS_TRACER_CALLBACKS_H
#define TL_LAYER_CALLS_TRACER_CALLBACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/calls/tracer_frames.h"
#include "tracelayer/shim.h"

/* The result is not in an integer register: there is none, or it is a floating-point number. */
static inline bool tl_function_is_unusual(const struct tl_function *function)
{
	return function->result->kind == TL_KIND_VOID || function->result->kind == TL_KIND_FLOAT;
}

/*
 * Typed callbacks can take its result. Other results come on the stack or in several registers:
 * only generic callbacks can take those.
 */
static inline bool tl_function_can_be_typed(const struct tl_function *function)
{
	uint8_t kind = function->result->kind;

	return kind != TL_KIND_STRUCT && kind != TL_KIND_UNION && function->result->size <= 8;
}

/* Run the prologues of a table that is pinned already. */
void tl_tracer_prologues(struct tl_call *call, struct tl_frame *frame,
			 const struct tl_dispatch *table);
/*
 * Run the prologues of a call. Returns false if there are no callbacks any more: the frame is then
 * not in use. After true, or after an exception has left it, exactly one of leave, unwind and
 * abandon must follow. frame->flags says if the driver is to be skipped.
 */
bool tl_tracer_enter(struct tl_call *call, struct tl_frame *frame);
/*
 * If the driver was skipped: store the result that a prologue gave where the call's result is.
 * Returns its word.
 */
uint64_t tl_tracer_skipped(struct tl_call *call, struct tl_frame *frame);
/* Run the epilogues; params as for tl_tracer_enter, `result` is the result's place. */
void tl_tracer_leave(struct tl_call *call, struct tl_frame *frame);
/*
 * The same while an exception or a thread's end unwinds the call, also if a callback itself threw.
 */
void tl_tracer_unwind(struct tl_call *call, struct tl_frame *frame);
/* The same for a call that was left by longjmp: its stack is gone. */
void tl_tracer_abandon(struct tl_frame *frame);

#endif
