/* SPDX-License-Identifier: MIT */
/*
 * chunks.c: see chunks.h.
 *
 * Ordered accesses
 *
 *	queue			release push, acquire take: all of the chunk, and the chunks that
 *				its producer had before it
 *	queue and the header's .wake	sequentially consistent both sides: either the reader sees
 *					the chunk, or the producer sees the reader asleep
 *	given_back		release by the reader, acquire by the producer that waits: the chunk
 *				is in its list
 */
#include "layer/buffers/chunks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "layer/buffers/arena.h"
#include "layer/base/environment.h"
#include "layer/base/futex.h"
#include "layer/buffers/free_list.h"
#include "layer/buffers/pool.h"
#include "layer/buffers/rings.h"
#include "layer/buffers/upcalls.h"

#define CHUNK_LINK   offsetof(struct tl_chunk, next_free)
#define THREADS_PART 32 /* this part of the memory is kept for new threads; 2048 threads of 256M */
/* milliseconds without a chunk given back, after which events are dropped */
#define PATIENCE 2000
/* of the chunks that are made ahead: so many for each one that a producer made; so many at most */
#define AHEAD_EACH 2
#define AHEAD_MOST 16

_Static_assert(sizeof(struct tl_chunk_piece) == 128, "records begin at a cache line");

static _Atomic(struct tl_chunk *) all_chunks;
static struct tl_free_list free_small, free_large;
/*
 * Large chunks that the writer keeps ready, and how many are. A page of the arena costs as much as the
 * records that fill it. So each chunk that a producer had to make itself lets the writer make more of
 * them ahead, on another processor.
 */
static _Atomic int32_t ahead, ready;
static _Atomic uint32_t large_ones; /* that producers have made; counted up to TL_CHUNKS_MIDDLE */
static _Atomic(struct tl_chunk *) queue;
static _Atomic uint64_t queued;	    /* bytes pushed since the writer was last woken for them */
static _Atomic bool called;	    /* the reader is to wake for another reason */
static _Atomic uint32_t given_back; /* futex word: producers wait here for a chunk */
static _Atomic bool refused;	    /* the writer can't write */
/* waiting for a chunk was in vain; cleared by the next chunk that is given back */
static _Atomic bool stuck;

/*
 * NULL: what is left of the memory is kept for threads to come, which would have no events at all
 * otherwise. Checks that before it takes anything of the pool, which takes nothing back.
 */
static struct tl_chunk *chunk_make(uint32_t size)
{
	if (!tl_arena_left(size + tl_arena_memory() / THREADS_PART))
		return NULL;
	struct tl_chunk *chunk = tl_pool_take(sizeof(*chunk));
	struct tl_chunk_piece *piece = chunk ? tl_arena_take(TL_PIECE_CHUNK, size) : NULL;

	if (!piece)
		return NULL;
	piece->records = (uint32_t)TL_CHUNK_HEAD;
	chunk->piece = piece;
	chunk->memory = (char *)piece + TL_CHUNK_HEAD;
	chunk->room = size - TL_CHUNK_HEAD;
	chunk->all = atomic_load_explicit(&all_chunks, memory_order_relaxed);
	/* Release: pairs with the acquire in tl_chunk_all. */
	while (!atomic_compare_exchange_weak_explicit(&all_chunks, &chunk->all, chunk,
						      memory_order_release, memory_order_relaxed))
		;
	return chunk;
}

/*
 * `tracelayer top` reckons what it has not seen by the size of a thread's chunks. So those of a ring, which
 * go round, all have one size, and so have those of another thread that records much: tl_chunk_free.
 */
static struct tl_chunk *chunk_make_large(void)
{
	bool first =
		!tl_ring_is_policy() &&
		atomic_load_explicit(&large_ones, memory_order_relaxed) < TL_CHUNKS_MIDDLE &&
		atomic_fetch_add_explicit(&large_ones, 1, memory_order_relaxed) < TL_CHUNKS_MIDDLE;

	return chunk_make(first ? TL_CHUNK_MIDDLE : TL_CHUNK_SIZE);
}

static struct tl_free_list *chunk_free_list(bool large)
{
	return large ? &free_large : &free_small;
}

void tl_chunk_free(struct tl_chunk *chunk)
{
	/* Those of the middle size are for new threads from then on. */
	bool large = chunk->room > TL_CHUNK_MIDDLE;

	if (large)
		atomic_fetch_add_explicit(&ready, 1, memory_order_relaxed);
	tl_free_list_push(chunk_free_list(large), chunk, CHUNK_LINK);
}

struct tl_chunk *tl_chunk_all(void)
{
	/* Acquire: pairs with the release in chunk_make. */
	return atomic_load_explicit(&all_chunks, memory_order_acquire);
}

/* Producers use more than are ready. The first ones, of the middle size, say nothing of what follows. */
static void chunk_wish_more(const struct tl_chunk *made)
{
	if (made->room <= TL_CHUNK_MIDDLE)
		return;
	int32_t wished = atomic_load_explicit(&ahead, memory_order_relaxed) + AHEAD_EACH;

	atomic_store_explicit(&ahead, wished < AHEAD_MOST ? wished : AHEAD_MOST,
			      memory_order_relaxed);
}

void *tl_chunk_get(bool large)
{
	struct tl_chunk *chunk;

	for (int i = 0; i < 2; i++, large = !large) {
		chunk = tl_free_list_pop(chunk_free_list(large), CHUNK_LINK);
		if (chunk && large)
			atomic_fetch_sub_explicit(&ready, 1, memory_order_relaxed);
		if (!chunk)
			chunk = large ? chunk_make_large() : chunk_make(TL_CHUNK_SMALL);
		if (!chunk)
			continue;
		if (large && atomic_load_explicit(&ready, memory_order_relaxed) <= 0)
			chunk_wish_more(chunk);
		return chunk;
	}
	return NULL;
}

void tl_buffer_make_ahead(void)
{
	tl_arena_ask_cgroups();
	if (tl_ring_is_policy())
		return;
	for (int made = 0; made < AHEAD_MOST && tl_arena_left(tl_arena_memory() / 2); made++) {
		if (atomic_load_explicit(&ready, memory_order_relaxed) >=
		    atomic_load_explicit(&ahead, memory_order_relaxed))
			return;
		struct tl_chunk *chunk = chunk_make(TL_CHUNK_SIZE);
		if (!chunk)
			return;
		tl_chunk_free(chunk);
	}
}

/*
 * In the file's header, so that requests from outside wake the reader too. 1: the reader sleeps, or
 * is about to.
 */
static _Atomic uint32_t *reader_sleeps(void)
{
	static _Atomic uint32_t none;
	struct tl_file_header *header = tl_arena_header();

	return header ? &header->wake : &none;
}

void *tl_chunk_wait_for(void *(*get)(bool large), bool large)
{
	int waited = 0;
	void *got;

	while (!(got = get(large)) && waited < PATIENCE) {
		if (atomic_load_explicit(&stuck, memory_order_relaxed) ||
		    atomic_load_explicit(&refused, memory_order_relaxed))
			return NULL;
		uint32_t seen = atomic_load_explicit(&given_back, memory_order_acquire);
		if (tl_buffer_upcalls->help_writer()) {
			waited = 0;
			continue;
		}
		if ((got = get(large)))
			break;
		if (tl_futex_wait(&given_back, seen, 20) < 0 && errno == ETIMEDOUT)
			waited += 20;
		else if (atomic_load_explicit(&given_back, memory_order_relaxed) != seen)
			waited = 0;
	}
	if (!got)
		atomic_store_explicit(&stuck, true, memory_order_relaxed);
	return got;
}

bool tl_chunk_may_wait(void)
{
	return tl_config.full == TL_FULL_GROW &&
	       !atomic_load_explicit(&stuck, memory_order_relaxed) &&
	       !atomic_load_explicit(&refused, memory_order_relaxed);
}

static void wake_reader(void)
{
	/*
	 * Pairs with the fence in tl_buffer_wait: the reader stores .wake and then looks at the
	 * queue; a producer pushes and then looks at .wake.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(reader_sleeps(), memory_order_relaxed))
		return;
	atomic_store_explicit(reader_sleeps(), 0, memory_order_relaxed);
	tl_futex_wake_shared(reader_sleeps());
}

void tl_chunk_push(struct tl_chunk *chunk)
{
	struct tl_chunk *first = atomic_load_explicit(&queue, memory_order_relaxed);

	do {
		chunk->next = first;
	} while (!atomic_compare_exchange_weak_explicit(&queue, &first, chunk, memory_order_release,
							memory_order_relaxed));
	uint64_t size = tl_chunk_size(chunk);
	if (atomic_fetch_add_explicit(&queued, size, memory_order_relaxed) + size < TL_CHUNK_SIZE)
		return;
	atomic_store_explicit(&queued, 0, memory_order_relaxed);
	tl_buffer_upcalls->wake_writer();
	wake_reader();
}

void tl_chunk_clear(struct tl_chunk *chunk)
{
	atomic_store_explicit(&chunk->piece->lane, 0, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	memset(chunk->memory, 0,
	       (size_t)(atomic_load_explicit(&chunk->sealed, memory_order_relaxed) -
			chunk->memory));
	__atomic_store_n(&chunk->producer, NULL, __ATOMIC_RELAXED);
}

bool tl_chunk_is_free(void)
{
	static const uint64_t number = UINT32_MAX;

	return (atomic_load_explicit(&free_large.first, memory_order_relaxed) & number) ||
	       (atomic_load_explicit(&free_small.first, memory_order_relaxed) & number);
}

bool tl_chunk_is_exhausted(void)
{
	return tl_config.full == TL_FULL_DROP && !tl_chunk_is_free();
}

struct tl_chunk *tl_chunk_take_pushed(void)
{
	return atomic_exchange_explicit(&queue, NULL, memory_order_acquire);
}

void tl_chunk_tell_free(void)
{
	atomic_store_explicit(&stuck, false, memory_order_relaxed);
	atomic_fetch_add_explicit(&given_back, 1, memory_order_release);
	tl_futex_wake_some(&given_back, 1);
}

void tl_buffer_refuse(bool refuse)
{
	atomic_store_explicit(&refused, refuse, memory_order_relaxed);
	if (refuse) {
		atomic_fetch_add_explicit(&given_back, 1, memory_order_release);
		tl_futex_wake(&given_back);
	}
}

void tl_buffer_wait(int ms)
{
	atomic_store_explicit(reader_sleeps(), 1, memory_order_relaxed);
	/*
	 * Pairs with the fence in wake_reader, and with the command, which stores its request
	 * before it clears .wake.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&queue, memory_order_relaxed) &&
	    !atomic_load_explicit(&called, memory_order_relaxed) &&
	    !tl_buffer_upcalls->is_writer_asked())
		tl_futex_wait_shared(reader_sleeps(), 1, ms);
	atomic_store_explicit(reader_sleeps(), 0, memory_order_relaxed);
	atomic_store_explicit(&called, false, memory_order_relaxed);
}

void tl_buffer_wake(void)
{
	atomic_store_explicit(&called, true, memory_order_relaxed);
	wake_reader();
}

void tl_chunk_after_fork(void)
{
	tl_free_list_forget(&free_small);
	tl_free_list_forget(&free_large);
	atomic_store_explicit(&ahead, 0, memory_order_relaxed);
	atomic_store_explicit(&ready, 0, memory_order_relaxed);
	atomic_store_explicit(&large_ones, 0, memory_order_relaxed);
	atomic_store_explicit(&all_chunks, NULL, memory_order_relaxed);
	atomic_store_explicit(&queue, NULL, memory_order_relaxed);
	atomic_store_explicit(&queued, 0, memory_order_relaxed);
	atomic_store_explicit(&stuck, false, memory_order_relaxed);
	atomic_store_explicit(&refused, false, memory_order_relaxed);
}
