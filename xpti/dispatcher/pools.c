/* SPDX-License-Identifier: MIT */
/*
 * pools.c: regions, and what pools take of them; see pools.h.
 */
#include "xpti/dispatcher/pools.h"

#include <sys/auxv.h>
#include <sys/mman.h>

enum {
	FIRST_BLOCK = 4 << 10,
	LAST_BLOCK = 64 << 10,
	ALIGNMENT = 256 << 10,
	FIRST_REGION = 4 << 20,
	REGION = 2 << 20
};

struct tl_pool tl_pools[TL_POOLS] = {[0 ... TL_POOLS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};
static _Atomic uint32_t threads;

/*
 * What is left of the newest region, and the next region, which a thread may have made already or
 * may be making.
 */
static pthread_mutex_t regions_lock = PTHREAD_MUTEX_INITIALIZER;
static char *region, *region_end, *prepared_region;
static _Atomic(char *) first_region;
static bool is_first, making_next;

uint32_t tl_pool_thread_number(void)
{
	tl_xpti_thread.number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
	if (!tl_xpti_thread.number) /* the counter has wrapped */
		tl_xpti_thread.number = TL_POOLS;
	return tl_xpti_thread.number;
}

/* Map more by the size of the alignment, and unmap what lies outside of the aligned part. */
static char *map_aligned(size_t size, size_t alignment)
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
	char *memory = map_aligned(size, REGION);

#ifdef MADV_HUGEPAGE
	if (memory)
		madvise(memory, size, MADV_HUGEPAGE);
#endif
	return memory;
}

/*
 * A huge page that is mapped already. Otherwise two threads that touch it first at the same time
 * would each clear a page, and one of the two pages would be thrown away.
 */
static char *region_make(void)
{
	char *memory = map_huge(REGION);

	if (memory)
		*(volatile char *)memory = 0;
	return memory;
}

/* The caller holds the regions' lock. False: memory is short. */
static bool region_next(void)
{
	is_first = !region;
	char *memory = is_first		 ? map_aligned(FIRST_REGION, ALIGNMENT)
		       : prepared_region ? prepared_region
					 : region_make();

	prepared_region = NULL;
	if (!memory)
		return false;
	if (is_first)
		atomic_store_explicit(&first_region, memory, memory_order_relaxed);
	region = memory;
	region_end = memory + (is_first ? FIRST_REGION : REGION);
	return true;
}

/* Make the next region while other threads use the rest of this one. */
static void region_make_next(void)
{
	char *memory = region_make();

	pthread_mutex_lock(&regions_lock);
	prepared_region = memory;
	making_next = false;
	pthread_mutex_unlock(&regions_lock);
}

/*
 * Take memory from the rest of the region: slabs from its end, which is aligned as slabs are,
 * everything else from its start. The caller holds the regions' lock.
 */
static char *region_cut(size_t size, size_t alignment)
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
	char *at = region_cut(size, alignment);
	if (!at && region_next())
		at = region_cut(size, alignment);
	bool make =
		!is_first && !prepared_region && !making_next && region_end - region < REGION / 4;
	making_next |= make;
	pthread_mutex_unlock(&regions_lock);
	if (make)
		region_make_next();
	return at;
}

void tl_region_populate(void *memory, size_t size)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t within = getauxval(AT_PAGESZ) - 1, from = (uintptr_t)memory & ~within,
		  to = ((uintptr_t)memory + size + within) & ~within;

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
