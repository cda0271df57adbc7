/* SPDX-License-Identifier: MIT */
/*
 * metadata.c: an event's metadata, which is a std::unordered_map<uint32_t, int32_t> as libstdc++
 * lays it out: subscribers in C++ iterate, search and insert with their own compiled code.
 *
 * The nodes make one list. The node before a bucket's first node is what the bucket points at; for
 * the bucket of the list's first node that is the map's own word .first, taken as a node. A key's
 * hash is the key, its bucket the remainder by their number. An empty map has one bucket, in the
 * map itself. .next_resize is how many nodes fit before there must be more buckets; the growth goes
 * by libstdc++'s primes, but any number would do.
 *
 * As their code frees what ours has allocated, and the other way around, memory comes from operator
 * new where the process has a C++ library when we are loaded, and else from malloc, which is what
 * operator new uses unless a program replaces it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "xpti/dispatcher/dispatcher.h"

_Static_assert(sizeof(xpti_payload) == 80 && sizeof(xpti_metadata) == 56 &&
		       sizeof(xpti_event) == 128,
	       "the binary interface");
_Static_assert(sizeof(xpti_metadata_node) == 16 && offsetof(xpti_event, metadata) == 56,
	       "the binary interface");

/* operator new(size_t) and operator delete(void *). */
extern void *_Znwm(size_t size) __attribute__((weak));
extern void _ZdlPv(void *memory) __attribute__((weak));

/* Protect those that add against each other; by the event's address. */
enum { LOCKS = 32 };
static pthread_mutex_t locks[LOCKS] = {[0 ... LOCKS - 1] = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t *lock_of(const xpti_metadata *map)
{
	return &locks[((uintptr_t)map >> 7) % LOCKS];
}

/* Where there is no memory, operator new throws through us. */
static void *take(size_t size)
{
	return _Znwm ? _Znwm(size) : malloc(size);
}

static void give(void *memory)
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
	pthread_mutex_t *lock = lock_of(map);

	pthread_mutex_lock(lock);
	for (xpti_metadata_node *node = map->first, *next; node; node = next) {
		next = node->next;
		give(node);
	}
	if (map->buckets != &map->single_bucket)
		give(map->buckets);
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

/* The map's own word, taken as the node before the first. */
static xpti_metadata_node *before_first(xpti_metadata *map)
{
	return (xpti_metadata_node *)(void *)&map->first;
}

static xpti_metadata_node *find(xpti_metadata *map, uint32_t key)
{
	size_t bucket = key % map->bucket_count;
	xpti_metadata_node *before = map->buckets[bucket];

	for (xpti_metadata_node *node = before ? before->next : NULL;
	     node && node->key % map->bucket_count == bucket; node = node->next)
		if (node->key == key)
			return node;
	return NULL;
}

static void link_in(xpti_metadata *map, xpti_metadata_node *node)
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
	map->buckets[bucket] = before_first(map);
}

/* The sizes that libstdc++ goes through when a map grows one by one. */
static size_t next_size(size_t count)
{
	static const size_t primes[] = {13,    29,     59,     127,    257,	541,
					1109,  2357,   5087,   10273,  20753,	42043,
					85229, 172933, 351061, 712697, 1447153, 2938679};

	for (size_t i = 0; i < sizeof(primes) / sizeof(primes[0]); i++)
		if (primes[i] > count)
			return primes[i];
	return 2 * count + 1;
}

/* Room for one more. Whatever load factor a program has chosen, one node to a bucket. */
static bool grow(xpti_metadata *map)
{
	size_t count = next_size(map->bucket_count > map->count ? map->bucket_count : map->count);
	xpti_metadata_node **buckets = take(count * sizeof(buckets[0])), *node = map->first, *next;

	if (!buckets)
		return false;
	memset(buckets, 0, count * sizeof(buckets[0]));
	if (map->buckets != &map->single_bucket)
		give(map->buckets);
	map->buckets = buckets;
	map->bucket_count = count;
	map->next_resize = count;
	for (map->first = NULL; node; node = next) {
		next = node->next;
		link_in(map, node);
	}
	return true;
}

static xpti_result put(xpti_metadata *map, uint32_t key, int32_t value)
{
	xpti_metadata_node *node = find(map, key);

	if (node) {
		node->value = value;
		return XPTI_RESULT_DUPLICATE;
	}
	if (map->count + 1 > map->next_resize && !grow(map))
		return XPTI_RESULT_FAIL;
	node = take(sizeof(*node));
	if (!node)
		return XPTI_RESULT_FAIL;
	node->key = key;
	node->value = value;
	link_in(map, node);
	map->count++;
	return XPTI_RESULT_SUCCESS;
}

static void unlock(pthread_mutex_t **lock)
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
	/* By itself where operator new throws. */
	pthread_mutex_t *lock __attribute__((cleanup(unlock))) = lock_of(&event->metadata);
	pthread_mutex_lock(lock);
	/* It may have been released since, and is not cleared any more then. */
	if (!tl_xpti_metadata_of(event))
		return XPTI_RESULT_INVALIDARG;
	if (!event->metadata.bucket_count)
		tl_xpti_metadata_init(&event->metadata);
	return put(&event->metadata, number, value);
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
