/* SPDX-License-Identifier: MIT */
/*
 * rings.c: see rings.h. This is the producer's side; ring_flush.c is the reader's.
 *
 * tl_chunk.owner: the side that gives a chunk away stores it with release, and the side that takes
 * the chunk loads it with acquire: the chunk's records, and how far it is read.
 */
#include "layer/buffers/rings.h"

#include <stdatomic.h>
#include <stddef.h>

#include "format/file/record.h"
#include "format/file/record_words.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/chunks.h"
#include "layer/buffers/producers.h"
#include "layer/buffers/upcalls.h"

#define RETIRED_MOST  32 /* chunks of threads that have ended, found by one look */
#define RETIRED_TRIES 4	 /* looks before giving up */

static _Atomic uint64_t retired; /* bytes in rings of threads that have ended */

/* The newest of its producer's list. */
static void ring_link(struct tl_producer *producer, struct tl_chunk *chunk)
{
	chunk->newer = NULL;
	if (producer->oldest)
		producer->newest->newer = chunk;
	else
		producer->oldest = chunk;
	producer->newest = chunk;
	producer->ring += tl_chunk_size(chunk);
}

void tl_ring_keep(struct tl_producer *producer, struct tl_chunk *chunk)
{
	/* The chunks of a thread that has ended are found without a list. */
	if (atomic_load_explicit(&producer->ended, memory_order_relaxed))
		atomic_fetch_add_explicit(&retired, tl_chunk_size(chunk), memory_order_relaxed);
	else
		ring_link(producer, chunk);
	/*
	 * Release: pairs with the acquire of the reader and of ring_take; the records, and where
	 * they end.
	 */
	atomic_fetch_or_explicit(&chunk->owner, TL_RING_SEALED, memory_order_release);
	tl_buffer_upcalls->wake_writer();
}

uint64_t tl_ring_count_unread(const struct tl_chunk *chunk, bool *finished)
{
	const char *end = atomic_load_explicit(&chunk->sealed, memory_order_relaxed);
	uint64_t calls = 0;

	*finished = true;
	for (const char *at = chunk->memory; at < end;) {
		uint64_t word = tl_record_first_word(at);
		*finished &= tl_record_type_of(word) != TL_RECORD_NONE;
		calls += tl_record_counts(tl_record_type_of(word)) &&
			 (at >= chunk->read || at == chunk->hole);
		at += tl_record_step(word);
	}
	return calls;
}

void tl_ring_count_overwritten(struct tl_producer *producer, uint64_t calls)
{
	atomic_fetch_add_explicit(&producer->overwritten, calls, memory_order_relaxed);
	atomic_fetch_add_explicit(&producer->piece->overwritten, calls, memory_order_relaxed);
}

void tl_ring_empty(struct tl_chunk *chunk)
{
	struct tl_producer *producer = chunk->producer;

	if (atomic_load_explicit(&producer->ended, memory_order_relaxed))
		atomic_fetch_sub_explicit(&retired, tl_chunk_size(chunk), memory_order_relaxed);
	tl_chunk_clear(chunk);
	/* Release: pairs with the acquire of the thread that recycles the producer. */
	atomic_fetch_sub_explicit(&producer->unwritten, 1, memory_order_release);
}

/*
 * Takes a sealed chunk that nobody else has, and empties it. False: the reader was faster, or the
 * chunk has an unfinished record.
 */
static bool ring_take(struct tl_chunk *chunk, uint64_t owner)
{
	bool finished;

	/*
	 * Acquire: pairs with the releases of the producer that sealed the chunk and of the reader.
	 */
	if (!(owner & TL_RING_SEALED) || owner & TL_RING_READER ||
	    !atomic_compare_exchange_strong_explicit(&chunk->owner, &owner, 0, memory_order_acquire,
						     memory_order_relaxed))
		return false;
	struct tl_producer *victim = chunk->producer;
	bool ended = atomic_load_explicit(&victim->ended, memory_order_relaxed);
	uint64_t calls = tl_ring_count_unread(chunk, &finished);
	if (!finished && !(ended && tl_producer_is_unknown_to_kernel(victim))) {
		atomic_store_explicit(&chunk->owner, owner, memory_order_release);
		return false;
	}
	tl_ring_count_overwritten(victim, calls);
	tl_ring_empty(chunk);
	return true;
}

/* The oldest chunk of the producer's ring that can be used again. */
static struct tl_chunk *ring_reuse(struct tl_producer *producer)
{
	struct tl_chunk *before = NULL, *chunk, *newer;

	for (chunk = producer->oldest; chunk; before = chunk, chunk = newer) {
		newer = chunk->newer;
		if (!ring_take(chunk, atomic_load_explicit(&chunk->owner, memory_order_relaxed)))
			continue;
		if (before)
			before->newer = newer;
		else
			producer->oldest = newer;
		if (!newer)
			producer->newest = before;
		producer->ring -= tl_chunk_size(chunk);
		return chunk;
	}
	return NULL;
}

static bool chunk_is_readers(const struct tl_chunk *chunk)
{
	return atomic_load_explicit(&chunk->owner, memory_order_relaxed) & TL_RING_READER;
}

/*
 * The oldest chunks of threads that have ended, in order; the next ones to be used again. To find
 * them takes a look at every chunk that there is, so a look finds several.
 */
struct retired_chunks {
	int count, next;
	struct {
		uint64_t owner;
		struct tl_chunk *chunk;
	} oldest[RETIRED_MOST];
};

static atomic_flag retired_lock = ATOMIC_FLAG_INIT;
static struct retired_chunks retired_chunks; /* under the lock */

/* Puts a chunk in its place, unless it is newer than all that there is place for. */
static void retired_insert(struct retired_chunks *found, uint64_t owner, struct tl_chunk *chunk)
{
	int at = found->count;

	if (at == RETIRED_MOST && found->oldest[--at].owner < owner)
		return;
	for (; at > 0 && found->oldest[at - 1].owner > owner; at--)
		found->oldest[at] = found->oldest[at - 1];
	found->oldest[at].owner = owner;
	found->oldest[at].chunk = chunk;
	found->count += found->count < RETIRED_MOST;
}

/*
 * Finds the oldest chunks of threads that have ended, as far as such chunks have more than `share`
 * bytes. Those that the reader has do not count: they are older than what their threads have
 * besides.
 */
static void retired_find(struct retired_chunks *found, uint64_t share)
{
	uint64_t size = 0;
	int count = 0;

	found->count = found->next = 0;
	for (struct tl_chunk *chunk = tl_chunk_all(); chunk; chunk = chunk->all) {
		uint64_t owner = atomic_load_explicit(&chunk->owner, memory_order_acquire);
		struct tl_producer *producer = __atomic_load_n(&chunk->producer, __ATOMIC_RELAXED);
		/*
		 * Acquire: pairs with the release in tl_buffer_detach; the list that led through
		 * the chunk is no longer used.
		 */
		if ((owner & (TL_RING_SEALED | TL_RING_READER)) != TL_RING_SEALED || !producer ||
		    !atomic_load_explicit(&producer->ended, memory_order_acquire))
			continue;
		size += tl_chunk_size(chunk);
		retired_insert(found, owner, chunk);
	}
	for (; count < found->count && size > share; count++)
		size -= tl_chunk_size(found->oldest[count].chunk);
	found->count = count;
}

/* The oldest of those found that nobody has taken since. */
static struct tl_chunk *retired_take(struct retired_chunks *found)
{
	while (found->next < found->count) {
		int at = found->next++;
		if (ring_take(found->oldest[at].chunk, found->oldest[at].owner))
			return found->oldest[at].chunk;
	}
	return NULL;
}

/* The same; if there is none, after another look. */
static struct tl_chunk *retired_get(struct retired_chunks *found, uint64_t share)
{
	struct tl_chunk *chunk = retired_take(found);

	for (int tries = 0; tries < RETIRED_TRIES && !chunk; tries++) {
		retired_find(found, share);
		if (!found->count)
			return NULL;
		chunk = retired_take(found);
	}
	return chunk;
}

/* The oldest chunk of any thread that has ended, if such chunks have more than `share` bytes. */
static struct tl_chunk *ring_inherit(uint64_t share)
{
	struct retired_chunks found;

	found.count = found.next = 0;
	return retired_get(&found, share);
}

/*
 * The same, where such chunks have more than one ring: of those that a look has found before, if
 * there are any. A thread that meets another one here looks for itself.
 */
static struct tl_chunk *ring_inherit_surplus(void)
{
	/* Acquire: pairs with the release below; what the thread before found and took. */
	if (atomic_flag_test_and_set_explicit(&retired_lock, memory_order_acquire))
		return ring_inherit(tl_config.ring);
	struct tl_chunk *chunk = retired_get(&retired_chunks, tl_config.ring);
	atomic_flag_clear_explicit(&retired_lock, memory_order_release);
	return chunk;
}

static bool memory_is_short(void)
{
	return !tl_arena_left(tl_arena_memory() / 4) && !tl_chunk_is_free();
}

/*
 * A chunk of threads that have ended, if these have more than one ring: for a new thread, or where
 * memory is short. If there is more to be had, one is freed besides: a flush may have kept the
 * oldest for a while.
 */
static struct tl_chunk *ring_get_retired(const struct tl_producer *producer)
{
	struct tl_chunk *chunk, *more;

	if (atomic_load_explicit(&retired, memory_order_relaxed) <= tl_config.ring ||
	    (producer->oldest && !memory_is_short()))
		return NULL;
	chunk = ring_inherit_surplus();
	if (chunk && atomic_load_explicit(&retired, memory_order_relaxed) > tl_config.ring &&
	    memory_is_short() && (more = ring_inherit_surplus()))
		tl_chunk_free(more);
	return chunk;
}

struct tl_chunk *tl_ring_get(struct tl_producer *producer)
{
	bool large = producer->chunks > 0 && tl_config.ring >= 8 * (uint64_t)TL_CHUNK_SIZE;
	uint64_t size = large ? TL_CHUNK_SIZE : TL_CHUNK_SMALL;
	/*
	 * What the reader has counts no longer: else the newest chunk would be used again and
	 * again.
	 */
	uint64_t share = producer->oldest && chunk_is_readers(producer->oldest) ? 2 * tl_config.ring
										: tl_config.ring;
	bool grows = !producer->oldest || producer->ring + size <= share;
	struct tl_chunk *chunk = grows ? ring_get_retired(producer) : NULL, *more;

	if (!chunk && grows && (!producer->oldest || !memory_is_short()))
		chunk = tl_chunk_get(large);
	if (!chunk)
		chunk = ring_reuse(producer);
	/* Each takes time: a ring that grew shrinks step by step. */
	for (int i = 0; i < 2 && chunk && producer->ring + tl_chunk_size(chunk) > share &&
			(more = ring_reuse(producer));
	     i++)
		tl_chunk_free(more);
	if (!chunk)
		chunk = tl_chunk_get(large);
	return chunk ? chunk : ring_inherit(0);
}

void tl_ring_retire(struct tl_producer *producer)
{
	atomic_fetch_add_explicit(&retired, producer->ring, memory_order_relaxed);
	producer->oldest = producer->newest = NULL;
	producer->ring = 0;
}

void tl_ring_after_fork(void)
{
	atomic_store_explicit(&retired, 0, memory_order_relaxed);
	retired_chunks.count = retired_chunks.next = 0;
	atomic_flag_clear_explicit(&retired_lock, memory_order_relaxed);
}
