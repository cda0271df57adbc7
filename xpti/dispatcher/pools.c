/* SPDX-License-Identifier: MIT */
/*
 * pools.c: see pools.h.
 */
#include "xpti/dispatcher/pools.h"

#include <sys/mman.h>

enum {
	FIRST_BLOCK = 4 << 10,
	LAST_BLOCK = 64 << 10,
	ALIGNMENT = 256 << 10,
	FIRST_REGION = 2 << 20,
	REGION = 2 << 20
};

struct tl_pool tl_pools[TL_POOLS] = {[0 ... TL_POOLS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};
static _Atomic uint32_t threads;

/*
 * What is left of the newest region, and the one that comes next, where somebody has made it
 * already, or is making it.
 */
static pthread_mutex_t regions_lock = PTHREAD_MUTEX_INITIALIZER;
static char *region, *region_end, *next;
static _Atomic(char *) first_region;
static bool is_first, making_next;

uint32_t tl_pool_thread_number(void)
{
	tl_xpti_thread.number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
	if (!tl_xpti_thread.number) /* they have been counted around */
		tl_xpti_thread.number = TL_POOLS;
	return tl_xpti_thread.number;
}

/* Aligned memory: as much more as the alignment, less what is too much. */
static char *map(size_t size, size_t alignment)
{
	char *all = mmap(NULL, size + alignment, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (all == MAP_FAILED)
		return NULL;
	char *aligned = (char *)(((uintptr_t)all + alignment - 1) & ~(uintptr_t)(alignment - 1));
	if (aligned > all)
		munmap(all, (size_t)(aligned - all));
	if (aligned < all + alignment)
		munmap(aligned + size, (size_t)(all + alignment - aligned));
	return aligned;
}

static char *map_huge(size_t size)
{
	size = (size + REGION - 1) & ~(size_t)(REGION - 1);
	char *memory = map(size, REGION);

#ifdef MADV_HUGEPAGE
	if (memory)
		madvise(memory, size, MADV_HUGEPAGE);
#endif
	return memory;
}

/*
 * One huge page that is there: two threads that come to it at once would each clear one, and one of
 * them for nothing.
 */
static char *make_region(void)
{
	char *memory = map_huge(REGION);

	if (memory)
		*(volatile char *)memory = 0;
	return memory;
}

/* Under the regions' lock. False: no memory. */
static bool next_region(void)
{
	is_first = !region;
	char *memory = is_first ? map(FIRST_REGION, ALIGNMENT) : next ? next : make_region();

	next = NULL;
	if (!memory)
		return false;
	if (is_first)
		atomic_store_explicit(&first_region, memory, memory_order_relaxed);
	region = memory;
	region_end = memory + (is_first ? FIRST_REGION : REGION);
	return true;
}

/* Make the next one while the others go on with what is left of this one. */
static void make_next(void)
{
	char *memory = make_region();

	pthread_mutex_lock(&regions_lock);
	next = memory;
	making_next = false;
	pthread_mutex_unlock(&regions_lock);
}

/*
 * From what is left of the region: slabs from its end, which is aligned as they are, all else from
 * its beginning. Under the regions' lock.
 */
static char *cut(size_t size, size_t alignment)
{
	uintptr_t from = (uintptr_t)region, end = (uintptr_t)region_end,
		  mask = ~(uintptr_t)(alignment - 1);
	uintptr_t low = (from + alignment - 1) & mask, high = (end - size) & mask;

	if (!region || size > end - from)
		return NULL;
	if (alignment == ALIGNMENT && high >= from) {
		region_end = (char *)high;
		return region_end;
	}
	if (alignment == ALIGNMENT || low + size > end)
		return NULL;
	region = (char *)low + size;
	return (char *)low;
}

void *tl_region_take(size_t size, size_t alignment)
{
	if (size > REGION / 4)
		return map_huge(size);
	pthread_mutex_lock(&regions_lock);
	char *at = cut(size, alignment);
	if (!at && next_region())
		at = cut(size, alignment);
	bool make = !is_first && !next && !making_next && region_end - region < REGION / 2;
	making_next |= make;
	pthread_mutex_unlock(&regions_lock);
	if (make)
		make_next();
	return at;
}

void tl_region_populate(void *memory, size_t size)
{
#ifdef MADV_POPULATE_WRITE
	enum { PAGE = 4096 }; /* where they are larger this fails, and they come one by one */
	uintptr_t from = (uintptr_t)memory & ~(uintptr_t)(PAGE - 1),
		  to = ((uintptr_t)memory + size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);

	if (from - (uintptr_t)atomic_load_explicit(&first_region, memory_order_relaxed) <
	    FIRST_REGION)
		madvise((void *)from, to - from, MADV_POPULATE_WRITE);
#endif
}

void *tl_pool_alloc_slowly(struct tl_pool *pool, size_t size)
{
	if (size > LAST_BLOCK / 4)
		return tl_region_take(size, 16);
	uint32_t block = pool->block ? pool->block * 2 : FIRST_BLOCK;
	if (block > LAST_BLOCK || block < size)
		block = LAST_BLOCK;
	char *memory = tl_region_take(block, 64);
	if (!memory)
		return NULL;
	tl_region_populate(memory, block);
	pool->block = block;
	pool->free = memory + size;
	pool->end = memory + block;
	return memory;
}

void tl_pools_lock(void)
{
	for (int i = 0; i < TL_POOLS; i++)
		pthread_mutex_lock(&tl_pools[i].lock);
}

void tl_pools_unlock(void)
{
	for (int i = 0; i < TL_POOLS; i++)
		pthread_mutex_unlock(&tl_pools[i].lock);
}

void tl_regions_lock(void)
{
	pthread_mutex_lock(&regions_lock);
}

void tl_regions_unlock(void)
{
	pthread_mutex_unlock(&regions_lock);
}
