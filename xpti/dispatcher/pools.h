/* SPDX-License-Identifier: MIT */
/*
 * pools.h: memory that is never given back, and the locks of those who put something in.
 *
 * Threads are spread over the pools. Who puts something in holds the lock of its thread's pool, so
 * that it meets nobody else there unless threads are many; what it puts in is published without a
 * lock (hash_trie.h). Who needs all to stand still, reset and fork, holds all of them, in their
 * order.
 *
 * Pools take their memory from regions. The pages of the first, small one come a few at a time, as
 * they are used; the others are huge pages where the system has them: what a fault costs for each
 * page is more than all else that is done with what fits into it.
 */
#ifndef TL_XPTI_DISPATCHER_POOLS_H
#define TL_XPTI_DISPATCHER_POOLS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xpti/dispatcher/dispatcher.h"

enum { TL_POOLS = 16 };

struct tl_pool {
	_Alignas(128) pthread_mutex_t lock; /* protects all of it */
	char *free, *end;		    /* of the current block */
	uint32_t block;			    /* its size */
	uint32_t next_number;		    /* of texts; see string_table.c */
};

extern struct tl_pool tl_pools[TL_POOLS] TL_HIDDEN;

uint32_t tl_pool_thread_number(void);

/* The calling thread's. */
static inline struct tl_pool *tl_pool_own(void)
{
	uint32_t number = tl_xpti_thread.number;

	return &tl_pools[(likely(number) ? number : tl_pool_thread_number()) % TL_POOLS];
}

static inline unsigned tl_pool_number(const struct tl_pool *pool)
{
	return (unsigned)(pool - tl_pools);
}

/* Aligned to 16. Under the pool's lock. NULL: there is none. */
void *tl_pool_alloc_slowly(struct tl_pool *pool, size_t size);

static inline void *tl_pool_alloc(struct tl_pool *pool, size_t size)
{
	size = (size + 15) & ~(size_t)15;
	if (unlikely((size_t)(pool->end - pool->free) < size))
		return tl_pool_alloc_slowly(pool, size);
	pool->free += size;
	return pool->free - size;
}

/* What was allocated last is not needed after all. Under the pool's lock. */
static inline void tl_pool_undo(struct tl_pool *pool, void *memory, size_t size)
{
	if ((char *)memory + ((size + 15) & ~(size_t)15) == pool->free)
		pool->free = memory;
}

/*
 * All zero; the alignment is a power of two, up to 256 KiB. Nothing need be held. NULL: there is
 * none.
 */
void *tl_region_take(size_t size, size_t alignment);

/*
 * This will all be used: its pages come at once, which costs less than one by one. In huge pages
 * there is nothing to do.
 */
void tl_region_populate(void *memory, size_t size);

void tl_pools_lock(void);
void tl_pools_unlock(void);
/* The innermost lock, of the regions. */
void tl_regions_lock(void);
void tl_regions_unlock(void);

#endif
