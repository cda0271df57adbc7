/* SPDX-License-Identifier: MIT */
/*
 * stack_frames.h: the functions that the calling thread is inside of, innermost first, by the
 * tables that compilers make for unwinding (.eh_frame).
 *
 * For questions that are rare: is this frame still one of them, and which stack are we on? A step
 * costs some hundred nanoseconds. Nothing is allocated, and the stack is read only if it can be:
 * safe in a signal handler.
 */
#ifndef TL_LAYER_CALLS_STACK_FRAMES_H
#define TL_LAYER_CALLS_STACK_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A function that has not returned. Its frame is [low, high); high is where its caller's part of
 * the stack ends.
 */
struct tl_chain_frame {
	uintptr_t function; /* where its code begins */
	uintptr_t library;  /* the base address of the library that it is in */
	uintptr_t back;	    /* where it returns to */
	uintptr_t low, high;
	bool program; /* the library is the program itself */
	/* it is the kernel's, made for a signal handler: its caller may be on another stack */
	bool signal;
};

enum tl_chain_end {
	TL_CHAIN_STOPPED,   /* visit returned true */
	TL_CHAIN_THREAD,    /* at the thread's own first function */
	TL_CHAIN_COROUTINE, /* at the first function of another stack: a coroutine's */
	/* at code that is in no library, as JITs make it: its caller can't be found */
	TL_CHAIN_MADE,
	TL_CHAIN_DEEP, /* no end after very many frames */
	/* at a library's code that has no table: for example where hand-written coroutines begin */
	TL_CHAIN_UNKNOWN,
};

/* Walks from the caller of this function on, until visit returns true. */
enum tl_chain_end tl_chain_walk(bool (*visit)(const struct tl_chain_frame *frame, void *closure),
				void *closure);

/*
 * The address that is in the outermost frame of each coroutine of the C library (makecontext), with
 * all bits inverted; 0: not known. Inverted, so that a search for it leaves no copy on the stack.
 */
uintptr_t tl_chain_coroutine_mark(void);

/*
 * The base address of the library that the address lies in; 0: it lies in no library, or in the
 * program (whose shims can't be told from its other code).
 */
uintptr_t tl_chain_library(const void *address);

#endif
