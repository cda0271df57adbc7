/* SPDX-License-Identifier: MIT */
/*
 * scratch.c: see scratch.h.
 */
#include "common/scratch.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

struct tl_scratch {
	struct tl_scratch *next;
	_Atomic bool taken;
	_Alignas(16) char memory[];
};

static struct tl_scratch *scratch_make(struct tl_scratches *scratches)
{
	int kept = errno;
	struct tl_scratch *made = mmap(NULL, sizeof(*made) + scratches->size,
				       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = kept;
	if (made == MAP_FAILED)
		return NULL;
	atomic_store_explicit(&made->taken, true, memory_order_relaxed);
	made->next = atomic_load_explicit(&scratches->all, memory_order_relaxed);
	/* Release pairs with tl_scratch_take's acquire. */
	while (!atomic_compare_exchange_weak_explicit(&scratches->all, &made->next, made,
						      memory_order_release, memory_order_relaxed))
		;
	return made;
}

void *tl_scratch_take(struct tl_scratches *scratches)
{
	struct tl_scratch *at = atomic_load_explicit(&scratches->all, memory_order_acquire);

	/* Acquire pairs with the release of who had it last. */
	while (at && (atomic_load_explicit(&at->taken, memory_order_relaxed) ||
		      atomic_exchange_explicit(&at->taken, true, memory_order_acquire)))
		at = at->next;
	if (!at)
		at = scratch_make(scratches);
	return at ? at->memory : NULL;
}

void tl_scratch_give_back(void *memory)
{
	struct tl_scratch *scratch =
		(struct tl_scratch *)(void *)((char *)memory - offsetof(struct tl_scratch, memory));

	atomic_store_explicit(&scratch->taken, false, memory_order_release);
}
