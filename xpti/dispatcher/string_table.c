/* SPDX-License-Identifier: MIT */
/*
 * string_table.c: the string table.
 *
 * A string is stored once and stays. It gets its number when a program registers it. A reset takes
 * the numbers away, and the next ones start from 1 again. So the pointer to a string is valid for
 * ever, and is the same after a reset.
 *
 * Each pool takes numbers in runs of 32, so that threads that register at the same time do not all
 * write to one counter. The numbers of one thread are 1, 2, 3 and so on; those of several threads
 * leave gaps.
 */
#include <string.h>

#include "xpti/dispatcher/string_table.h"
#include "xpti/dispatcher/id_table.h"
#include "xpti/dispatcher/hash_trie.h"
#include "xpti/dispatcher/pools.h"

enum { RUN = 32 };

static struct tl_index texts;
static struct tl_ids texts_by_number; /* index 0 is number 1 */
static _Alignas(64) _Atomic uint32_t runs;

static bool text_is_same(const struct tl_entry *entry, const void *key)
{
	return tl_xpti_text_is((const struct tl_xpti_text *)entry, key);
}

static inline struct tl_xpti_text *text_find(const struct tl_xpti_key *key,
					     struct tl_index_place *place)
{
	return (struct tl_xpti_text *)tl_index_find_at(&texts, place, key->hash, text_is_same, key);
}

/*
 * Name the text by the pool's next number, which stays the next one. The caller holds the pool's
 * lock, as for all that adds strings or gives numbers. False: memory is short.
 */
static inline bool number_name(struct tl_pool *pool, struct tl_xpti_text *text)
{
	if (pool->next_number % RUN == 0)
		pool->next_number = atomic_fetch_add_explicit(&runs, 1, memory_order_relaxed) * RUN;
	return tl_ids_put(&texts_by_number, pool->next_number, text);
}

/*
 * With `numbered` it gets its number before other threads can find it, which saves an atomic
 * operation.
 */
static struct tl_xpti_text *text_put(struct tl_pool *pool, struct tl_index_place *place,
				     const struct tl_xpti_key *key, bool numbered)
{
	size_t size = sizeof(struct tl_xpti_text) + key->size + 1;
	struct tl_xpti_text *text = key->size < UINT32_MAX ? tl_pool_alloc_8(pool, size) : NULL;

	if (!text)
		return NULL;
	tl_index_prepare(&texts);
	text->size = (uint32_t)key->size;
	memcpy(text->at, key->text, key->size + 1);
	numbered = numbered && number_name(pool, text);
	atomic_init(&text->number, numbered ? pool->next_number + 1 : 0);
	struct tl_entry *there = tl_index_put(place, &text->entry, text_is_same, key);
	if (there == &text->entry) {
		pool->next_number += numbered;
	} else if (numbered) {
		/*
		 * Another thread was first. This number goes to the next string. The memory stays
		 * as it is: a thread that guesses numbers may be looking at it.
		 */
		tl_ids_put(&texts_by_number, pool->next_number, NULL);
	} else {
		tl_pool_undo(pool, text, size);
	}
	return (struct tl_xpti_text *)there;
}

static bool text_give_number(struct tl_pool *pool, struct tl_xpti_text *text)
{
	xpti_string_id none = 0;

	if (!number_name(pool, text))
		return false;
	/*
	 * Release pairs with tl_xpti_text_number's acquire: the number can be looked up. Where
	 * another thread was first, this number goes to the next string.
	 */
	if (atomic_compare_exchange_strong_explicit(&text->number, &none, pool->next_number + 1,
						    memory_order_release, memory_order_relaxed))
		pool->next_number++;
	else
		tl_ids_put(&texts_by_number, pool->next_number, NULL);
	return true;
}

struct tl_xpti_text *tl_xpti_text(struct tl_pool *pool, const struct tl_xpti_key *key,
				  bool numbered)
{
	struct tl_index_place place;
	struct tl_xpti_text *text = text_find(key, &place);

	if (unlikely(!text) && !(text = text_put(pool, &place, key, numbered)))
		return NULL;
	return !numbered || tl_xpti_text_number(text) || text_give_number(pool, text) ? text : NULL;
}

/* A reset may take the number away at the same time; the number is valid until then. */
xpti_string_id tl_xpti_text_register(const char *string, const struct tl_xpti_text **registered)
{
	struct tl_index_place place;
	struct tl_xpti_key key = tl_xpti_key(string);
	struct tl_xpti_text *text = text_find(&key, &place);
	xpti_string_id number = text ? tl_xpti_text_number(text) : 0;

	if (!number) {
		struct tl_pool *pool = tl_pool_own();
		pthread_mutex_lock(&pool->lock);
		if (!text)
			text = text_put(pool, &place, &key, true);
		if (text && (tl_xpti_text_number(text) || text_give_number(pool, text)))
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
		struct tl_xpti_text *text = tl_ids_get(&texts_by_number, i);
		if (!text)
			continue;
		tl_ids_put(&texts_by_number, i, NULL);
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

static __attribute__((noinline)) const char *lookup_string_first(xpti_string_id id)
{
	tl_xpti_start_slowly();
	return xptiLookupString(id);
}

const char *xptiLookupString(xpti_string_id id)
{
	if (!tl_xpti_has_started())
		return lookup_string_first(id);
	const struct tl_xpti_text *text = tl_ids_get(&texts_by_number, (uint64_t)id - 1);
	return text ? text->at : NULL;
}
