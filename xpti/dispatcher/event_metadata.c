/* SPDX-License-Identifier: MIT */
/*
 * event_metadata.c: an event's metadata. It is a std::unordered_map<uint32_t, int32_t> in the
 * layout of libstdc++: subscribers in C++ iterate, search and insert with their own compiled code.
 *
 * All nodes are in one list. A bucket points at the node before its first node; the bucket of the
 * list's first node points at the map's own word .first, taken as a node. The hash of a key is the
 * key; its bucket is the remainder of a division by the number of buckets. An empty map has one
 * bucket, in the map itself. .next_resize is the number of nodes that fit before the map needs more
 * buckets. The map grows along libstdc++'s primes, but any number would do.
 *
 * The program's code frees what this file allocates, and the other way around. So memory comes from
 * operator new where the process has a C++ library when the dispatcher is loaded, and else from
 * malloc, which operator new uses unless a program replaces it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "xpti/dispatcher/event_metadata.h"
#include "xpti/dispatcher/string_table.h"
#include "xpti/dispatcher/trace_points.h"

_Static_assert(sizeof(xpti_payload) == 80 && sizeof(xpti_metadata) == 56 &&
		       sizeof(xpti_event) == 128,
	       "the binary interface");
_Static_assert(sizeof(xpti_metadata_node) == 16 && offsetof(xpti_event, metadata) == 56,
	       "the binary interface");

/* operator new(size_t) and operator delete(void *). */
extern void *_Znwm(size_t size) __attribute__((weak));
extern void _ZdlPv(void *memory) __attribute__((weak));

/* Protect threads that add to the same map from each other. The map's address selects the lock. */
enum { LOCKS = 32 };
static pthread_mutex_t locks[LOCKS] = {[0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t *map_lock(const xpti_metadata *map)
{
	return &locks[((uintptr_t)map >> 7) % LOCKS];
}

/* Where memory is short, operator new throws, and the exception passes through this file. */
static void *map_alloc(size_t size)
{
	return _Znwm ? _Znwm(size) : malloc(size);
}

static void map_free(void *memory)
{
	if (_ZdlPv)
		_ZdlPv(memory);
	else
		free(memory);
}

void tl_xpti_metadata_init(xpti_metadata *map)
{
	*map = (xpti_metadata){.bucket_count = 1, .max_load = 1.0f};
	map->buckets = &map->single_bucket;
}

void tl_xpti_metadata_clear(xpti_metadata *map)
{
	pthread_mutex_t *lock = map_lock(map);

	pthread_mutex_lock(lock);
	for (xpti_metadata_node *node = map->first, *next; node; node = next) {
		next = node->next;
		map_free(node);
	}
	if (map->buckets != &map->single_bucket)
		map_free(map->buckets);
	tl_xpti_metadata_init(map);
	pthread_mutex_unlock(lock);
}

bool tl_xpti_metadata_can_be(const xpti_event *found, const xpti_event *address)
{
	const xpti_metadata *map = &found->metadata, zero = {0};

	/* Memory that is all zero is no event. */
	if (memcmp(map, &zero, sizeof(zero)) == 0)
		return found->payload != NULL;
	return map->bucket_count && map->max_load > 0 && !map->first == !map->count &&
	       (map->bucket_count == 1) == (map->buckets == &address->metadata.single_bucket) &&
	       map->buckets && (uintptr_t)map->buckets % sizeof(void *) == 0 &&
	       (uintptr_t)map->first % sizeof(void *) == 0;
}

/* The map's word .first, taken as the node before the first node. */
static xpti_metadata_node *map_before_first(xpti_metadata *map)
{
	return (xpti_metadata_node *)(void *)&map->first;
}

static xpti_metadata_node *map_find(xpti_metadata *map, uint32_t key)
{
	size_t bucket = key % map->bucket_count;
	xpti_metadata_node *before = map->buckets[bucket];

	for (xpti_metadata_node *node = before ? before->next : NULL;
	     node && node->key % map->bucket_count == bucket; node = node->next)
		if (node->key == key)
			return node;
	return NULL;
}

static void map_link(xpti_metadata *map, xpti_metadata_node *node)
{
	size_t bucket = node->key % map->bucket_count;

	if (map->buckets[bucket]) {
		node->next = map->buckets[bucket]->next;
		map->buckets[bucket]->next = node;
		return;
	}
	node->next = map->first;
	map->first = node;
	if (node->next)
		map->buckets[node->next->key % map->bucket_count] = node;
	map->buckets[bucket] = map_before_first(map);
}

/* The numbers of buckets that libstdc++ uses while a map grows node by node. */
static size_t map_next_size(size_t count)
{
	static const size_t primes[] = {13,    29,     59,     127,    257,	541,
					1109,  2357,   5087,   10273,  20753,	42043,
					85229, 172933, 351061, 712697, 1447153, 2938679};

	for (size_t i = 0; i < sizeof(primes) / sizeof(primes[0]); i++)
		if (primes[i] > count)
			return primes[i];
	return 2 * count + 1;
}

/* Make room for one more node. One node per bucket, whatever load factor a program has chosen. */
static bool map_grow(xpti_metadata *map)
{
	size_t count =
		map_next_size(map->bucket_count > map->count ? map->bucket_count : map->count);
	xpti_metadata_node **buckets = map_alloc(count * sizeof(buckets[0])), *node = map->first,
			   *next;

	if (!buckets)
		return false;
	memset(buckets, 0, count * sizeof(buckets[0]));
	if (map->buckets != &map->single_bucket)
		map_free(map->buckets);
	map->buckets = buckets;
	map->bucket_count = count;
	map->next_resize = count;
	for (map->first = NULL; node; node = next) {
		next = node->next;
		map_link(map, node);
	}
	return true;
}

static xpti_result map_put(xpti_metadata *map, uint32_t key, int32_t value)
{
	xpti_metadata_node *node = map_find(map, key);

	if (node) {
		node->value = value;
		return XPTI_RESULT_DUPLICATE;
	}
	if (map->count + 1 > map->next_resize && !map_grow(map))
		return XPTI_RESULT_FAIL;
	node = map_alloc(sizeof(*node));
	if (!node)
		return XPTI_RESULT_FAIL;
	node->key = key;
	node->value = value;
	map_link(map, node);
	map->count++;
	return XPTI_RESULT_SUCCESS;
}

static void map_unlock(pthread_mutex_t **lock)
{
	pthread_mutex_unlock(*lock);
}

xpti_result xptiAddMetadata(xpti_event *event, const char *key, xpti_object_id value)
{
	tl_xpti_start();
	if (!event || !key || !*key || !tl_xpti_metadata_of(event))
		return XPTI_RESULT_INVALIDARG;
	const struct tl_xpti_text *text;
	xpti_string_id number = tl_xpti_text_register(key, &text);
	if (number == XPTI_INVALID_STRING)
		return XPTI_RESULT_FAIL;
	/* The cleanup unlocks also where operator new throws. */
	pthread_mutex_t *lock __attribute__((cleanup(map_unlock))) = map_lock(&event->metadata);
	pthread_mutex_lock(lock);
	/* Another thread may have released it since; nobody would clear it then. */
	if (!tl_xpti_metadata_of(event))
		return XPTI_RESULT_INVALIDARG;
	if (!event->metadata.bucket_count)
		tl_xpti_metadata_init(&event->metadata);
	return map_put(&event->metadata, number, value);
}

void tl_xpti_metadata_lock(void)
{
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_lock(&locks[i]);
}

void tl_xpti_metadata_unlock(void)
{
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_unlock(&locks[i]);
}
