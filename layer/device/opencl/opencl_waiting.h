/* SPDX-License-Identifier: MIT */
/*
 * opencl_waiting.h: which threads are inside of a call that waits for commands, and what else this
 * room keeps for a thread.
 *
 * Several calls may have waited for the same command, and their hooks come in any order. Where the
 * driver gives no time for a command's end, the command had ended when the first of these calls
 * did. So such a command is not reported while another thread is inside of a call that may have
 * waited for it: from before that call goes to the driver until it is noted (tl_cl_take_done).
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_WAITING_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_WAITING_H

#include <stdatomic.h>
#include <stdint.h>

#include "layer/buffers/buffer.h"
#include "layer/calls/hook.h"
#include "layer/calls/inside_hook.h"
#include "layer/device/opencl/opencl_call.h"
#include "layer/device/opencl/opencl_queues.h"
#include "layer/device/spare_stack.h"

/* In the slot of each thread's producer that buffer.h reserves for this room. */
struct tl_cl_thread {
	/* The call that waits for commands and has not noted it, or NULL. Others read it. */
	struct tl_hooked *_Atomic waiting;
	struct tl_spare *spare; /* for its next commands */
};

_Static_assert(sizeof(struct tl_cl_thread) <= sizeof(((struct tl_producer *)0)->opencl_slot),
	       "it fits into its slot");

static inline struct tl_cl_thread *tl_cl_thread_of(const struct tl_producer *producer)
{
	return (struct tl_cl_thread *)(uintptr_t)producer->opencl_slot;
}

static inline struct tl_cl_thread *tl_cl_thread_of_call(const struct tl_call *call)
{
	return tl_cl_thread_of((const struct tl_producer *)(const void *)call->thread);
}

/* The state of a hook of a call that waits. */
struct tl_cl_waiting {
	struct tl_cl_queue *queue; /* waits for all of this queue; NULL: for events */
	struct tl_hooked *outer;   /* the waiting call around this one */
};

_Static_assert(sizeof(struct tl_cl_waiting) <= TL_HOOK_STATE, "it fits");

static inline void tl_cl_starts_waiting(const struct tl_call *call, struct tl_cl_waiting *waiting)
{
	struct tl_cl_thread *thread = tl_cl_thread_of_call(call);

	waiting->outer = atomic_load_explicit(&thread->waiting, memory_order_relaxed);
	atomic_store_explicit(&thread->waiting, call->hooked, memory_order_relaxed);
	/*
	 * Pairs with the barrier in queue_see_who_waits: a thread that sees the command's end later
	 * than this call did also sees that this call waits.
	 */
	tl_hook_barrier_near();
}

/* The call is noted. Release: pairs with the acquire in command_is_held. */
static inline void tl_cl_stops_waiting(const struct tl_call *call,
				       const struct tl_cl_waiting *waiting)
{
	struct tl_cl_thread *thread = tl_cl_thread_of_call(call);

	atomic_store_explicit(&thread->waiting, waiting->outer, memory_order_release);
}

#endif
