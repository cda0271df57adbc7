/* SPDX-License-Identifier: MIT */
/*
 * open_calls.h: a thread's stack of open calls. The entry of a call is claimed before it is filled
 * and is freed when the call is over, so that signal handlers may make calls at any instruction.
 *
 * An entry's .frame and a thread's .top are stored with release, here and in the paths: for the
 * thread's own signal handlers, and for readers in other processes (recovery, `tracelayer profile`).
 * They find the rest of the entry filled in.
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
 * Claims or frees entries. For a signal handler of the thread, what follows this store happens
 * after it, and what precedes it before.
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

/*
 * The shim of an open call's function; for a closure, that of its function and not the closure's
 * own.
 */
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

/* The innermost call is over. Also removes entries below it whose calls were over before. */
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
 * These functions end calls that never returned: open_calls.c says how these are recognised.
 *
 * tl_open_settle ends the calls above `bottom` that are known to be over, from the top. The caller
 * is a call whose part of the stack lies below caller.stack: one that is just being made (then
 * `bottom` is the stack's) or that has returned. `now`: ticks; 0: not known yet.
 */
void tl_open_settle(struct tl_thread *thread, const struct tl_open_call *bottom,
		    struct tl_caller caller, bool returned, uint64_t now);

/*
 * The same, also for calls that look like outer ones: they lie above us, in a frame that came later
 * and has not overwritten them.
 */
void tl_open_settle_all(struct tl_thread *thread, struct tl_caller caller);

/*
 * A call has returned and is not on top: some calls above it never did. `now`: as in
 * tl_open_settle.
 */
void tl_call_end_inner(struct tl_call *call, uint64_t now);

/* Takes a call that is over off the stack; it need not be on top. */
void tl_call_close_entry(struct tl_call *call);

/*
 * The thread is inside a callback of its innermost open call. False if the callback was left by
 * longjmp: then the call was left, too, and settling it runs what it owes. False also while the
 * callback goes on on another stack that the caller has nothing to do with.
 */
bool tl_thread_is_in_callback(struct tl_thread *thread, struct tl_caller caller);

/*
 * The thread ends: calls that are still open were left by longjmp, or by an end without unwinding,
 * and are recorded as such.
 */
void tl_call_end_all(struct tl_thread *thread);

/*
 * The same for those open calls that are known to have been left by longjmp. `caller` is the caller
 * of the function that the program called: what lies below its stack is the layer's own, or was
 * left.
 */
void tl_call_end_left(struct tl_thread *thread, struct tl_caller caller);

#endif
