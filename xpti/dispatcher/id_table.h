/* SPDX-License-Identifier: MIT */
/*
 * id_table.h: a table from small numbers to pointers. It grows without moving its entries, so
 * readers need no lock.
 *
 * Chunk k holds 1024 << k entries; 22 chunks hold all possible numbers.
 */
#ifndef TL_XPTI_DISPATCHER_ID_TABLE_H
#define TL_XPTI_DISPATCHER_ID_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "xpti/dispatcher/pools.h"

#define TL_IDS_FIRST  1024u
#define TL_IDS_CHUNKS 22
/* how many entries get their memory at once */
#define TL_IDS_TOGETHER 1024u
#define TL_IDS_MAX	(((uint64_t)TL_IDS_FIRST << TL_IDS_CHUNKS) - TL_IDS_FIRST)

typedef _Atomic(void *) tl_ids_entry;

struct tl_ids {
	_Atomic(tl_ids_entry *) chunk[TL_IDS_CHUNKS];
};

static inline unsigned tl_ids_chunk(uint64_t place)
{
	return 63 - (unsigned)__builtin_clzll(place) - 10;
}

/* NULL: there is no entry with this number. */
static inline void *tl_ids_get(struct tl_ids *ids, uint64_t index)
{
	uint64_t place = index + TL_IDS_FIRST;

	if (index >= TL_IDS_MAX)
		return NULL;
	unsigned k = tl_ids_chunk(place);
	/*
	 * Acquire pairs with tl_ids_put's releases: this thread sees the chunk, and what the
	 * pointer points at.
	 */
	tl_ids_entry *chunk = atomic_load_explicit(&ids->chunk[k], memory_order_acquire);
	return chunk ? atomic_load_explicit(&chunk[place - ((uint64_t)TL_IDS_FIRST << k)],
					    memory_order_acquire)
		     : NULL;
}

/* The same, faster for numbers below TL_IDS_FIRST. */
static inline void *tl_ids_get_low(struct tl_ids *ids, uint64_t index)
{
	if (__builtin_expect(index >= TL_IDS_FIRST, 0))
		return tl_ids_get(ids, index);
	/* Acquire as in tl_ids_get. */
	tl_ids_entry *chunk = atomic_load_explicit(&ids->chunk[0], memory_order_acquire);
	return chunk ? atomic_load_explicit(&chunk[index], memory_order_acquire) : NULL;
}

/*
 * False: memory is short, or the number is too large. Several threads may call it at once, with
 * different numbers.
 */
static inline bool tl_ids_put(struct tl_ids *ids, uint64_t index, void *pointer)
{
	uint64_t place = index + TL_IDS_FIRST;

	if (index >= TL_IDS_MAX)
		return false;
	unsigned k = tl_ids_chunk(place);
	tl_ids_entry *chunk = atomic_load_explicit(&ids->chunk[k], memory_order_acquire);
	if (!chunk) {
		/* The chunk of a thread that comes second stays unused. */
		tl_ids_entry *made =
			tl_region_take(((size_t)TL_IDS_FIRST << k) * sizeof(*made), 64);
		if (!made)
			return false;
		/* Release pairs with the acquire loads of the chunk: readers see it all NULL. */
		if (atomic_compare_exchange_strong_explicit(&ids->chunk[k], &chunk, made,
							    memory_order_acq_rel,
							    memory_order_acquire))
			chunk = made;
	}
	place -= (uint64_t)TL_IDS_FIRST << k;
	/* Numbers are given in this order, more or less. */
	if (place % TL_IDS_TOGETHER == 0)
		tl_region_populate((void *)&chunk[place], TL_IDS_TOGETHER * sizeof(*chunk));
	/* Release pairs with tl_ids_get's acquire. */
	atomic_store_explicit(&chunk[place], pointer, memory_order_release);
	return true;
}

#endif
