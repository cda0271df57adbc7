/* SPDX-License-Identifier: MIT */
/*
 * device_thread.h: what this room keeps for each thread. It lies in the thread's producer, in the
 * slot that buffer.h reserves for this room: a call with a hook needs that cache line anyway. Only
 * the thread itself writes it.
 */
#ifndef TL_LAYER_DEVICE_DEVICE_THREAD_H
#define TL_LAYER_DEVICE_DEVICE_THREAD_H

#include <stdatomic.h>
#include <stdint.h>

#include "layer/buffers/buffer.h"
#include "layer/device/spare_stack.h"

struct tl_device_thread {
	struct tl_spare *spare; /* for its next commands */
};

_Static_assert(sizeof(struct tl_device_thread) <= sizeof(((struct tl_producer *)0)->device_slot),
	       "it fits into its slot");

static inline struct tl_device_thread *tl_device_thread_of(const struct tl_producer *producer)
{
	return (struct tl_device_thread *)(uintptr_t)producer->device_slot;
}

/* The calling thread's; NULL: it has no producer. */
static inline struct tl_device_thread *tl_device_thread_here(void)
{
	const struct tl_producer *producer = (const struct tl_producer *)(const void *)tl_self;

	return producer ? tl_device_thread_of(producer) : NULL;
}

#endif
