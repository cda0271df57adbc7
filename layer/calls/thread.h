/* SPDX-License-Identifier: MIT */
/*
 * thread.h: the beginning and the end of a thread as the runtime sees it.
 */
#ifndef TL_LAYER_CALLS_THREAD_H
#define TL_LAYER_CALLS_THREAD_H

#include "layer/buffers/buffer.h"
#include "layer/calls/request.h"

/* Once a process, at its first watched call. */
void tl_thread_start(void);

/* The calling thread's first watched call: sets tl_self. NULL: memory is short. */
struct tl_thread *tl_thread_attach(void);

/*
 * Whether the calling thread is the process's first. Asks the kernel once in each thread. A thread
 * that forked counts as before.
 */
bool tl_thread_is_first(void);

/*
 * From now on the calling thread's calls are served in their entries, unless something prevents
 * that.
 */
static inline void tl_thread_serve_inline(struct tl_thread *thread)
{
	bool may = !thread->busy && thread->clock && !tl_request_inside();

	thread->end = may ? ((struct tl_producer *)thread)->inline_end : NULL;
}

/* Between these two, the calling thread's calls pass through unwatched. They nest. */
static inline void tl_thread_busy(struct tl_thread *thread)
{
	thread->busy++;
	thread->end = NULL;
}

static inline void tl_thread_free(struct tl_thread *thread)
{
	/*
	 * 0: while the callback went on on another stack, the thread's own stack showed that it was
	 * not inside the callback.
	 */
	if (thread->busy)
		thread->busy--;
	tl_thread_serve_inline(thread);
}

#endif
