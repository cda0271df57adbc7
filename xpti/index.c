/*
 * index.c: the writers' side of index.h.
 */
#include "xpti/index.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64, FIRST_BLOCK = 2048, LAST_BLOCK = 64 << 10 };

void *tl_index_alloc(struct tl_index *index, size_t size)
{
	size = (size + 15) & ~(size_t)15;
	if (size > LAST_BLOCK / 4)
		return malloc(size);
	if ((size_t)(index->end - index->free) < size) {
		size_t block = index->block ? index->block * 2 : FIRST_BLOCK;
		if (block > LAST_BLOCK)
			block = LAST_BLOCK;
		if (block < size)
			block = LAST_BLOCK;
		char *memory = malloc(block);
		if (!memory)
			return NULL;
		index->block = block;
		index->free = memory;
		index->end = memory + block;
	}
	void *place = index->free;
	index->free += size;
	return place;
}

static void place(struct tl_index_array *array, struct tl_entry_head *entry)
{
	size_t i = entry->hash >> 8;

	while (atomic_load_explicit(&array->at[i & array->mask], memory_order_relaxed))
		i++;
	/* Release pairs with tl_index_find's acquire: the entry's contents. */
	atomic_store_explicit(&array->at[i & array->mask], entry, memory_order_release);
}

static bool grow(struct tl_index *index)
{
	struct tl_index_array *old = atomic_load_explicit(&index->array, memory_order_relaxed);
	size_t slots = old ? 2 * (old->mask + 1) : FIRST_SLOTS;
	struct tl_index_array *array = calloc(1, sizeof(*array) + slots * sizeof(array->at[0]));

	if (!array)
		return false;
	array->mask = slots - 1;
	array->older = old;
	for (size_t i = 0; old && i <= old->mask; i++) {
		struct tl_entry_head *entry = atomic_load_explicit(&old->at[i], memory_order_relaxed);
		if (entry)
			place(array, entry);
	}
	/* Release pairs with tl_index_find's acquire: what is in it. */
	atomic_store_explicit(&index->array, array, memory_order_release);
	return true;
}

bool tl_index_put(struct tl_index *index, struct tl_entry_head *entry)
{
	struct tl_index_array *array = atomic_load_explicit(&index->array, memory_order_relaxed);

	if ((!array || 2 * (index->count + 1) > array->mask + 1) && !grow(index))
		return false;
	index->count++;
	place(atomic_load_explicit(&index->array, memory_order_relaxed), entry);
	return true;
}

void tl_index_lock_all(struct tl_index *shards, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pthread_mutex_lock(&shards[i].lock);
}

void tl_index_unlock_all(struct tl_index *shards, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pthread_mutex_unlock(&shards[i].lock);
}
