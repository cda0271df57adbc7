/* SPDX-License-Identifier: MIT */
/*
 * stack_numbers.h: the stacks of recorded calls (`run --stack`): each is a text of the trace
 * (format/file/stack_text.h), put in once, and calls have its number.
 *
 * No lock, no allocation from the heap; async-signal-safe.
 */
#ifndef TL_LAYER_CALLS_STACK_NUMBERS_H
#define TL_LAYER_CALLS_STACK_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "layer/buffers/buffer.h"

/* Stacks that a process keeps. A call with a further one has none, and is counted (.stackless). */
#define TL_STACKS 65536u

/* The thread's piece, which is a page, with its open calls. */
static inline struct tl_thread_piece *tl_thread_piece_of(const struct tl_open_call *open)
{
	return (struct tl_thread_piece *)((uintptr_t)open & ~(uintptr_t)(TL_FILE_PAGE - 1));
}

/* Finds the stack that a call is made from, and keeps its number with the call's entry. */
void tl_open_take_stack(struct tl_producer *producer, struct tl_open_call *open,
			struct tl_caller caller);

/*
 * Of a call through a closure, whose shim knows no return address: the program's, found on the
 * stack. NULL: it can't be found.
 */
const void *tl_closure_caller(struct tl_producer *producer, struct tl_caller closure);

/* In a forked child: there are no stacks yet. */
void tl_stacks_after_fork(void);

/* The number that an open call has; 0: none. */
static inline uint32_t tl_open_stack(const struct tl_open_call *open)
{
	return tl_piece_stack(tl_thread_piece_of(open), open);
}

/*
 * Inside a callback: the return addresses from `caller` on, which is the one that the callback's
 * view has. Returns how many; only `caller` where the walk does not come to it.
 */
size_t tl_stack_callers(const void *caller, void **frames, size_t most);

#endif
