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
 * For a higher room, once, at the start: ask it of each tracer that is created. True: the calling
 * thread is loading a tool, whose tracer this is (tl_tracer_disable_tools).
 */
void tl_tracer_at_create(bool (*of_tool)(void));

/*
 * fork: before (take the lock), after in the parent, after in the child (the frames of other
 * threads are gone).
 */
void tl_tracer_before_fork(void);
/* In a child whose fork nobody announced: whoever had the lock is not here. */
void tl_tracer_before_unseen_fork(void);
void tl_tracer_after_fork_parent(void);
void tl_tracer_after_fork_child(void);

/*
 * A gate for one kind of tracers, which stays open unless somebody shuts it. The callbacks of a
 * tracer that was put behind it (while disabled) run only while the gate is open; all else is as
 * with other tracers. When the gate opens they come in the order of their enabling, behind all that
 * other tracers have enabled by then. tl_tracer_gate opens or shuts it: it is open where `always`,
 * or while the count isn't 0, which is read under the tracers' lock: of several threads that change
 * the count, the last one here leaves the gate as the count is. TL_TRACER_NO_MEMORY: the gate stays
 * as it was.
 */
int tl_tracer_put_behind_gate(struct tl_tracer *handle);
int tl_tracer_gate(bool always, const _Atomic uint32_t *count);

/* Disable those that tools made while they were loaded. */
void tl_tracer_disable_tools(void);

/* tl_tracer_register, for who has the shim at hand. */
int tl_tracer_register_shim(struct tl_tracer *tracer, struct tl_shim *shim, enum tl_phase phase,
			    tl_callback callback);

#endif
