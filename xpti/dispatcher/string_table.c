/* SPDX-License-Identifier: MIT */
/*
 * string_table.c: the string table.
 *
 * A text is put in once, and stays; its number is given to it when it is registered, and taken away
 * by reset, which starts over from 1. So the pointer that was handed out for a text is good for
 * ever, and is the same one after a reset.
 *
 * Pools take numbers from the others' in runs, so that threads which register at the same time
 * don't write to the same memory each time: one thread's are 1, 2, 3 and so on, those of several
 * leave gaps.
 */
#include <string.h>

#include "xpti/dispatcher/dispatcher.h"
#include "xpti/dispatcher/id_table.h"
#include "xpti/dispatcher/hash_trie.h"
#include "xpti/dispatcher/pools.h"

enum { RUN = 32 };

struct tl_xpti_text {
	struct tl_entry entry;
	uint32_t size;
	_Atomic xpti_string_id number; /* 0: none */
	char at[];
};

struct key {
	const char *text;
	size_t size;
	uint64_t hash;
};

static struct tl_index texts;
static struct tl_ids numbers; /* index 0 is number 1 */
static _Alignas(64) _Atomic uint32_t runs;

static bool same(const struct tl_entry *entry, const void *key_)
{
	const struct tl_xpti_text *text = (const struct tl_xpti_text *)entry;
	const struct key *key = key_;

	return text->size == key->size && tl_same_bytes(text->at, key->text, key->size);
}

static inline struct key key_of(const char *string)
{
	size_t size = strlen(string);

	return (struct key){string, size, tl_hash_bytes(string, size)};
}

static inline struct tl_xpti_text *find(const struct key *key, struct tl_index_place *place)
{
	return (struct tl_xpti_text *)tl_index_find_at(&texts, place, key->hash, same, key);
}

/* Under the pool's lock, as all that puts in or gives numbers. */
static struct tl_xpti_text *put_in(struct tl_pool *pool, struct tl_index_place *place,
				   const struct key *key)
{
	size_t size = sizeof(struct tl_xpti_text) + key->size + 1;
	struct tl_xpti_text *text = key->size < UINT32_MAX ? tl_pool_alloc(pool, size) : NULL;

	if (!text)
		return NULL;
	tl_index_prepare(&texts);
	text->size = (uint32_t)key->size;
	atomic_init(&text->number, 0);
	memcpy(text->at, key->text, key->size + 1);
	struct tl_entry *there = tl_index_put(place, &text->entry, same, key);
	if (there != &text->entry)
		tl_pool_undo(pool, text, size);
	return (struct tl_xpti_text *)there;
}

static bool give_number(struct tl_pool *pool, struct tl_xpti_text *text)
{
	xpti_string_id none = 0;

	if (pool->next_number % RUN == 0)
		pool->next_number = atomic_fetch_add_explicit(&runs, 1, memory_order_relaxed) * RUN;
	if (!tl_ids_put(&numbers, pool->next_number, text))
		return false;
	/*
	 * Release pairs with tl_xpti_text_number's acquire: the number can be looked up. Where
	 * another thread was first, ours is given to the next.
	 */
	if (atomic_compare_exchange_strong_explicit(&text->number, &none, pool->next_number + 1,
						    memory_order_release, memory_order_relaxed))
		pool->next_number++;
	else
		tl_ids_put(&numbers, pool->next_number, NULL);
	return true;
}

xpti_string_id tl_xpti_text_number(const struct tl_xpti_text *text)
{
	/* Acquire pairs with give_number's release. */
	return atomic_load_explicit(&text->number, memory_order_acquire);
}

const char *tl_xpti_text_of(const struct tl_xpti_text *text)
{
	return text->at;
}

struct tl_xpti_text *tl_xpti_text(struct tl_pool *pool, const char *string, bool numbered)
{
	struct tl_index_place place;
	struct key key = key_of(string);
	struct tl_xpti_text *text = find(&key, &place);

	if (unlikely(!text) && !(text = put_in(pool, &place, &key)))
		return NULL;
	return !numbered || tl_xpti_text_number(text) || give_number(pool, text) ? text : NULL;
}

/* A number that a reset takes away at the same time was good. */
xpti_string_id tl_xpti_text_register(const char *string, const struct tl_xpti_text **registered)
{
	struct tl_index_place place;
	struct key key = key_of(string);
	struct tl_xpti_text *text = find(&key, &place);
	xpti_string_id number = text ? tl_xpti_text_number(text) : 0;

	if (!number) {
		struct tl_pool *pool = tl_pool_own();
		pthread_mutex_lock(&pool->lock);
		if (!text)
			text = put_in(pool, &place, &key);
		if (text && (tl_xpti_text_number(text) || give_number(pool, text)))
			number = tl_xpti_text_number(text);
		pthread_mutex_unlock(&pool->lock);
	}
	*registered = number ? text : NULL;
	return number ? number : XPTI_INVALID_STRING;
}

void tl_xpti_strings_reset(void)
{
	tl_pools_lock();
	uint64_t count = (uint64_t)atomic_load_explicit(&runs, memory_order_relaxed) * RUN;
	for (uint64_t i = 0; i < count; i++) {
		struct tl_xpti_text *text = tl_ids_get(&numbers, i);
		if (!text)
			continue;
		tl_ids_put(&numbers, i, NULL);
		atomic_store_explicit(&text->number, 0, memory_order_relaxed);
	}
	atomic_store_explicit(&runs, 0, memory_order_relaxed);
	for (int i = 0; i < TL_POOLS; i++)
		tl_pools[i].next_number = 0;
	tl_pools_unlock();
}

xpti_string_id xptiRegisterString(const char *string, char **table_string)
{
	const struct tl_xpti_text *text = NULL;

	tl_xpti_start();
	if (!table_string)
		return XPTI_INVALID_STRING;
	*table_string = NULL;
	if (!string || !*string)
		return XPTI_INVALID_STRING;
	xpti_string_id number = tl_xpti_text_register(string, &text);
	*table_string = text ? (char *)text->at : NULL;
	return number;
}

const char *xptiLookupString(xpti_string_id id)
{
	tl_xpti_start();
	const struct tl_xpti_text *text = tl_ids_get(&numbers, (uint64_t)id - 1);
	return text ? text->at : NULL;
}
