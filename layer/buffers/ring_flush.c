/* SPDX-License-Identifier: MIT */
/*
 * ring_flush.c: a flush of rings: which chunks the reader takes. See rings.h.
 *
 * While chunks are sorted, .next links them, and .seen is the key.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "layer/buffers/chunks.h"
#include "format/file/record_words.h"
#include "layer/buffers/rings.h"

/* Merges two sorted lists, the latest turn first. */
static struct tl_chunk *chunks_merge(struct tl_chunk *a, struct tl_chunk *b)
{
	struct tl_chunk *all, **end = &all;

	while (a && b) {
		struct tl_chunk **later = a->seen > b->seen ? &a : &b;
		*end = *later;
		end = &(*later)->next;
		*later = *end;
	}
	*end = a ? a : b;
	return all;
}

static struct tl_chunk *chunks_sort(struct tl_chunk *list)
{
	struct tl_chunk *sorted[40] = {NULL}, *all = NULL;
	unsigned most = 0;

	/* sorted[i] is empty or has 2 to the i chunks. */
	while (list) {
		struct tl_chunk *one = list;
		unsigned i = 0;
		list = one->next;
		one->next = NULL;
		for (; sorted[i]; i++) {
			one = chunks_merge(sorted[i], one);
			sorted[i] = NULL;
		}
		sorted[i] = one;
		most = i > most ? i : most;
	}
	for (unsigned i = 0; i <= most; i++)
		all = chunks_merge(sorted[i], all);
	return all;
}

/*
 * Sets TL_RING_READER if the turn is still `seen`'s. Acquire: pairs with the releases of the
 * producer that opened the chunk, and that sealed it.
 */
static bool chunk_take_for_reader(struct tl_chunk *chunk, uint64_t seen)
{
	uint64_t owner = atomic_load_explicit(&chunk->owner, memory_order_relaxed);

	while (tl_ring_turn_of(owner) == tl_ring_turn_of(seen))
		if (atomic_compare_exchange_weak_explicit(
			    &chunk->owner, &owner, owner | TL_RING_READER, memory_order_acquire,
			    memory_order_relaxed))
			return true;
	return false;
}

/*
 * How far a live chunk is finished now. What comes while it is written does not count, since a
 * flush would have no end.
 */
static char *chunk_stop_now(const struct tl_producer *producer, const struct tl_chunk *chunk)
{
	uint64_t at = TL_POSITION_ADDRESS(
		atomic_load_explicit(&producer->thread.position, memory_order_relaxed));
	uint64_t begin = (uintptr_t)chunk->memory;

	return at - begin <= chunk->room ? (char *)(uintptr_t)at : chunk->memory + chunk->room;
}

/*
 * Without a live chunk: all that the thread has opened so far, and maybe the one that it opens now.
 * Of what it opens later the flush takes nothing: it could find a chunk sealed after it saw the one
 * before that still live. Acquire: pairs with the release in producer_introduce; the number is not
 * that of an earlier thread.
 */
static void producer_note_snapshot(struct tl_producer *producer)
{
	producer->snapshot_lane = __atomic_load_n(&producer->lane, __ATOMIC_ACQUIRE);
	producer->snapshot = __atomic_load_n(&producer->chunks, __ATOMIC_RELAXED) + 1;
}

/*
 * Takes the live chunk, even if it is sealed or replaced meanwhile. Returns it unless the reader
 * had it already.
 */
static struct tl_chunk *ring_take_live(struct tl_producer *producer)
{
	for (;;) {
		struct tl_chunk *chunk =
			atomic_load_explicit(&producer->current, memory_order_acquire);
		if (!chunk) {
			producer_note_snapshot(producer);
			return NULL;
		}
		/*
		 * Acquire: pairs with the release in tl_current_open; the turn's producer is set.
		 */
		uint64_t owner = atomic_load_explicit(&chunk->owner, memory_order_acquire);
		/*
		 * The chunk was sealed since, and is in use again; or it is about to be, and has no
		 * turn.
		 */
		if (__atomic_load_n(&chunk->producer, __ATOMIC_RELAXED) != producer ||
		    !tl_ring_turn_of(owner) || !chunk_take_for_reader(chunk, owner))
			continue;
		producer->snapshot = (uint32_t)owner / TL_RING_NUMBER;
		producer->snapshot_lane = tl_ring_lane_of(owner);
		chunk->stop = chunk_stop_now(producer, chunk);
		chunk->seen = owner | TL_RING_READER;
		return owner & TL_RING_READER ? NULL : chunk;
	}
}

static char *chunk_first_unfinished(const struct tl_chunk *chunk, const char *end)
{
	char *at = chunk->memory;

	while (at < end && tl_record_type_of(tl_record_first_word(at)))
		at += tl_record_size_of(tl_record_first_word(at));
	return at < end ? at : NULL;
}

/*
 * Drops a chunk that the reader has taken: newer ones have been reused, so it is not to be written.
 */
static void chunk_discard(struct tl_chunk *chunk)
{
	char *end = atomic_load_explicit(&chunk->sealed, memory_order_relaxed);
	struct tl_chunk_piece *piece = chunk->piece;
	uint64_t size = (uint64_t)(end - chunk->memory);
	bool finished;

	tl_ring_count_overwritten(chunk->producer, tl_ring_count_unread(chunk, &finished));
	/* A record that is finished later is counted then. */
	chunk->hole = finished ? NULL : chunk_first_unfinished(chunk, end);
	chunk->read = end;
	atomic_store_explicit(&piece->hole,
			      chunk->hole ? TL_HOLE(chunk->hole - chunk->memory, 0) : 0,
			      memory_order_relaxed);
	atomic_store_explicit(&piece->kept, size, memory_order_relaxed);
	atomic_store_explicit(&piece->taken, size, memory_order_relaxed);
	tl_ring_give_back(chunk);
}

/*
 * Whether a chunk comes directly before `newer` in its thread's run, or is the newest of its
 * thread.
 */
static bool chunk_continues(const struct tl_chunk *chunk, const struct tl_chunk *newer)
{
	return !newer || tl_ring_lane_of(newer->seen) != tl_ring_lane_of(chunk->seen) ||
	       tl_ring_turn_of(newer->seen) == tl_ring_turn_of(chunk->seen) + TL_RING_NUMBER;
}

/*
 * Whether there was something between the first chunk of a thread that this flush takes and the
 * last one that the flush before took.
 */
static bool chunk_follows_gap(const struct tl_chunk *chunk, const struct tl_producer *producer)
{
	uint32_t number = (uint32_t)chunk->seen / TL_RING_NUMBER;

	if (!producer->flushed || producer->flushed_lane != tl_ring_lane_of(chunk->seen))
		return number > 1;
	if (number == producer->flushed)
		return false;
	return number != producer->flushed + 1 ||
	       atomic_load_explicit(&producer->overwritten, memory_order_relaxed) !=
		       producer->flushed_overwritten;
}

/* Marks the chunks with a gap before them. `taken` has each thread's chunks, the oldest first. */
static void chunks_find_gaps(struct tl_chunk *taken)
{
	for (struct tl_chunk *chunk = taken, *before = NULL; chunk;
	     before = chunk, chunk = chunk->next)
		if (!before || before->producer != chunk->producer)
			chunk->gap |= chunk_follows_gap(chunk, chunk->producer);
	for (struct tl_chunk *chunk = taken; chunk; chunk = chunk->next) {
		struct tl_producer *producer = chunk->producer;
		producer->flushed = (uint32_t)chunk->seen / TL_RING_NUMBER;
		producer->flushed_lane = tl_ring_lane_of(chunk->seen);
		producer->flushed_overwritten =
			atomic_load_explicit(&producer->overwritten, memory_order_relaxed);
	}
}

struct tl_chunk *tl_ring_take_all(struct tl_chunk **last)
{
	struct tl_chunk *found = NULL, *taken = NULL, *next, *newer = NULL;

	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next) {
		struct tl_chunk *live = ring_take_live(producer);
		if (!live)
			continue;
		live->handed = true;
		live->next = found;
		found = live;
	}
	for (struct tl_chunk *chunk = tl_chunk_all(); chunk; chunk = chunk->all) {
		/* Acquire: pairs with the release in tl_current_open; .producer is set. */
		uint64_t owner = atomic_load_explicit(&chunk->owner, memory_order_acquire);
		struct tl_producer *producer = __atomic_load_n(&chunk->producer, __ATOMIC_RELAXED);
		if ((owner & (TL_RING_SEALED | TL_RING_READER)) != TL_RING_SEALED || !producer ||
		    tl_ring_lane_of(owner) != producer->snapshot_lane ||
		    (uint32_t)owner / TL_RING_NUMBER >= producer->snapshot)
			continue;
		chunk->seen = owner;
		chunk->next = found;
		found = chunk;
	}
	for (struct tl_chunk *chunk = chunks_sort(found); chunk; chunk = next) {
		next = chunk->next;
		/* The reader has a live chunk already. */
		if (!(chunk->seen & TL_RING_READER)) {
			if (!chunk_take_for_reader(chunk, chunk->seen))
				continue;
			if (!chunk_continues(chunk, newer)) {
				chunk_discard(chunk);
				continue;
			}
			chunk->handed = true;
			chunk->stop = atomic_load_explicit(&chunk->sealed, memory_order_relaxed);
		}
		newer = chunk;
		chunk->listed = true;
		chunk->next = taken;
		taken = chunk;
		if (!chunk->next)
			*last = chunk;
	}
	chunks_find_gaps(taken);
	return taken;
}

/* Whether no flush has to come back to a chunk of a thread that has ended. */
static bool chunk_is_done(const struct tl_chunk *chunk)
{
	/*
	 * Acquire: pairs with the release in tl_ring_keep; where the records end. And with that in
	 * tl_buffer_detach: the thread's list, which led through the chunk, is no longer used.
	 */
	return atomic_load_explicit(&chunk->owner, memory_order_acquire) & TL_RING_SEALED &&
	       atomic_load_explicit(&chunk->producer->ended, memory_order_acquire) &&
	       chunk->read == atomic_load_explicit(&chunk->sealed, memory_order_relaxed) &&
	       !chunk->hole;
}

void tl_ring_give_back(struct tl_chunk *chunk)
{
	chunk->handed = chunk->listed = false;
	if (chunk_is_done(chunk)) {
		atomic_store_explicit(&chunk->owner, 0, memory_order_relaxed);
		tl_ring_empty(chunk);
		tl_chunk_free(chunk);
		return;
	}
	/* Release: pairs with the acquire in ring_take; how far the chunk is read. */
	atomic_fetch_and_explicit(&chunk->owner, ~(uint64_t)TL_RING_READER, memory_order_release);
}
