/* SPDX-License-Identifier: MIT */
/*
 * handles.c: see handles.h. A bucket is a list of entries. A new entry is put at its front, with
 * release: a thread that finds it also sees its content.
 */
#include "layer/device/handles.h"

void tl_handles_put(struct tl_handles *table, struct tl_handle *handle)
{
	struct tl_handle *_Atomic *bucket = &table->buckets[tl_handles_bucket(handle->key)];

	atomic_store_explicit(&handle->next, atomic_load_explicit(bucket, memory_order_relaxed),
			      memory_order_relaxed);
	atomic_store_explicit(bucket, handle, memory_order_release);
}

void tl_handles_remove(struct tl_handles *table, struct tl_handle *handle)
{
	struct tl_handle *_Atomic *at = &table->buckets[tl_handles_bucket(handle->key)];
	struct tl_handle *there;

	while ((there = atomic_load_explicit(at, memory_order_relaxed)) && there != handle)
		at = &there->next;
	if (there)
		atomic_store_explicit(at, atomic_load_explicit(&handle->next, memory_order_relaxed),
				      memory_order_relaxed);
}

struct tl_handle *tl_handles_take(struct tl_handles *table, const void *key)
{
	struct tl_handle *handle = tl_handles_find(table, key);

	if (handle)
		tl_handles_remove(table, handle);
	return handle;
}
