/* SPDX-License-Identifier: MIT */
/*
 * tracers.h: what other rooms and interfaces need of tracers besides the public side
 * (tracelayer/tracer.h). tracer_callbacks.h has what calls need.
 */
#ifndef TL_LAYER_CALLS_TRACERS_H
#define TL_LAYER_CALLS_TRACERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracelayer/shim.h"
#include "tracelayer/tracer.h"

/*
 * For a higher room, once, at the start: `of_tool` is called for each tracer that is created. True:
 * the calling thread is loading a tool, and the tracer belongs to that (tl_tracer_disable_tools).
 */
void tl_tracer_at_create(bool (*of_tool)(void));

/*
 * Around a fork: before it (takes the lock), after it in the parent, after it in the child (the
 * frames of other threads are free).
 */
void tl_tracer_before_fork(void);
/*
 * In a child whose parent ran no fork handlers: the thread that had the lock does not exist here.
 */
void tl_tracer_before_unseen_fork(void);
void tl_tracer_after_fork_parent(void);
void tl_tracer_after_fork_child(void);

/*
 * A gate for one kind of tracers, which is open unless somebody shuts it. The callbacks of a tracer
 * that was put behind it (while disabled) run only while the gate is open; all else is as with
 * other tracers. When the gate opens, its tracers come in the order of their enabling, behind all
 * tracers that are enabled by then. tl_tracer_gate opens or shuts it: it is open if `always`, or
 * while the count isn't 0. The count is read under the tracers' lock: if several threads change the
 * count, the last one here leaves the gate as the count is. TL_TRACER_NO_MEMORY: the gate stays as
 * it was.
 */
int tl_tracer_put_behind_gate(struct tl_tracer *handle);
int tl_tracer_gate(bool always, const _Atomic uint32_t *count);

/* Disable the tracers that tools made while they were loaded. */
void tl_tracer_disable_tools(void);

/* tl_tracer_register, for callers that have the shim. */
int tl_tracer_register_shim(struct tl_tracer *tracer, struct tl_shim *shim, enum tl_phase phase,
			    tl_callback callback);

#endif
