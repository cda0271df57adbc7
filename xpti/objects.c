/*
 * objects.c: the object table: bytes with a type, numbered from 0. Objects stay for the life of the process, where they are.
 */
#include <pthread.h>
#include <string.h>

#include "xpti/dispatcher.h"
#include "xpti/ids.h"
#include "xpti/index.h"

enum { SHARDS = 32 };

struct object {
	struct tl_entry_head head;
	uint32_t size;
	xpti_object_id number;
	uint8_t type;
	_Alignas(16) char at[];
};

struct key {
	const char *bytes;
	size_t size;
};

static struct tl_index shards[SHARDS] = { [0 ... SHARDS - 1] = TL_INDEX_INITIALIZER };
static struct tl_ids numbers;
static _Alignas(64) _Atomic int32_t next;

static bool same(const struct tl_entry_head *entry, const void *key_)
{
	const struct object *object = (const struct object *)entry;
	const struct key *key = key_;

	return object->size == key->size && memcmp(object->at, key->bytes, key->size) == 0;
}

/* Under the shard's lock. NULL: memory is short, or all numbers are given out. */
static struct object *put_in(struct tl_index *shard, uint64_t hash, const struct key *key, uint8_t type)
{
	struct object *object = tl_index_alloc(shard, sizeof(*object) + key->size);

	if (!object)
		return NULL;
	object->head.hash = hash;
	object->size = (uint32_t)key->size;
	object->type = type;
	memcpy(object->at, key->bytes, key->size);
	object->number = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
	if (object->number < 0 || object->number == XPTI_INVALID_OBJECT || !tl_ids_put(&numbers, (uint64_t)object->number, object))
		return NULL;
	return tl_index_put(shard, &object->head) ? object : NULL;
}

xpti_object_id xptiRegisterObject(const char *data, size_t size, uint8_t type)
{
	struct key key = { data, size };

	tl_xpti_start();
	if (!data || size > INT32_MAX)
		return XPTI_INVALID_OBJECT;
	uint64_t hash = tl_hash_bytes(data, size);
	struct tl_index *shard = &shards[tl_index_shard(hash, SHARDS)];
	struct object *object = (struct object *)tl_index_find(shard, hash, same, &key);
	if (!object) {
		pthread_mutex_lock(&shard->lock);
		object = (struct object *)tl_index_find(shard, hash, same, &key);
		if (!object)
			object = put_in(shard, hash, &key, type);
		pthread_mutex_unlock(&shard->lock);
	}
	return object ? object->number : XPTI_INVALID_OBJECT;
}

xpti_object xptiLookupObject(xpti_object_id id)
{
	tl_xpti_start();
	const struct object *object = id < 0 ? NULL : tl_ids_get(&numbers, (uint64_t)id);
	if (!object)
		return (xpti_object){ 0, NULL, 0 };
	return (xpti_object){ object->size, object->at, object->type };
}

void tl_xpti_objects_lock(void)
{
	tl_index_lock_all(shards, SHARDS);
}

void tl_xpti_objects_unlock(void)
{
	tl_index_unlock_all(shards, SHARDS);
}
