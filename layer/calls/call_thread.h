/* SPDX-License-Identifier: MIT */
/*
 * call_thread.h: what this room keeps of each thread that makes calls. It lies in the thread's
 * producer, in the slot that buffer.h reserves for it. Only the thread itself writes it. When a
 * thread gets a producer that another had before, tl_thread_attach resets what it must not inherit.
 */
#ifndef TL_LAYER_CALLS_CALL_THREAD_H
#define TL_LAYER_CALLS_CALL_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "layer/buffers/buffer.h"

/* The last answer about an open call, and the place that asked (longjmp.h). */
struct tl_left_answer {
	const struct tl_open_call *open;
	uint64_t start;
	uintptr_t frame;
	struct tl_caller caller;
	int answer;
	unsigned uses; /* how often it may still be used */
};

struct tl_call_thread {
	uint32_t rounds; /* of key destructors seen */
	/* how often the stack of open calls was found full since it last had room */
	uint32_t full;
	struct tl_frames *frames; /* what tracers keep of its open calls, or NULL */
	/* entries below it have a frame that is in use; NULL: there are none */
	struct tl_open_call *framed_end;
	struct tl_left_answer left;
};

_Static_assert(sizeof(struct tl_call_thread) <= sizeof(((struct tl_producer *)0)->call_slot),
	       "it fits into its slot");
_Static_assert((offsetof(struct tl_producer, call_slot) + offsetof(struct tl_call_thread, frames)) %
				       64 ==
			       0 &&
		       offsetof(struct tl_call_thread, left) + sizeof(struct tl_left_answer) -
				       offsetof(struct tl_call_thread, frames) ==
			       64,
	       "what a traced call needs is one line of the cache, and no other");

static inline struct tl_call_thread *tl_call_thread_of(const struct tl_producer *producer)
{
	return (struct tl_call_thread *)(uintptr_t)producer->call_slot;
}

#endif
