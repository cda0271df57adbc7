/* SPDX-License-Identifier: MIT */
/*
 * spare_stack.h: memory of done commands, used again for later ones.
 *
 * One thread submits a command, and another may report its end. The command's memory goes back to
 * the queue's stack, without a lock. A thread that has used up its own spare memory takes the
 * queue's whole stack; nothing takes a single entry, so there is no ABA problem. A thread's own
 * stack needs no lock, either: only hooks use it, and a signal handler's call runs no hook while
 * another hook runs.
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

	/* Acquire: pairs with the release in tl_spare_give_back. */
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
	/* Release: pairs with the acquire in tl_spare_take; nothing uses the memory any more. */
	while (!atomic_compare_exchange_weak_explicit(shared, &spare->next, spare,
						      memory_order_release, memory_order_relaxed))
		;
}

#endif
