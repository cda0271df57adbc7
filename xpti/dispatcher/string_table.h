/* SPDX-License-Identifier: MIT */
/*
 * string_table.h: strings and their numbers. A string is stored once and never freed.
 */
#ifndef TL_XPTI_DISPATCHER_STRING_TABLE_H
#define TL_XPTI_DISPATCHER_STRING_TABLE_H

#include <stdatomic.h>
#include <string.h>

#include "xpti/dispatcher/dispatcher_state.h"
#include "xpti/dispatcher/hash_trie.h"

struct tl_pool;

/* A string of the table; never freed. */
struct tl_xpti_text {
	struct tl_entry entry;
	uint32_t size;
	_Atomic xpti_string_id number; /* 0: none */
	char at[];
};

/* A string that is looked for. */
struct tl_xpti_key {
	const char *text;
	size_t size;
	uint64_t hash;
};

static inline struct tl_xpti_key tl_xpti_key(const char *string)
{
	size_t size = strlen(string);

	return (struct tl_xpti_key){string, size, tl_hash_bytes(string, size)};
}

static inline bool tl_xpti_text_is(const struct tl_xpti_text *text, const struct tl_xpti_key *key)
{
	return text->size == key->size && tl_same_bytes(text->at, key->text, key->size);
}

/* 0: the string has no number. */
static inline xpti_string_id tl_xpti_text_number(const struct tl_xpti_text *text)
{
	/* Acquire pairs with text_give_number's release: the number can be looked up. */
	return atomic_load_explicit(&text->number, memory_order_acquire);
}

/*
 * Find the string, or add it. With `numbered` it also gets a number where it has none. The caller
 * holds the pool's lock. NULL: memory is short.
 */
struct tl_xpti_text *tl_xpti_text(struct tl_pool *pool, const struct tl_xpti_key *key,
				  bool numbered);
/*
 * Find or add `string` and give it a number where it has none. Stores the entry in *text, returns
 * the number. NULL and XPTI_INVALID_STRING: memory is short.
 */
xpti_string_id tl_xpti_text_register(const char *string, const struct tl_xpti_text **text);
/* Take all numbers away. Takes the locks of all pools. */
void tl_xpti_strings_reset(void);

#endif
