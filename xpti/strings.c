/*
 * strings.c: the string table.
 *
 * A text is put in once, and stays; its number is given to it when it is registered, and taken away by reset, which starts over from 1. So the pointer
 * that was handed out for a text is good for ever, and is the same one after a reset.
 */
#include <pthread.h>
#include <string.h>

#include "xpti/dispatcher.h"
#include "xpti/ids.h"
#include "xpti/index.h"

enum { SHARDS = 32 };

struct tl_xpti_text {
	struct tl_entry_head head;
	uint32_t size;
	_Atomic xpti_string_id number;	/* 0: none */
	char at[];
};

struct key {
	const char *text;
	size_t size;
};

static struct tl_index shards[SHARDS] = { [0 ... SHARDS - 1] = TL_INDEX_INITIALIZER };
static struct tl_ids numbers;		/* index 0 is number 1 */
static _Alignas(64) _Atomic uint32_t last;

static bool same(const struct tl_entry_head *entry, const void *key_)
{
	const struct tl_xpti_text *text = (const struct tl_xpti_text *)entry;
	const struct key *key = key_;

	return text->size == key->size && memcmp(text->at, key->text, key->size) == 0;
}

static struct tl_index *shard_of(uint64_t hash)
{
	return &shards[tl_index_shard(hash, SHARDS)];
}

static struct tl_xpti_text *put_in(struct tl_index *shard, uint64_t hash, const struct key *key)
{
	struct tl_xpti_text *text = tl_index_alloc(shard, sizeof(*text) + key->size + 1);

	if (!text)
		return NULL;
	text->head.hash = hash;
	text->size = (uint32_t)key->size;
	atomic_store_explicit(&text->number, 0, memory_order_relaxed);
	memcpy(text->at, key->text, key->size);
	text->at[key->size] = '\0';
	return tl_index_put(shard, &text->head) ? text : NULL;
}

struct tl_xpti_text *tl_xpti_text(const char *string)
{
	struct key key = { string, strlen(string) };

	if (key.size > UINT32_MAX - 1)
		return NULL;
	uint64_t hash = tl_hash_bytes(key.text, key.size);
	struct tl_index *shard = shard_of(hash);
	struct tl_entry_head *entry = tl_index_find(shard, hash, same, &key);
	if (entry)
		return (struct tl_xpti_text *)entry;
	pthread_mutex_lock(&shard->lock);
	entry = tl_index_find(shard, hash, same, &key);
	struct tl_xpti_text *text = entry ? (struct tl_xpti_text *)entry : put_in(shard, hash, &key);
	pthread_mutex_unlock(&shard->lock);
	return text;
}

const char *tl_xpti_text_of(const struct tl_xpti_text *text)
{
	return text->at;
}

xpti_string_id tl_xpti_text_number(struct tl_xpti_text *text)
{
	/* Acquire pairs with the release below: the number can be looked up. */
	xpti_string_id number = atomic_load_explicit(&text->number, memory_order_acquire);

	if (likely(number))
		return number;
	struct tl_index *shard = shard_of(text->head.hash);
	pthread_mutex_lock(&shard->lock);
	number = atomic_load_explicit(&text->number, memory_order_relaxed);
	if (!number) {
		number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
		if (tl_ids_put(&numbers, number - 1, text))
			atomic_store_explicit(&text->number, number, memory_order_release);
		else
			number = XPTI_INVALID_STRING;
	}
	pthread_mutex_unlock(&shard->lock);
	return number;
}

void tl_xpti_strings_lock(void)
{
	tl_index_lock_all(shards, SHARDS);
}

void tl_xpti_strings_unlock(void)
{
	tl_index_unlock_all(shards, SHARDS);
}

void tl_xpti_strings_reset(void)
{
	tl_xpti_strings_lock();
	uint32_t count = atomic_load_explicit(&last, memory_order_relaxed);
	for (uint32_t i = 0; i < count; i++) {
		struct tl_xpti_text *text = tl_ids_get(&numbers, i);
		if (!text)
			continue;
		tl_ids_put(&numbers, i, NULL);
		atomic_store_explicit(&text->number, 0, memory_order_relaxed);
	}
	atomic_store_explicit(&last, 0, memory_order_relaxed);
	tl_xpti_strings_unlock();
}

xpti_string_id xptiRegisterString(const char *string, char **table_string)
{
	tl_xpti_start();
	if (!table_string)
		return XPTI_INVALID_STRING;
	*table_string = NULL;
	if (!string || !*string)
		return XPTI_INVALID_STRING;
	struct tl_xpti_text *text = tl_xpti_text(string);
	xpti_string_id number = text ? tl_xpti_text_number(text) : XPTI_INVALID_STRING;
	if (number != XPTI_INVALID_STRING)
		*table_string = text->at;
	return number;
}

const char *xptiLookupString(xpti_string_id id)
{
	tl_xpti_start();
	const struct tl_xpti_text *text = tl_ids_get(&numbers, (uint64_t)id - 1);
	return text ? text->at : NULL;
}
