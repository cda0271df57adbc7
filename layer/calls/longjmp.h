/* SPDX-License-Identifier: MIT */
/*
 * longjmp.h: whether an open call was left by longjmp (or by anything else that resets a thread's
 * stack pointer without running cleanups).
 */
#ifndef TL_LAYER_CALLS_LONGJMP_H
#define TL_LAYER_CALLS_LONGJMP_H

#include "tracelayer/shim.h"

enum tl_left {
	TL_LEFT_NO, /* the thread is inside of it */
	TL_LEFT_YES,
	/*
	 * the thread is not inside it, as far as the thread's own stack goes; the call may go on on
	 * another stack, a coroutine's
	 */
	TL_LEFT_ELSEWHERE,
	TL_LEFT_UNKNOWN, /* we are on such a stack ourselves, or can't see who called us */
};

/*
 * Asks about an open call of the calling thread, whose .frame is set. `caller` is the caller of the
 * function that the program called: from our frame up to its .stack, everything on the stack is
 * ours. Takes microseconds if the call's memory has not changed; the answer is kept for a while.
 */
enum tl_left tl_left_ask(struct tl_thread *thread, const struct tl_open_call *open,
			 struct tl_caller caller);

#endif
