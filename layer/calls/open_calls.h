/* SPDX-License-Identifier: MIT */
/*
 * open_calls.h: a thread's stack of open calls. The entry of a call is claimed before it is filled
 * and is freed when the call is over, so that signal handlers may make calls at any instruction.
 */
#ifndef TL_LAYER_CALLS_OPEN_CALLS_H
#define TL_LAYER_CALLS_OPEN_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/buffers/buffer.h"
#include "layer/resolve/api_table.h"
#include "tracelayer/shim.h"

static inline struct tl_producer *tl_producer_of(struct tl_thread *thread)
{
	return (struct tl_producer *)thread;
}

static inline struct tl_open_call *tl_open_top(struct tl_thread *thread)
{
	return atomic_load_explicit(&thread->top, memory_order_relaxed);
}

/*
 * Claim or free entries. What follows is not done before, and what precedes not after, as a signal
 * handler sees it.
 */
static inline void tl_open_set_top(struct tl_thread *thread, struct tl_open_call *top)
{
	atomic_store_explicit(&thread->top, top, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
}

static inline uintptr_t tl_open_frame(const struct tl_open_call *open)
{
	return atomic_load_explicit(&open->frame, memory_order_relaxed);
}

static inline void tl_open_clear(struct tl_open_call *open)
{
	atomic_store_explicit(&open->frame, TL_NO_FRAME, memory_order_relaxed);
	open->mode = 0;
}

/* The shim that an open call came through; not a closure's, but that of its function. */
static inline struct tl_shim *tl_call_shim_of(const struct tl_open_call *open)
{
	return &tl_api_library(open->function >> 16)->shims[open->function & 0xffff];
}

/* The call's captured memory (captured_memory.h) is free again. */
static inline void tl_scratch_release(struct tl_thread *thread, const struct tl_open_call *open)
{
	if (open->mode & TL_OPEN_SCRATCH)
		tl_producer_of(thread)->scratch_used = open->scratch;
}

/* The innermost call is over. With it go entries below it whose calls were over before. */
static inline void tl_open_pop(struct tl_thread *thread, struct tl_open_call *open)
{
	tl_scratch_release(thread, open);
	tl_open_clear(open);
	tl_open_set_top(thread, open);
	while (TL_UNLIKELY(open > thread->open && open[-1].mode & TL_OPEN_FINISHED)) {
		tl_open_clear(--open);
		tl_open_set_top(thread, open);
	}
}

/*
 * Each of these ends calls that never returned: open_calls.c says how they are known.
 *
 * End the calls above `bottom` that are known to be over, from the top, as seen from a call whose
 * part of the stack lies below caller.stack: one that is just being made (bottom is the stack's) or
 * that has returned. `now`: ticks, 0 where they are not known yet.
 */
void tl_open_settle(struct tl_thread *thread, const struct tl_open_call *bottom,
		    struct tl_caller caller, bool returned, uint64_t now);

/*
 * The same for those that may also look like outer calls: they lie above us, where a frame that
 * came later has not written to them.
 */
void tl_open_settle_all(struct tl_thread *thread, struct tl_caller caller);

/* A call has returned and is not on top: some above it never did. `now`: as in tl_open_settle. */
void tl_call_end_inner(struct tl_call *call, uint64_t now);

/* Take a call that is over off the stack; it need not be on top. */
void tl_call_close_entry(struct tl_call *call);

/* The calls that found no room for an entry have been left by now: count them as lost. */
void tl_open_count_unentered(struct tl_producer *producer);

/*
 * The thread is inside a callback of its innermost open call. False where the callback was left by
 * longjmp: then the call was left, too, and settling does what it owes. False also while the
 * callback goes on on another stack that the caller has nothing to do with.
 */
bool tl_thread_is_in_callback(struct tl_thread *thread, struct tl_caller caller);

/*
 * The thread ends: calls that are still open were left by longjmp, or by an end without unwinding.
 * They are recorded so.
 */
void tl_call_end_all(struct tl_thread *thread);

/*
 * The same for those open calls that are known to have been left by longjmp. `caller`: of who is
 * called by the program: what lies below its stack is the layer's own, or left.
 */
void tl_call_end_left(struct tl_thread *thread, struct tl_caller caller);

#endif
