/* SPDX-License-Identifier: MIT */
/*
 * spare_stack.h: memory of commands that are done, for later ones.
 *
 * One thread submits a command and another one may tell what became of it. Its memory goes back to
 * the queue's stack, without a lock. A thread that has used up its own takes all that the queue
 * has, so no thing is taken out of a shared stack alone, and ABA can't be. What a thread has is its
 * own: only hooks ask for it, and no signal handler's call has a hook while they run.
 */
#ifndef TL_LAYER_DEVICE_SPARE_STACK_H
#define TL_LAYER_DEVICE_SPARE_STACK_H

#include <stdatomic.h>
#include <stdlib.h>

/* What a command's memory begins with while the command is spare. */
struct tl_spare {
	struct tl_spare *next;
};

/* From the thread's own, the queue's, or malloc; NULL: memory is short. All have the same size. */
static inline void *tl_spare_take(struct tl_spare **own, _Atomic(struct tl_spare *) *shared,
				  size_t size)
{
	struct tl_spare *spare = *own;

	/* Acquire pairs with tl_spare_give_back. */
	if (!spare && atomic_load_explicit(shared, memory_order_relaxed))
		spare = atomic_exchange_explicit(shared, NULL, memory_order_acquire);
	if (!spare)
		return malloc(size);
	*own = spare->next;
	return spare;
}

static inline void tl_spare_give_back(_Atomic(struct tl_spare *) *shared, void *memory)
{
	struct tl_spare *spare = memory;

	spare->next = atomic_load_explicit(shared, memory_order_relaxed);
	/* Release pairs with tl_spare_take's acquire: nothing of it is used any more. */
	while (!atomic_compare_exchange_weak_explicit(shared, &spare->next, spare,
						      memory_order_release, memory_order_relaxed))
		;
}

#endif
