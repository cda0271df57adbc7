/* SPDX-License-Identifier: MIT */
/*
 * handles.h: a table from a driver's handles to what the layer knows of them.
 *
 * Entries are the caller's structs, with a struct tl_handle as their first member. Finding takes no
 * lock. So an entry stays in memory for ever, unless the table's users hold their own lock around
 * every use; then they may also remove entries.
 */
#ifndef TL_LAYER_DEVICE_HANDLES_H
#define TL_LAYER_DEVICE_HANDLES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define TL_HANDLE_BUCKETS 1024u

struct tl_handle {
	const void *key;
	struct tl_handle *_Atomic next;
};

struct tl_handles {
	struct tl_handle *_Atomic buckets[TL_HANDLE_BUCKETS];
};

/* Handles are addresses, as a rule: the lowest bits say nothing. */
static inline size_t tl_handles_bucket(const void *key)
{
	uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15;

	return hash >> 54;
}

_Static_assert(TL_HANDLE_BUCKETS == 1u << (64 - 54), "tl_handles_bucket gives as many bits");

/* The handle's entry; NULL: there is none. */
static inline struct tl_handle *tl_handles_find(const struct tl_handles *table, const void *key)
{
	/*
	 * Acquire, here and below: pairs with the release in tl_handles_put; the entry is filled
	 * in.
	 */
	struct tl_handle *handle =
		atomic_load_explicit(&table->buckets[tl_handles_bucket(key)], memory_order_acquire);

	while (handle && handle->key != key)
		handle = atomic_load_explicit(&handle->next, memory_order_acquire);
	return handle;
}

/*
 * Only one thread at a time puts in or takes out. A new entry hides an older one with the same key.
 */
void tl_handles_put(struct tl_handles *table, struct tl_handle *handle);
struct tl_handle *tl_handles_take(struct tl_handles *table, const void *key);

/* Remove exactly this entry, if it is there, even if a newer one hides it. */
void tl_handles_remove(struct tl_handles *table, struct tl_handle *handle);

#endif
