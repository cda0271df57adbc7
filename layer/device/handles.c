/*
 * handles.c: see handles.h. Chains of entries; a new one goes to the front, with release, so that who finds it sees what is in it.
 */
#include "layer/device/handles.h"

#include <stddef.h>

/* Handles are addresses, as a rule: the lowest bits say nothing. */
static size_t bucket_of(const void *key)
{
	uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15;

	return hash >> 54;
}

_Static_assert(TL_HANDLE_BUCKETS == 1u << (64 - 54), "bucket_of gives as many bits");

struct tl_handle *tl_handles_find(const struct tl_handles *table, const void *key)
{
	/* Acquire, here and below, pairs with the release of who put it in. */
	struct tl_handle *handle = atomic_load_explicit(&table->buckets[bucket_of(key)], memory_order_acquire);

	while (handle && handle->key != key)
		handle = atomic_load_explicit(&handle->next, memory_order_acquire);
	return handle;
}

void tl_handles_put(struct tl_handles *table, struct tl_handle *handle)
{
	struct tl_handle *_Atomic *bucket = &table->buckets[bucket_of(handle->key)];

	atomic_store_explicit(&handle->next, atomic_load_explicit(bucket, memory_order_relaxed), memory_order_relaxed);
	atomic_store_explicit(bucket, handle, memory_order_release);
}

void tl_handles_remove(struct tl_handles *table, struct tl_handle *handle)
{
	struct tl_handle *_Atomic *at = &table->buckets[bucket_of(handle->key)];
	struct tl_handle *there;

	while ((there = atomic_load_explicit(at, memory_order_relaxed)) && there != handle)
		at = &there->next;
	if (there)
		atomic_store_explicit(at, atomic_load_explicit(&handle->next, memory_order_relaxed), memory_order_relaxed);
}

struct tl_handle *tl_handles_take(struct tl_handles *table, const void *key)
{
	struct tl_handle *handle = tl_handles_find(table, key);

	if (handle)
		tl_handles_remove(table, handle);
	return handle;
}
