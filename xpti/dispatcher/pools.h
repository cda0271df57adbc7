/* SPDX-License-Identifier: MIT */
/*
 * pools.h: memory that is never freed, and the locks of threads that add to tables.
 *
 * Threads are spread over the pools. A thread that adds an entry holds the lock of its pool. Few
 * threads share a pool, so the lock is mostly free. The entry is then published without a lock
 * (hash_trie.h). Reset and fork need all threads to stand still; they take the locks of all pools,
 * in the order of the pools.
 *
 * Pools take their memory from regions. The pages of the first region come a few at a time: most
 * programs need no more, and a virtual machine may take milliseconds to give a huge page. The other
 * regions are huge pages where the system has them: a page fault costs more than everything else
 * that is done with the memory of that page.
 */
#ifndef TL_XPTI_DISPATCHER_POOLS_H
#define TL_XPTI_DISPATCHER_POOLS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xpti/dispatcher/dispatcher_state.h"

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

/* Memory aligned to 16 bytes. The caller holds the pool's lock. NULL: memory is short. */
void *tl_pool_alloc_slowly(struct tl_pool *pool, size_t size);

/* The same, aligned to 8 bytes. */
static inline void *tl_pool_alloc_8(struct tl_pool *pool, size_t size)
{
	size = (size + 7) & ~(size_t)7;
	if (unlikely((size_t)(pool->end - pool->free) < size))
		return tl_pool_alloc_slowly(pool, size);
	pool->free += size;
	return pool->free - size;
}

static inline void *tl_pool_alloc(struct tl_pool *pool, size_t size)
{
	size_t before = -(uintptr_t)pool->free & 8;

	if (unlikely((size_t)(pool->end - pool->free) < before + size))
		return tl_pool_alloc_slowly(pool, (size + 7) & ~(size_t)7);
	pool->free += before;
	return tl_pool_alloc_8(pool, size);
}

/* Give the last allocation back to the pool. The caller holds the pool's lock. */
static inline void tl_pool_undo(struct tl_pool *pool, void *memory, size_t size)
{
	if ((char *)memory + ((size + 7) & ~(size_t)7) == pool->free)
		pool->free = memory;
}

/*
 * Memory that is all zero. The alignment is a power of two, up to 256 KiB. The caller needs no
 * lock. NULL: memory is short.
 */
void *tl_region_take(size_t size, size_t alignment);

/*
 * The caller is going to use all of this memory: map its pages at once, which costs less than one
 * by one. Does nothing for huge pages.
 */
void tl_region_populate(void *memory, size_t size);

void tl_pools_lock(void);
void tl_pools_unlock(void);
/* The innermost lock, of the regions. */
void tl_regions_lock(void);
void tl_regions_unlock(void);

#endif
