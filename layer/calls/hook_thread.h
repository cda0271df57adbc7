/* SPDX-License-Identifier: MIT */
/*
 * hook_thread.h: what hooks keep of each thread. It lies in the thread's producer, in the slot that
 * buffer.h reserves for this room, in a cache line that a call with a hook needs anyway. Only the
 * thread itself writes it.
 */
#ifndef TL_LAYER_CALLS_HOOK_THREAD_H
#define TL_LAYER_CALLS_HOOK_THREAD_H

#include <stdatomic.h>
#include <stdint.h>

#include "layer/buffers/buffer.h"

struct tl_hook_thread {
	struct tl_hooked *hooked; /* what hooks keep of its open calls, or NULL */
	_Atomic uint32_t hooking; /* odd: inside a hook; it changes with each hook */
	uint32_t correlation;	  /* the number for its next call; 0: it has to take new ones */
};

_Static_assert(sizeof(struct tl_hook_thread) <= sizeof(((struct tl_producer *)0)->hook_slot),
	       "it fits into its slot");

static inline struct tl_hook_thread *tl_hook_thread_of(const struct tl_producer *producer)
{
	return (struct tl_hook_thread *)(uintptr_t)producer->hook_slot;
}

/* The calling thread's; NULL: it has no producer. */
static inline struct tl_hook_thread *tl_hook_thread_here(void)
{
	const struct tl_producer *producer = (const struct tl_producer *)(const void *)tl_self;

	return producer ? tl_hook_thread_of(producer) : NULL;
}

#endif
