/* SPDX-License-Identifier: MIT */
/*
 * longjmp.h: whether an open call was left by longjmp (or whatever else takes a thread's stack
 * pointer back without a word to anybody).
 */
#ifndef TL_LAYER_CALLS_LONGJMP_H
#define TL_LAYER_CALLS_LONGJMP_H

#include "tracelayer/shim.h"

enum tl_left {
	TL_LEFT_NO, /* the thread is inside of it */
	TL_LEFT_YES,
	/*
	 * the thread is not inside of it, as far as its own stack goes; it may go on on another
	 * one, a coroutine's
	 */
	TL_LEFT_ELSEWHERE,
	TL_LEFT_UNKNOWN, /* we are on such a stack ourselves, or can't see who called us */
};

/*
 * Of an open call of the calling thread's whose .frame is set. `caller`: of who was called by the
 * program; from our frame up to its .stack nothing but ours is on the stack. Takes microseconds
 * where the call's memory is as it was; what was found is kept for a while.
 */
enum tl_left tl_left_ask(struct tl_thread *thread, const struct tl_open_call *open,
			 struct tl_caller caller);

#endif
