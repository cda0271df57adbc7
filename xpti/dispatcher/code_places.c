/* SPDX-License-Identifier: MIT */
/*
 * code_places.c: see code_places.h.
 *
 * Most trace points are made at a place that exists. So a place is found by what its strings
 * contain: then the table of strings need not be searched. A place's hash is made of the strings'
 * hashes, and each string is read once.
 */
#include "xpti/dispatcher/code_places.h"

#include "xpti/dispatcher/pools.h"

static struct tl_index places;

struct key {
	struct tl_xpti_key name, file;
	uint32_t line, column;
};

static bool place_is_same(const struct tl_entry *entry, const void *key_)
{
	const struct tl_xpti_place *place = (const struct tl_xpti_place *)entry;
	const struct key *key = key_;

	return place->line == key->line && place->column == key->column &&
	       tl_xpti_text_is(place->name, &key->name) && tl_xpti_text_is(place->file, &key->file);
}

static __attribute__((noinline)) struct tl_xpti_place *
place_put(struct tl_pool *pool, struct tl_index_place *at, const struct key *key)
{
	const struct tl_xpti_text *name = tl_xpti_text(pool, &key->name, true),
				  *file = tl_xpti_text(pool, &key->file, true);
	struct tl_xpti_place *place = name && file ? tl_pool_alloc(pool, sizeof(*place)) : NULL;

	if (!place)
		return NULL;
	tl_index_prepare(&places);
	place->name = name;
	place->file = file;
	place->line = key->line;
	place->column = key->column;
	atomic_init(&place->instances, 0);
	struct tl_entry *there = tl_index_put(at, &place->entry, place_is_same, key);
	if (there != &place->entry)
		tl_pool_undo(pool, place, sizeof(*place));
	return (struct tl_xpti_place *)there;
}

/* A reset has taken the strings' numbers away. False: memory is short. */
static __attribute__((noinline)) bool place_number(struct tl_pool *pool, const struct key *key)
{
	return tl_xpti_text(pool, &key->name, true) && tl_xpti_text(pool, &key->file, true);
}

struct tl_xpti_place *tl_xpti_place(struct tl_pool *pool, const char *name, const char *file,
				    uint32_t line, uint32_t column)
{
	const struct key key = {.name = tl_xpti_key(name),
				.file = tl_xpti_key(file),
				.line = line,
				.column = column};
	uint64_t hash = tl_hash_mix(tl_hash_mix(key.name.hash, key.file.hash),
				    (uint64_t)line << 32 | column);
	struct tl_index_place at;
	struct tl_xpti_place *place =
		(struct tl_xpti_place *)tl_index_find_at(&places, &at, hash, place_is_same, &key);

	if (unlikely(!place))
		return place_put(pool, &at, &key);
	if (unlikely(!tl_xpti_text_number(place->name) || !tl_xpti_text_number(place->file)) &&
	    !place_number(pool, &key))
		return NULL;
	return place;
}

static void place_forget_instances(struct tl_entry *place)
{
	atomic_store_explicit(&((struct tl_xpti_place *)place)->instances, 0, memory_order_relaxed);
}

void tl_xpti_places_reset(void)
{
	tl_index_visit_all(&places, place_forget_instances);
}
