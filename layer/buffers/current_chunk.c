/* SPDX-License-Identifier: MIT */
/*
 * current_chunk.c: see current_chunk.h.
 *
 * Ordered accesses
 *
 *	tl_chunk.sealed		release by the producer, acquire by the reader: no record will be
 *				reserved in the chunk any more
 *	tl_producer.current	release by the producer, acquire by the reader: the chunk's fields
 *				are set, and older chunks are in the queue
 */
#include "layer/buffers/current_chunk.h"

#include <stdatomic.h>
#include <stddef.h>

#include "format/file/record.h"
#include "layer/buffers/chunks.h"
#include "layer/buffers/rings.h"

/* The chunk's number in the upper bits, for positions of the chunk after this one. */
static uint64_t position_next_tag(uint64_t position)
{
	return ((position >> 48) + 1) << 48;
}

void tl_current_seal(struct tl_producer *producer, uint64_t at)
{
	struct tl_chunk *chunk = atomic_load_explicit(&producer->current, memory_order_relaxed);
	uint64_t limit = producer->thread.limit;
	uint64_t tag = position_next_tag(limit);

	producer->last_limit = limit;
	producer->thread.limit = tag;
	atomic_store_explicit(&producer->thread.position, tag, memory_order_relaxed);
	if (!chunk)
		return;
	atomic_fetch_add_explicit(&producer->unwritten, 1, memory_order_relaxed);
	char *end = (char *)(uintptr_t)TL_POSITION_ADDRESS(at < limit ? at : limit);
	atomic_store_explicit(&chunk->piece->end, (uint64_t)(end - chunk->memory),
			      memory_order_relaxed);
	atomic_store_explicit(&chunk->sealed, end, memory_order_release);
	if (tl_ring_is_policy())
		tl_ring_keep(producer, chunk);
	else
		tl_chunk_push(chunk);
	atomic_store_explicit(&producer->current, NULL, memory_order_release);
}

void tl_current_hand_over(struct tl_producer *producer)
{
	if (atomic_load_explicit(&producer->current, memory_order_relaxed))
		tl_current_seal(producer, atomic_load_explicit(&producer->thread.position,
							       memory_order_relaxed));
}

/*
 * From here on, recovery reads the chunk. Release: for a reader after a kill, which must not see
 * the lane without the rest.
 */
static void piece_mark_taken(struct tl_chunk_piece *piece, const struct tl_producer *producer)
{
	atomic_store_explicit(&piece->number, producer->chunks, memory_order_relaxed);
	atomic_store_explicit(&piece->kept, 0, memory_order_relaxed);
	atomic_store_explicit(&piece->taken, 0, memory_order_relaxed);
	atomic_store_explicit(&piece->block, 0, memory_order_relaxed);
	atomic_store_explicit(&piece->hole, 0, memory_order_relaxed);
	atomic_store_explicit(&piece->end, 0, memory_order_relaxed);
	atomic_store_explicit(&piece->lane, producer->lane, memory_order_release);
}

void tl_current_open(struct tl_producer *producer, struct tl_chunk *chunk)
{
	uint64_t tag = producer->thread.limit >> 48 << 48;

	__atomic_store_n(&chunk->producer, producer, __ATOMIC_RELAXED);
	chunk->begin = chunk->end = chunk->read = chunk->memory;
	chunk->hole = NULL;
	chunk->listed = chunk->taken = chunk->gap = false;
	atomic_store_explicit(&chunk->sealed, NULL, memory_order_relaxed);
	/*
	 * Release: pairs with the acquire in live_take. The reader may hold this chunk from before
	 * it was recycled, and must then see all of the above.
	 */
	__atomic_store_n(&chunk->handed, false, __ATOMIC_RELEASE);
	__atomic_store_n(&producer->chunks, producer->chunks + 1, __ATOMIC_RELAXED);
	piece_mark_taken(chunk->piece, producer);
	/*
	 * Release: pairs with the reader's acquire in chunk_take_for_reader; the fields above are
	 * set.
	 */
	atomic_store_explicit(&chunk->owner, tl_ring_turn(producer, producer->chunks),
			      memory_order_release);
	atomic_store_explicit(&producer->current, chunk, memory_order_release);
	atomic_store_explicit(&producer->thread.position, tag | (uintptr_t)chunk->memory,
			      memory_order_relaxed);
	producer->thread.limit = tag | (uintptr_t)(chunk->memory + chunk->room);
}

uint64_t *tl_current_place(struct tl_producer *producer, uint64_t size)
{
	uint64_t at = atomic_load_explicit(&producer->thread.position, memory_order_relaxed);

	if (producer->thread.limit - at - size > TL_CHUNK_MAX)
		return NULL;
	atomic_store_explicit(&producer->thread.position, at + size, memory_order_relaxed);
	return (uint64_t *)(uintptr_t)TL_POSITION_ADDRESS(at);
}

static uint64_t producer_ticks_now(const struct tl_producer *producer)
{
	return tl_ticks(&producer->thread);
}

/* The piece's count is for a reader after a kill, when a call that found no entry is lost, too. */
static void piece_note_lost(struct tl_producer *producer)
{
	atomic_store_explicit(
		&producer->piece->lost,
		atomic_load_explicit(&producer->lost, memory_order_relaxed) +
			atomic_load_explicit(&producer->unentered, memory_order_relaxed),
		memory_order_relaxed);
}

void tl_buffer_lose_here(struct tl_producer *producer, uint64_t count)
{
	uint64_t lost = atomic_fetch_add_explicit(&producer->lost, count, memory_order_relaxed);

	piece_note_lost(producer);
	if (lost == producer->lost_said)
		producer->lost_since = producer_ticks_now(producer);
}

void tl_buffer_unentered_begins(struct tl_producer *producer)
{
	atomic_fetch_add_explicit(&producer->unentered, 1, memory_order_relaxed);
	piece_note_lost(producer);
}

void tl_buffer_unentered_returns(struct tl_producer *producer)
{
	uint64_t count = atomic_load_explicit(&producer->unentered, memory_order_relaxed);

	while (count &&
	       !atomic_compare_exchange_weak_explicit(&producer->unentered, &count, count - 1,
						      memory_order_relaxed, memory_order_relaxed))
		;
	if (&producer->thread == tl_self)
		piece_note_lost(producer);
}

static _Atomic uint64_t unreturned;

void tl_buffer_lose_unentered(struct tl_producer *producer)
{
	uint64_t count = atomic_load_explicit(&producer->unentered, memory_order_relaxed);

	if (TL_LIKELY(!count))
		return;
	count = atomic_exchange_explicit(&producer->unentered, 0, memory_order_relaxed);
	atomic_fetch_add_explicit(&unreturned, count, memory_order_relaxed);
	tl_buffer_lose_here(producer, count);
}

uint64_t tl_buffer_unreturned(void)
{
	uint64_t all = atomic_load_explicit(&unreturned, memory_order_relaxed);

	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next)
		all += atomic_load_explicit(&producer->unentered, memory_order_relaxed);
	return all;
}

void tl_current_say_lost(struct tl_producer *producer)
{
	uint64_t lost = atomic_load_explicit(&producer->lost, memory_order_relaxed);
	uint64_t *record;

	if (lost == producer->lost_said ||
	    !(record = tl_current_place(producer, sizeof(struct tl_call_record))))
		return;
	record[1] = producer->lost_since;
	record[2] = producer_ticks_now(producer) - producer->lost_since;
	record[3] = lost - producer->lost_said;
	tl_record_commit(record,
			 sizeof(struct tl_call_record) / 8 | (uint64_t)TL_RECORD_LOST << 16);
	/* Release: pairs with the acquire in buffers_count_lost; .lost was at least as much. */
	__atomic_store_n(&producer->lost_said, lost, __ATOMIC_RELEASE);
	atomic_store_explicit(&producer->piece->lost_said, lost, memory_order_relaxed);
}

void tl_current_give_up(struct tl_producer *producer, uint64_t at, uint64_t size)
{
	uint64_t limit = producer->last_limit;

	if (at >> 48 != limit >> 48 || at >= limit || !TL_POSITION_ADDRESS(limit))
		return;
	if (size > limit - at)
		size = limit - at;
	tl_record_commit((uint64_t *)(uintptr_t)TL_POSITION_ADDRESS(at),
			 size / 8 | (uint64_t)TL_RECORD_PAD << 16);
}
