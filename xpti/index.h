/*
 * index.h: finding what was put in by its contents: hash tables that only grow, in shards, read without a lock.
 *
 * A shard is an open-addressed array of pointers to entries, at most half full. Entries are put in under the shard's lock and never taken out. An array
 * that has become too small is replaced by one of twice its size and kept: a reader may still be in it. All that are kept are together smaller
 * than the one in use. A reader that finds nothing in an array that has been replaced takes the lock before it puts in, and looks again.
 */
#ifndef TL_XPTI_INDEX_H
#define TL_XPTI_INDEX_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What every entry begins with. */
struct tl_entry_head {
	uint64_t hash;
};

struct tl_index_array {
	struct tl_index_array *older;
	size_t mask;
	_Atomic(struct tl_entry_head *) at[];
};

struct tl_index {
	_Alignas(64) _Atomic(struct tl_index_array *) array;
	pthread_mutex_t lock;		/* of those who put in; protects all but reading */
	size_t count;
	char *free, *end;		/* memory for entries, see tl_index_alloc */
	size_t block;
};

/* An entry has these contents. */
typedef bool (*tl_index_same)(const struct tl_entry_head *entry, const void *key);

static inline __attribute__((always_inline)) struct tl_entry_head *tl_index_find(struct tl_index *index, uint64_t hash, tl_index_same same,
										 const void *key)
{
	/* Acquire pairs with tl_index_put's releases: the array, and the entries. */
	struct tl_index_array *array = atomic_load_explicit(&index->array, memory_order_acquire);

	if (!array)
		return NULL;
	for (size_t i = hash >> 8;; i++) {
		struct tl_entry_head *entry = atomic_load_explicit(&array->at[i & array->mask], memory_order_acquire);
		if (!entry || (entry->hash == hash && same(entry, key)))
			return entry;
	}
}

/* Memory for an entry, aligned to 16, never given back. Under the lock. NULL: there is none. */
void *tl_index_alloc(struct tl_index *index, size_t size);
/* Put in an entry that isn't there. Under the lock. False: no memory. */
bool tl_index_put(struct tl_index *index, struct tl_entry_head *entry);

static inline uint64_t tl_hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd1b54a32d192ed03u);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t tl_hash_bytes(const char *bytes, size_t size)
{
	uint64_t hash = size, a = 0, b = 0;

	for (; size > 16; bytes += 16, size -= 16) {
		memcpy(&a, bytes, 8);
		memcpy(&b, bytes + 8, 8);
		hash = tl_hash_mix(hash ^ a, b);
	}
	a = b = 0;
	memcpy(&a, bytes, size < 8 ? size : 8);
	if (size > 8)
		memcpy(&b, bytes + 8, size - 8);
	return tl_hash_mix(tl_hash_mix(hash ^ a, b), hash);
}

/* Which of `shards` (a power of two, at most 256) an entry is in; the array uses the bits above. */
static inline size_t tl_index_shard(uint64_t hash, size_t shards)
{
	return hash & (shards - 1);
}

/* All locks of an index's shards, in their order. */
void tl_index_lock_all(struct tl_index *shards, size_t count);
void tl_index_unlock_all(struct tl_index *shards, size_t count);

#define TL_INDEX_INITIALIZER { .lock = PTHREAD_MUTEX_INITIALIZER }

#endif
