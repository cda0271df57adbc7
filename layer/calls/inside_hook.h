/* SPDX-License-Identifier: MIT */
/*
 * inside_hook.h: how a thread steps into a hook and out of it. hook.c and hooked_path.c run each
 * hook in between.
 */
#ifndef TL_LAYER_CALLS_INSIDE_HOOK_H
#define TL_LAYER_CALLS_INSIDE_HOOK_H

#include "layer/buffers/buffer.h"
#include "layer/calls/thread.h"
#include "layer/calls/hook_thread.h"

/*
 * A hook that begins and the end of all of them must not miss each other: the one notes that it is
 * inside and looks if the end has come, the other says so and looks who is inside. Hooks run all
 * the time, and the end comes once: so it alone has a barrier, for all threads (membarrier). Where
 * the kernel has none each hook has its own.
 */
extern bool tl_hook_has_barrier; /* before the first hook is set */

/*
 * Two threads that each write something and then look at what the other one writes: one of them
 * sees it. Who does that all the time has the near one in between, which costs nothing where the
 * kernel has a barrier for all threads; the other one has the far one.
 */
void tl_hook_barrier(void);
static inline void tl_hook_barrier_near(void)
{
	if (TL_LIKELY(tl_hook_has_barrier))
		atomic_signal_fence(memory_order_seq_cst);
	else
		atomic_thread_fence(memory_order_seq_cst); /* With that of tl_hook_barrier. */
}

/* The calling thread's .hooking is odd inside of a hook, and another number in each. */
static inline uint32_t tl_hook_counted(const struct tl_producer *producer)
{
	return atomic_load_explicit(&tl_hook_thread_of(producer)->hooking, memory_order_relaxed);
}

/* NULL: the thread is not known. Returns what it got. */
static inline struct tl_producer *tl_hook_step_in(struct tl_producer *producer)
{
	if (!producer)
		return NULL;
	tl_thread_busy(&producer->thread);
	uint32_t count = (tl_hook_counted(producer) + 1) | 1;
	/*
	 * Sequentially consistent, like the looks at it in tl_hook_drain, the mark of
	 * tl_hook_driver_has_ended and the looks at that: a hook either sees the mark, or is seen
	 * by who waits for it. With the barrier in tl_hook_drain, so much only for the compiler.
	 */
	if (TL_LIKELY(tl_hook_has_barrier))
		atomic_store_explicit(&tl_hook_thread_of(producer)->hooking, count,
				      memory_order_relaxed);
	else
		atomic_store_explicit(&tl_hook_thread_of(producer)->hooking, count,
				      memory_order_seq_cst);
	atomic_signal_fence(memory_order_seq_cst);
	return producer;
}

static inline void tl_hook_step_out(struct tl_producer *const *inside)
{
	struct tl_producer *producer = *inside;

	if (!producer)
		return;
	/* Release: who has waited for this finds all done. */
	atomic_store_explicit(&tl_hook_thread_of(producer)->hooking, tl_hook_counted(producer) + 1,
			      memory_order_release);
	tl_thread_free(&producer->thread);
}

/*
 * A hook of the calling thread's follows, up to the end of the block; a signal handler may end the
 * thread in it.
 */
#define TL_HOOK_INSIDE(producer)                                                                   \
	struct tl_producer *inside_ __attribute__((unused, cleanup(tl_hook_step_out))) =           \
		tl_hook_step_in(producer)

#endif
