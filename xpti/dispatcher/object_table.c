/* SPDX-License-Identifier: MIT */
/*
 * object_table.c: the object table: bytes with a type, numbered from 0. An object stays at its
 * address for the life of the process.
 */
#include <string.h>

#include "xpti/dispatcher/dispatcher_state.h"
#include "xpti/dispatcher/id_table.h"
#include "xpti/dispatcher/hash_trie.h"
#include "xpti/dispatcher/pools.h"

struct object {
	struct tl_entry entry;
	uint32_t size;
	xpti_object_id number;
	uint8_t type;
	_Alignas(16) char at[];
};

struct key {
	const char *bytes;
	size_t size;
};

static struct tl_index objects;
static struct tl_ids objects_by_number;
static _Alignas(64) _Atomic int32_t next_object;

static bool object_is_same(const struct tl_entry *entry, const void *key_)
{
	const struct object *object = (const struct object *)entry;
	const struct key *key = key_;

	return object->size == key->size && tl_same_bytes(object->at, key->bytes, key->size);
}

/* The caller holds the pool's lock. NULL: memory is short, or all numbers are given out. */
static struct object *object_put(struct tl_pool *pool, struct tl_index_place *place,
				 const struct key *key, uint8_t type)
{
	struct object *object = tl_pool_alloc(pool, sizeof(*object) + key->size);

	if (!object)
		return NULL;
	object->size = (uint32_t)key->size;
	object->type = type;
	memcpy(object->at, key->bytes, key->size);
	object->number = atomic_fetch_add_explicit(&next_object, 1, memory_order_relaxed);
	if (object->number < 0 || object->number == XPTI_INVALID_OBJECT ||
	    !tl_ids_put(&objects_by_number, (uint64_t)object->number, object))
		return NULL;
	struct tl_entry *there = tl_index_put(place, &object->entry, object_is_same, key);
	if (there != &object->entry) {
		/*
		 * Another thread was first, so this number names nothing. The memory stays as it
		 * is: a thread that guesses numbers may be looking at it.
		 */
		tl_ids_put(&objects_by_number, (uint64_t)object->number, NULL);
	}
	return (struct object *)there;
}

xpti_object_id xptiRegisterObject(const char *data, size_t size, uint8_t type)
{
	struct key key = {data, size};
	struct tl_index_place place;

	tl_xpti_start();
	if (!data || size > INT32_MAX)
		return XPTI_INVALID_OBJECT;
	uint64_t hash = tl_hash_bytes(data, size);
	struct object *object =
		(struct object *)tl_index_find_at(&objects, &place, hash, object_is_same, &key);
	if (!object) {
		struct tl_pool *pool = tl_pool_own();
		pthread_mutex_lock(&pool->lock);
		object = object_put(pool, &place, &key, type);
		pthread_mutex_unlock(&pool->lock);
	}
	return object ? object->number : XPTI_INVALID_OBJECT;
}

xpti_object xptiLookupObject(xpti_object_id id)
{
	tl_xpti_start();
	const struct object *object = id < 0 ? NULL : tl_ids_get(&objects_by_number, (uint64_t)id);
	if (!object)
		return (xpti_object){0, NULL, 0};
	return (xpti_object){object->size, object->at, object->type};
}
