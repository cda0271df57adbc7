/* SPDX-License-Identifier: MIT */
/*
 * buffer.c: the slow path of a reservation: a record that does not fit into its chunk gets a new
 * chunk. buffer.h has the interface; this page is about the whole of it.
 *
 *	buffer.c		tl_record_reserve_slow
 *	current_chunk.c		a producer's current chunk: opened, sealed, losses noted in it
 *	chunks.c		making chunks, free lists, waiting for a free one, the queue
 *	producers.c		threads' producers
 *	lane_numbers.c		the numbers of lanes
 *	rings.c, ring_flush.c	the flight recorder
 *	chunk_reader.c		the reader's side
 *
 * The way of a chunk
 *
 *	free list or arena --> producer's .current --> queue --> ready list --> writer --> free list
 *
 * A producer, and the signal handlers of its thread, reserve room in .current by moving .position
 * in one instruction. Each reservation then stores its record's size, fills the record, and commits
 * it by storing the first word again with the type. A reservation that runs past .limit has no
 * room. Since .position stays past the limit, no later one has room either, until the slow path,
 * with all signals blocked, has put a new chunk there. The chunk's number in the upper bits of
 * .position and .limit tells a reservation made in the old chunk from one in the new.
 *
 * The full chunk is sealed (.sealed says where its records end) and pushed on the queue. The queue
 * is a stack: any number of producers push, and the one reader takes all of it and reverses it. So
 * a thread's chunks come out in order.
 *
 * A page of the arena costs as much as the records that fill it. So where producers have had to make
 * chunks themselves, the writer makes some ahead, and puts them on the free list.
 *
 * Reservations that found no room, or that a handler's change of chunk made void, are filled by a
 * PAD record, so that no zero word is left between records for long.
 *
 * The ring
 *
 *	free list or arena --> .current --> the producer's ring --+--> .current
 *	                          |                               |
 *	                          +--> ready list --> writer -----+--> free list (the thread has ended)
 *
 * The flight recorder does not hand a sealed chunk over. The chunk stays in its producer's list.
 * When the list has as many bytes as are to be kept, the producer uses its oldest chunk again,
 * without asking the reader. A flush takes all chunks, the live ones too, and gives them back when
 * they are written. One word, .owner, decides who may have a chunk. It holds the chunk's turn (the
 * lane, and the number that the chunk has among the lane's chunks), a bit SEALED, and a bit READER.
 *
 *	producer opens it		turn
 *	producer seals it		turn, SEALED
 *	reader takes it, live or not	READER is set, if the turn is still the one that the reader
 *					has seen
 *	reader gives it back		READER is cleared; 0, if all of it is read and the thread
 *					has ended
 *	producer uses it again		turn, SEALED -> 0, by compare and exchange: not while the
 *					reader has it
 *
 * The reader looks at the live chunk first. Then it takes the sealed ones, from the newest to the
 * oldest, while the producer reuses the oldest first. So where the producer was faster with one
 * chunk, it was faster with all older ones, and the chunks that the reader takes have no gap
 * between them. A chunk remembers how far it was read (.read), so no event is written by two
 * flushes. When a chunk is reused, the calls in it that were not read are counted (.overwritten).
 * The producer does not reuse a chunk that has an unfinished record, since the interrupted code
 * still writes there, nor one that the reader has. When newer chunks have been reused, the rest of
 * such a chunk does not belong to the newest run any more: the next flush does not write it, and
 * counts it, too.
 *
 * While the reader has a producer's oldest chunk, the producer's share is twice as large, so that
 * the newest events do not overwrite each other. Where all chunks are the reader's, and there are
 * no new ones, the newest events are lost. A quarter of the memory is kept for that, and for new
 * threads' first chunks. Threads that have ended share one more ring of the same size: when they
 * have more than that, without what the reader has, new threads take their oldest chunks, and so do
 * all whose rings grow once memory is short. What the reader has read of them is free at once: else
 * each flush would take more chunks than the one before it, and take longer. models/chunks.pml is a
 * model of all this.
 *
 * Ordered accesses: each file describes its own. One rule holds for all: whoever hands a chunk on
 * stores with release, and whoever takes it loads with acquire.
 */
#include "layer/buffers/buffer.h"

#include <stdatomic.h>
#include <stddef.h>

#include "layer/buffers/arena.h"
#include "layer/buffers/blocked.h"
#include "layer/buffers/chunk_reader.h"
#include "layer/buffers/chunks.h"
#include "layer/buffers/current_chunk.h"
#include "layer/buffers/lane_numbers.h"
#include "layer/buffers/pool.h"
#include "layer/buffers/producers.h"
#include "layer/buffers/rings.h"
#include "layer/buffers/process_state.h"

static uint64_t *reserve_in_new_chunk(struct tl_producer *producer, uint64_t size, uint64_t at)
{
	bool large = producer->chunks > 0;

	tl_current_seal(producer, at);
	struct tl_chunk *chunk = tl_ring_is_policy() ? tl_ring_get(producer) : tl_chunk_get(large);
	if (!chunk && tl_chunk_may_wait())
		chunk = tl_chunk_wait_for(tl_chunk_get, large);
	if (!chunk)
		return NULL;
	tl_current_open(producer, chunk);
	tl_current_say_lost(producer);
	return tl_current_place(producer, size);
}

void *tl_record_reserve_slow(struct tl_thread *thread, uint64_t size, uint64_t at)
{
	struct tl_producer *producer = (struct tl_producer *)thread;
	struct tl_blocked blocked;
	uint64_t *record = NULL;

	if (tl_buffer_is_stale(thread)) {
		tl_process_notice_fork();
		return NULL;
	}
	if (tl_process_is_confined()) {
		tl_buffer_lose_here(producer, 1);
		return NULL;
	}
	/* No chunk is free: drop the event here, before the cost of blocking signals. */
	bool fits = size <= TL_RECORD_MAX;
	if (!fits || (!atomic_load_explicit(&producer->current, memory_order_relaxed) &&
		      tl_chunk_is_exhausted() && !tl_arena_left(TL_CHUNK_SMALL))) {
		tl_buffer_lose_here(producer, 1);
		return NULL;
	}
	tl_blocked_begin(&blocked);
	if (at >> 48 != thread->limit >> 48) {
		tl_current_give_up(producer, at, size);
		record = tl_current_place(producer, size);
		at = atomic_load_explicit(&thread->position, memory_order_relaxed);
	}
	if (!record)
		record = reserve_in_new_chunk(producer, size, at);
	if (!record)
		tl_buffer_lose_here(producer, 1);
	tl_blocked_end(&blocked);
	return record;
}

void tl_buffer_hand_over(struct tl_thread *thread)
{
	struct tl_blocked blocked;

	if (tl_buffer_is_stale(thread))
		return;
	tl_blocked_begin(&blocked);
	tl_current_hand_over((struct tl_producer *)thread);
	tl_blocked_end(&blocked);
}

void tl_buffer_after_fork(void)
{
	tl_producer_after_fork();
	tl_chunk_after_fork();
	tl_ring_after_fork();
	tl_lane_numbers_after_fork();
	tl_chunk_reader_after_fork();
	tl_pool_after_fork();
	tl_arena_after_fork();
}
