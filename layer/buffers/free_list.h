/* SPDX-License-Identifier: MIT */
/*
 * free_list.h: lock-free lists of free chunks and producers. `link` is the offset of .next_free in
 * a chunk or producer. These lie in the pool (pool.h).
 *
 * Any thread, with signals blocked. Pushing releases and popping acquires: what the thread that
 * pushes did before is visible to the one that pops.
 */
#ifndef TL_LAYER_BUFFERS_FREE_LIST_H
#define TL_LAYER_BUFFERS_FREE_LIST_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/buffers/pool.h"

/*
 * The lower half has the number of the first element, the upper half a count of changes. The count
 * prevents the ABA problem: an element that was popped and pushed again gives another value.
 */
struct tl_free_list {
	_Atomic uint64_t first;
};

static inline _Atomic uint32_t *free_list_link(void *thing, size_t link)
{
	return (_Atomic uint32_t *)((char *)thing + link);
}

static inline void tl_free_list_push(struct tl_free_list *list, void *thing, size_t link)
{
	uint32_t number = tl_pool_number(thing);
	uint64_t first = atomic_load_explicit(&list->first, memory_order_relaxed);

	do {
		atomic_store_explicit(free_list_link(thing, link), (uint32_t)first,
				      memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(
		&list->first, &first, ((first >> 32) + 1) << 32 | number, memory_order_acq_rel,
		memory_order_relaxed));
}

static inline void *tl_free_list_pop(struct tl_free_list *list, size_t link)
{
	uint64_t first = atomic_load_explicit(&list->first, memory_order_acquire);

	for (;;) {
		if (!(uint32_t)first)
			return NULL;
		void *thing = tl_pool_address((uint32_t)first);
		/*
		 * Another thread may have popped this element by now. Then the value read here is
		 * void, and the exchange fails.
		 */
		uint32_t next =
			atomic_load_explicit(free_list_link(thing, link), memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit(
			    &list->first, &first, ((first >> 32) + 1) << 32 | next,
			    memory_order_acq_rel, memory_order_acquire))
			return thing;
	}
}

static inline void tl_free_list_forget(struct tl_free_list *list)
{
	atomic_store_explicit(&list->first, 0, memory_order_relaxed);
}

#endif
