/* SPDX-License-Identifier: MIT */
/*
 * stream_names.c: the numbers of streams and of tools (called vendors in the original), from 1 to
 * 254. A name gets its number once and keeps it. Also the level of detail of each stream.
 */
#include <pthread.h>
#include <string.h>

#include "xpti/dispatcher/stream_names.h"
#include "xpti/dispatcher/hash_trie.h"
#include "xpti/dispatcher/pools.h"

enum { LAST = 254, NONE = 255 };

struct named {
	struct tl_entry entry;
	uint8_t number;
	char name[];
};

struct names {
	struct tl_index index;
	uint32_t count; /* protected by names_lock */
};

static struct names streams, vendors;
/* Held by a thread that adds a name, so that numbers have no gaps. */
static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;
/* The detail of each stream, less xpti_detail_normal, so that all streams start with normal. */
static _Atomic uint8_t details[256];

static bool name_is_same(const struct tl_entry *entry, const void *name)
{
	return strcmp(((const struct named *)entry)->name, name) == 0;
}

static struct named *name_put(struct names *names, struct tl_index_place *place, const char *name,
			      size_t size)
{
	struct named *named =
		names->count < LAST ? tl_region_take(sizeof(*named) + size + 1, 16) : NULL;

	if (!named)
		return NULL;
	named->number = (uint8_t)++names->count;
	memcpy(named->name, name, size + 1);
	tl_index_put(place, &named->entry, name_is_same, name);
	return named;
}

static uint8_t name_number(struct names *names, const char *name)
{
	struct tl_index_place place;

	if (!name || !*name)
		return NONE;
	size_t size = strlen(name);
	uint64_t hash = tl_hash_bytes(name, size);
	struct named *named =
		(struct named *)tl_index_find_at(&names->index, &place, hash, name_is_same, name);
	if (!named) {
		pthread_mutex_lock(&names_lock);
		named = (struct named *)tl_index_find_on(&place, name_is_same, name);
		if (!named)
			named = name_put(names, &place, name, size);
		pthread_mutex_unlock(&names_lock);
	}
	return named ? named->number : NONE;
}

uint8_t tl_xpti_stream_number(const char *name)
{
	return name_number(&streams, name);
}

void tl_xpti_stream_set_detail(uint8_t stream, uint8_t level)
{
	atomic_store_explicit(&details[stream], (uint8_t)(level - xpti_detail_normal),
			      memory_order_relaxed);
}

void tl_xpti_streams_forget_detail(void)
{
	for (unsigned stream = 0; stream < 256; stream++)
		tl_xpti_stream_set_detail((uint8_t)stream, xpti_detail_normal);
}

void tl_xpti_names_lock(void)
{
	pthread_mutex_lock(&names_lock);
}

void tl_xpti_names_unlock(void)
{
	pthread_mutex_unlock(&names_lock);
}

uint8_t xptiRegisterStream(const char *stream)
{
	tl_xpti_start();
	return tl_xpti_stream_number(stream);
}

uint8_t xptiGetEffectiveStreamDetailLevel(xpti_stream_id stream)
{
	tl_xpti_start();
	return (uint8_t)(atomic_load_explicit(&details[stream], memory_order_relaxed) +
			 xpti_detail_normal);
}

/* Types of trace points and types of events have the same form. */
static uint16_t user_defined_type(const char *tool, uint8_t value)
{
	tl_xpti_start();
	return (uint16_t)(name_number(&vendors, tool) << 8 | xpti_trace_user_defined | value);
}

uint16_t xptiRegisterUserDefinedTracePoint(const char *tool, uint8_t value)
{
	return user_defined_type(tool, value);
}

uint16_t xptiRegisterUserDefinedEventType(const char *tool, uint8_t value)
{
	return user_defined_type(tool, value);
}
