/* SPDX-License-Identifier: MIT */
/*
 * hash_trie.h: tables that find an entry by its contents: tries of hashes. They only grow, and need
 * no lock.
 *
 * The first bits of an entry's hash select a root; each bit more selects a child of the entry
 * there. A new entry is added by one compare-and-swap, at the end of the path of its hash, and
 * stays there. Nothing moves, nothing is copied, and no thread waits.
 */
#ifndef TL_XPTI_DISPATCHER_HASH_TRIE_H
#define TL_XPTI_DISPATCHER_HASH_TRIE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TL_INDEX_BITS = 14 };

/*
 * Every entry begins with this. It is small, since the first touch of an entry's memory costs more
 * than all else that is done to add it: so it has two children, and does not hold the hash.
 * Comparing the contents costs no more than comparing hashes.
 */
struct tl_entry {
	_Atomic(struct tl_entry *) child[2];
};

struct tl_index {
	_Alignas(4096) _Atomic(struct tl_entry *) roots[1 << TL_INDEX_BITS];
	_Atomic bool warm;
};

/* Where the search for an entry ended. */
struct tl_index_place {
	_Atomic(struct tl_entry *) *at;
	uint64_t rest; /* of the hash */
};

/* Returns true if the entry has these contents. */
typedef bool (*tl_index_same)(const struct tl_entry *entry, const void *key);

/* Search on from a place. NULL: there is no such entry, and its place is `place`. */
static inline __attribute__((always_inline)) struct tl_entry *
tl_index_find_on(struct tl_index_place *place, tl_index_same same, const void *key)
{
	for (;;) {
		/*
		 * Acquire pairs with tl_index_put's release: this thread sees the entry's contents.
		 */
		struct tl_entry *entry = atomic_load_explicit(place->at, memory_order_acquire);
		if (!entry || same(entry, key))
			return entry;
		place->at = &entry->child[place->rest >> 63];
		place->rest <<= 1;
	}
}

static inline __attribute__((always_inline)) struct tl_entry *
tl_index_find_at(struct tl_index *index, struct tl_index_place *place, uint64_t hash,
		 tl_index_same same, const void *key)
{
	place->at = &index->roots[hash >> (64 - TL_INDEX_BITS)];
	place->rest = hash << TL_INDEX_BITS;
	return tl_index_find_on(place, same, key);
}

static inline __attribute__((always_inline)) struct tl_entry *
tl_index_find(struct tl_index *index, uint64_t hash, tl_index_same same, const void *key)
{
	struct tl_index_place place;

	return tl_index_find_at(index, &place, hash, same, key);
}

/*
 * Map the roots before the first entry is added. Otherwise each page would be read first and
 * written later. These are two faults, and the second one stops all threads that run.
 */
void tl_index_warm_up(struct tl_index *index);

static inline void tl_index_prepare(struct tl_index *index)
{
	if (__builtin_expect(!atomic_load_explicit(&index->warm, memory_order_relaxed), 0))
		tl_index_warm_up(index);
}

/*
 * Add an entry that was not found at the place. Returns it, or the equal entry of another thread
 * that was first.
 */
static inline struct tl_entry *tl_index_put(struct tl_index_place *place, struct tl_entry *entry,
					    tl_index_same same, const void *key)
{
	struct tl_entry *there = NULL;

	for (int i = 0; i < 2; i++)
		atomic_init(&entry->child[i], NULL);
	/* Release pairs with tl_index_find_on's acquire. */
	while (!atomic_compare_exchange_strong_explicit(
		place->at, &there, entry, memory_order_release, memory_order_relaxed)) {
		there = tl_index_find_on(place, same, key);
		if (there)
			return there;
	}
	return entry;
}

/* Visit all entries, in no order. No thread may add entries meanwhile. */
typedef void (*tl_index_visit)(struct tl_entry *entry);
void tl_index_visit_all(struct tl_index *index, tl_index_visit visit);

/* ---- hashes ---- */

static inline uint64_t tl_hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product =
		(unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd1b54a32d192ed03u);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t tl_load_8(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, 8);
	return word;
}

static inline uint64_t tl_load_4(const char *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, 4);
	return word;
}

/* At most 16 bytes as two words, which may overlap. */
static inline void tl_load_short(const char *bytes, size_t size, uint64_t words[2])
{
	if (size >= 8) {
		words[0] = tl_load_8(bytes);
		words[1] = tl_load_8(bytes + size - 8);
	} else if (size >= 4) {
		words[0] = tl_load_4(bytes);
		words[1] = tl_load_4(bytes + size - 4);
	} else {
		words[0] = size ? (uint64_t)(uint8_t)bytes[0] << 16 |
					   (uint64_t)(uint8_t)bytes[size / 2] << 8 |
					   (uint8_t)bytes[size - 1]
				: 0;
		words[1] = 0;
	}
}

static inline uint64_t tl_hash_bytes(const char *bytes, size_t size)
{
	uint64_t hash = size, words[2];

	for (; size > 16; bytes += 16, size -= 16)
		hash = tl_hash_mix(hash ^ tl_load_8(bytes), tl_load_8(bytes + 8));
	tl_load_short(bytes, size, words);
	return tl_hash_mix(tl_hash_mix(hash ^ words[0], words[1]), hash);
}

/* Both have the same size. */
static inline bool tl_same_bytes(const char *a, const char *b, size_t size)
{
	uint64_t x[2], y[2];

	if (size > 16)
		return memcmp(a, b, size) == 0;
	tl_load_short(a, size, x);
	tl_load_short(b, size, y);
	return x[0] == y[0] && x[1] == y[1];
}

#endif
