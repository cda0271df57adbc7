/* SPDX-License-Identifier: MIT */
/*
 * inside_hook.h: how a thread enters a hook and leaves it. hook.c and hooked_path.c run each hook
 * in between.
 */
#ifndef TL_LAYER_CALLS_INSIDE_HOOK_H
#define TL_LAYER_CALLS_INSIDE_HOOK_H

#include "layer/buffers/buffer.h"
#include "layer/calls/thread.h"
#include "layer/calls/hook_thread.h"

/*
 * A hook that begins and the end of all hooks must not miss each other. The hook marks itself as
 * running and then looks whether the end has come; the end sets its mark and then looks who is
 * running. Hooks run all the time, and the end comes once, so the end alone has a barrier, for all
 * threads (membarrier). If the kernel has none, each hook has its own.
 */
extern bool tl_hook_has_barrier; /* set before the first hook is set */

/*
 * For two threads that each write something and then read what the other one writes: at least one
 * of them sees the other's write. The thread that does this often executes the near barrier in
 * between, which costs nothing if the kernel has a barrier for all threads; the other one executes
 * the far one.
 */
void tl_hook_barrier(void);
static inline void tl_hook_barrier_near(void)
{
	if (TL_LIKELY(tl_hook_has_barrier))
		atomic_signal_fence(memory_order_seq_cst);
	else
		/* pairs with the fence in tl_hook_barrier */
		atomic_thread_fence(memory_order_seq_cst);
}

/* What .hooking was before this: it is odd inside a hook, and changes with each. */
static inline uint32_t tl_hook_counted(const struct tl_producer *producer)
{
	return atomic_load_explicit(&tl_hook_thread_of(producer)->hooking, memory_order_relaxed);
}

/* Enter a hook. `producer` NULL: the thread is not known. Returns its argument. */
static inline struct tl_producer *tl_hook_step_in(struct tl_producer *producer)
{
	if (!producer)
		return NULL;
	tl_thread_busy(&producer->thread);
	uint32_t count = (tl_hook_counted(producer) + 1) | 1;
	/*
	 * Sequentially consistent, like the loads in tl_hook_drain, the store of
	 * tl_hook_driver_ended and the loads of that: either a hook sees that mark, or the thread
	 * that waits for hooks sees the hook. With the barrier in tl_hook_drain, only the compiler
	 * has to keep the order.
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
	/* Release: pairs with the loads in tl_hook_drain; all that the hook did is done. */
	atomic_store_explicit(&tl_hook_thread_of(producer)->hooking, tl_hook_counted(producer) + 1,
			      memory_order_release);
	tl_thread_free(&producer->thread);
}

/*
 * A hook of the calling thread follows, up to the end of the block; a signal handler may end the
 * thread in it.
 */
#define TL_HOOK_INSIDE(producer)                                                                   \
	struct tl_producer *inside_ __attribute__((unused, cleanup(tl_hook_step_out))) =           \
		tl_hook_step_in(producer)

#endif
