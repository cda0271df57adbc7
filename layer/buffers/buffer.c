/* SPDX-License-Identifier: MIT */
/*
 * buffer.c: per-thread event buffers. See buffer.h for who calls what.
 *
 * The way of a chunk
 *
 *	free list or arena --> producer's .current --> queue --> ready list --> writer --> free list
 *
 * A producer, and the signal handlers of its thread, reserve room in .current by moving .position
 * in one instruction. Each reservation then stores its record's size, fills the record, and commits
 * it by storing the first word again with the type. A reservation that runs past .limit has no
 * room; since .position stays past the limit, so has every later one, until the slow path, with all
 * signals blocked, has put a new chunk there. The chunk's number in the upper bits of .position and
 * .limit tells a reservation made in the old chunk from one in the new.
 *
 * The full chunk is sealed (.sealed says where its records end) and pushed on the queue, a stack
 * that any number of producers push on and the one reader takes whole and turns around; so a
 * thread's chunks come out in order.
 *
 * The reader (the writer, or whoever has its lock) walks a chunk from record to record. In a live
 * chunk it stops at the first record that is not committed. In a sealed one such a record belongs
 * to a reservation that a signal handler interrupted, and the chunk waits for it; it is never
 * recycled before, since the interrupted code still writes there. When everything is flushed, the
 * reader steps over it. Reservations that found no room, or that a handler's change of chunk made
 * void, are filled by a PAD record, so that no zero word is left between records for long.
 *
 * Producers are never freed. One whose thread has ended goes to a list, from where it is taken for
 * a new thread once the kernel says that the thread is gone and the writer has given back all its
 * chunks: until then late destructors may still record, and the writer still needs its name.
 *
 * The ring
 *
 *	free list or arena --> .current --> the producer's ring --+--> .current
 *	                          |                               |
 *	                          +--> ready list --> writer -----+
 *
 * Flight recorder: a sealed chunk is not handed over, but kept in its producer's list, and when the
 * list has as many bytes as are to be kept the producer uses its oldest again, without asking
 * anybody. A flush takes what is there, the live chunks too, and gives all of it back when it is
 * written. Who may have a chunk is decided by one word, .owner: whose turn it is (the lane, and the
 * number that the chunk has among the lane's), whether it is sealed, and whether the reader has it.
 *
 *	producer opens it		turn
 *	producer seals it		turn, SEALED
 *	reader takes it, live or not	READER is set, if the turn is still the one that the reader
 *					has seen
 *	reader gives it back		READER is cleared
 *	producer uses it again		turn, SEALED -> 0, by compare and exchange: not while the
 *					reader has it
 *
 * The reader looks at the live chunk first and takes then what is sealed, the newest first; the
 * producer reuses the oldest first. So where the producer was faster with one chunk it was with all
 * that are older, and what is taken has no gap. What the reader has read of a chunk (.read) stays
 * with it, so no event is written by two flushes; the calls that were not read when a chunk is
 * reused are counted (.overwritten). A chunk with a record that is not finished is passed over,
 * since the code that was interrupted still writes there; so are those that the reader has. What is
 * left of such a chunk when newer ones have been reused is no part of the newest run any more: the
 * next flush does not write it, and counts it, too.
 *
 * While the reader has all of a producer's chunks, that takes new ones, beyond its share; where
 * there are none, the newest events are lost. A quarter of the memory is kept for that, and for new
 * threads' first chunks. Threads that have ended share one ring more of the same size: when they
 * have more than that, new threads take the oldest of it. models/chunks.pml is a model of all this.
 *
 * Ordered accesses
 *
 *	record's first word	release by the producer, acquire by the reader: the record is whole
 *	tl_chunk.sealed		release by the producer, acquire by the reader: nothing is reserved
 *				in it any more
 *	queue			release push, acquire take: all of the chunk and its producer's
 *				chunks before it
 *	tl_producer.current	release by the producer, acquire by the reader: the chunk's fields,
 *				and that older chunks are in the queue
 *	free lists		acquire-release both ways: a chunk is zero again
 *	tl_chunk.owner		release by who gives a chunk away, acquire by who takes it: its
 *				records, and how far it is read
 *	tl_producer.unwritten	release when a chunk is given back, acquire by who recycles the
 *				producer
 *	queue and the header's .wake	sequentially consistent both sides: either the reader sees
 *					the chunk, or the producer sees it waiting
 */
#include "layer/buffers/buffer.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/proc.h"
#include "format/file/record.h"
#include "common/text.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/buffers/pool.h"
#include "layer/buffers/process_state.h"
#include "layer/buffers/upcalls.h"

#define HEADER	      ((uint64_t)sizeof(struct tl_chunk_piece)) /* before a chunk's records */
#define PRODUCER_SIZE TL_FILE_PAGE /* a thread's piece, with its open calls */
#define TIDS	      (1u << 22)   /* PID_MAX_LIMIT: all of the kernel's numbers are below */
#define RECYCLE_TRIES 64	   /* producers looked at before a new one is made */
#define THREADS_PART  32	   /* of the memory; 2048 threads of 256M */
/* milliseconds without a chunk given back, after which events get lost */
#define PATIENCE 2000

_Static_assert(sizeof(struct tl_chunk_piece) == 128, "records begin at a cache line");
_Static_assert(sizeof(struct tl_thread_piece) == 128, "open calls begin at a cache line");

__thread struct tl_thread *tl_self __attribute__((tls_model("initial-exec")));

static uint32_t generation = 1;
static _Atomic uint32_t lanes;

/*
 * Which of the kernel's thread numbers lanes have had, a bit each; a later thread gets one that the
 * kernel never gives out.
 */
static _Atomic(_Atomic uint64_t *) had_tids;
static _Atomic uint32_t next_shown = TIDS;

/*
 * Free things, each list by the number of its first thing in the lower half and a count of changes,
 * against ABA, in the upper.
 */
struct free_list {
	_Atomic uint64_t first;
};

static _Atomic(struct tl_chunk *) all_chunks;
static _Atomic uint64_t retired; /* bytes in rings of threads that have ended */
static struct free_list free_small, free_large, fresh_producers, ended_producers, checked_producers;
static struct tl_producer nobody; /* of the threads that memory was too short for */
static _Atomic(struct tl_producer *) producers = &nobody;

static _Atomic(struct tl_chunk *) queue;
static _Atomic uint64_t queued;	    /* bytes pushed since the writer was last woken for them */
static _Atomic bool called;	    /* it is to wake for another reason */
static _Atomic uint32_t given_back; /* futex word: producers wait here for a chunk */
static _Atomic bool refused;	    /* the writer can't write */
/* waiting for one was in vain; cleared by the next that is given back */
static _Atomic bool stuck;

/* The reader's own: used under the writer's lock. */
static struct tl_chunk *ready, **ready_end = &ready;
static bool flush;		     /* everything up to its beginning is being given out */
static struct tl_producer *flushing; /* next one whose current chunk is to be read */
static uint32_t given;		     /* chunks that the writer has */
static bool stepping_over;
static uint32_t scan;

struct blocked {
	sigset_t signals;
	int cancel;
	int error;
};

/* Nothing of the program runs in this thread from here to unblock. */
static void block(struct blocked *blocked)
{
	sigset_t all;

	blocked->error = errno;
	sigfillset(&all);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &blocked->signals, 8);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &blocked->cancel);
}

static void unblock(const struct blocked *blocked)
{
	int ignored;

	pthread_setcancelstate(blocked->cancel, &ignored);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &blocked->signals, NULL, 8);
	errno = blocked->error;
}

/*
 * 1: the reader sleeps, or is about to. In the header, so that requests from outside wake it too.
 */
static _Atomic uint32_t *waiting(void)
{
	static _Atomic uint32_t none;
	struct tl_file_header *header = tl_arena_header();

	return header ? &header->wake : &none;
}

static long futex(_Atomic uint32_t *word, int operation, uint32_t value,
		  const struct timespec *timeout)
{
	return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, timeout, NULL, 0);
}

static struct timespec milliseconds(int ms)
{
	return (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
}

/* --- free lists; `link` is the offset of the thing's .next_free */

static _Atomic uint32_t *link_of(void *thing, size_t link)
{
	return (_Atomic uint32_t *)((char *)thing + link);
}

static void list_push(struct free_list *list, void *thing, size_t link)
{
	uint32_t number = tl_pool_number(thing);
	uint64_t first = atomic_load_explicit(&list->first, memory_order_relaxed);

	do {
		atomic_store_explicit(link_of(thing, link), (uint32_t)first, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(
		&list->first, &first, ((first >> 32) + 1) << 32 | number, memory_order_acq_rel,
		memory_order_relaxed));
}

static void *list_pop(struct free_list *list, size_t link)
{
	uint64_t first = atomic_load_explicit(&list->first, memory_order_acquire);

	for (;;) {
		if (!(uint32_t)first)
			return NULL;
		void *thing = tl_pool_address((uint32_t)first);
		/*
		 * Another thread may have it by now; then what is read here is worth nothing, and
		 * the exchange fails.
		 */
		uint32_t next = atomic_load_explicit(link_of(thing, link), memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit(
			    &list->first, &first, ((first >> 32) + 1) << 32 | next,
			    memory_order_acq_rel, memory_order_acquire))
			return thing;
	}
}

#define CHUNK_LINK    offsetof(struct tl_chunk, next_free)
#define PRODUCER_LINK offsetof(struct tl_producer, next_free)

/* --- chunks */

/*
 * A part of the memory is kept for the threads to come, which could have no events at all
 * otherwise. Asked first: what is taken of the pool is never given back.
 */
static struct tl_chunk *chunk_make(uint32_t size)
{
	if (!tl_arena_left(size + tl_config.memory / THREADS_PART))
		return NULL;
	struct tl_chunk *chunk = tl_pool_take(sizeof(*chunk));
	struct tl_chunk_piece *piece = chunk ? tl_arena_take(TL_PIECE_CHUNK, size) : NULL;

	if (!piece)
		return NULL;
	piece->records = (uint32_t)HEADER;
	chunk->piece = piece;
	chunk->memory = (char *)piece + HEADER;
	chunk->room = size - HEADER;
	chunk->all = atomic_load_explicit(&all_chunks, memory_order_relaxed);
	/* Release: pairs with the acquire of who goes through them. */
	while (!atomic_compare_exchange_weak_explicit(&all_chunks, &chunk->all, chunk,
						      memory_order_release, memory_order_relaxed))
		;
	return chunk;
}

static uint64_t size_of_chunk(const struct tl_chunk *chunk)
{
	return chunk->room + HEADER;
}

static bool chunk_is_large(const struct tl_chunk *chunk)
{
	return chunk->room > TL_CHUNK_SMALL;
}

static struct free_list *list_of(const struct tl_chunk *chunk)
{
	return chunk_is_large(chunk) ? &free_large : &free_small;
}

/* A free chunk of the size asked for, or else of the other. */
static void *chunk_get(bool large)
{
	struct tl_chunk *chunk;

	for (int i = 0; i < 2; i++, large = !large) {
		chunk = list_pop(large ? &free_large : &free_small, CHUNK_LINK);
		if (!chunk)
			chunk = chunk_make(large ? TL_CHUNK_SIZE : TL_CHUNK_SMALL);
		if (chunk)
			return chunk;
	}
	return NULL;
}

/*
 * What `get` gets is not to be had, and the arena is used up: help to write, or wait for those who
 * do. NULL once nobody has given a chunk back for long; until somebody does, events are then lost
 * without waiting.
 */
static void *wait_for(void *(*get)(bool large), bool large)
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
		struct timespec timeout = milliseconds(20);
		if (futex(&given_back, FUTEX_WAIT, seen, &timeout) < 0 && errno == ETIMEDOUT)
			waited += 20;
		else if (atomic_load_explicit(&given_back, memory_order_relaxed) != seen)
			waited = 0;
	}
	if (!got)
		atomic_store_explicit(&stuck, true, memory_order_relaxed);
	return got;
}

static bool may_wait(void)
{
	return tl_config.full == TL_FULL_GROW &&
	       !atomic_load_explicit(&stuck, memory_order_relaxed) &&
	       !atomic_load_explicit(&refused, memory_order_relaxed);
}

/* Where positions of the chunk after this one begin: its number in the upper bits. */
static uint64_t next_tag(uint64_t position)
{
	return ((position >> 48) + 1) << 48;
}

static void wake_reader(void)
{
	/*
	 * Pairs with tl_buffer_wait: its store of .waiting comes before its look at the queue, our
	 * push before this look.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(waiting(), memory_order_relaxed))
		return;
	atomic_store_explicit(waiting(), 0, memory_order_relaxed);
	syscall(SYS_futex, waiting(), FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/*
 * Hand a sealed chunk over. The writer is started, or woken, for a large chunk or as much in small
 * ones.
 */
static void chunk_push(struct tl_chunk *chunk)
{
	struct tl_chunk *first = atomic_load_explicit(&queue, memory_order_relaxed);

	do {
		chunk->next = first;
	} while (!atomic_compare_exchange_weak_explicit(&queue, &first, chunk, memory_order_release,
							memory_order_relaxed));
	uint64_t size = size_of_chunk(chunk);
	if (atomic_fetch_add_explicit(&queued, size, memory_order_relaxed) + size < TL_CHUNK_SIZE)
		return;
	atomic_store_explicit(&queued, 0, memory_order_relaxed);
	tl_buffer_upcalls->wake_writer();
	wake_reader();
}

/* --- records and chunks, by who has them */

static uint64_t first_word(const char *at)
{
	return atomic_load_explicit((const _Atomic uint64_t *)at, memory_order_acquire);
}

static uint32_t type_of(uint64_t word)
{
	return word >> 16 & 0xff;
}

static uint64_t size_of(uint64_t word)
{
	return (word & 0xffff) * 8;
}

/* It has nothing that anybody wants, from here until it is taken again. */
static void clear(struct tl_chunk *chunk)
{
	atomic_store_explicit(&chunk->piece->lane, 0, memory_order_release);
	atomic_signal_fence(memory_order_seq_cst);
	memset(chunk->memory, 0,
	       (size_t)(atomic_load_explicit(&chunk->sealed, memory_order_relaxed) -
			chunk->memory));
	__atomic_store_n(&chunk->producer, NULL, __ATOMIC_RELAXED);
}

/* --- the producer's side; all of it with signals blocked */

/* in .owner, below the turn; one chunk more of the lane */
enum { SEALED = 1, READER = 2, NUMBER = 4 };

static bool is_ring(void)
{
	return tl_config.full == TL_FULL_RING;
}

static uint64_t turn(const struct tl_producer *producer, uint32_t number)
{
	return (uint64_t)producer->lane << 32 | (uint64_t)number * NUMBER;
}

static uint64_t turn_of(uint64_t owner)
{
	return owner & ~(uint64_t)(SEALED | READER);
}

static uint32_t lane_of(uint64_t owner)
{
	return owner >> 32;
}

/*
 * It stays with its producer, or (that has ended) with nobody. The writer's thread is there from
 * now on, to listen.
 */
static void ring_keep(struct tl_producer *producer, struct tl_chunk *chunk)
{
	chunk->newer = NULL;
	if (producer->oldest)
		producer->newest->newer = chunk;
	else
		producer->oldest = chunk;
	producer->newest = chunk;
	producer->ring += size_of_chunk(chunk);
	if (atomic_load_explicit(&producer->ended, memory_order_relaxed))
		atomic_fetch_add_explicit(&retired, size_of_chunk(chunk), memory_order_relaxed);
	/* Release: its records, and where they end. */
	atomic_fetch_or_explicit(&chunk->owner, SEALED, memory_order_release);
	tl_buffer_upcalls->wake_writer();
}

/*
 * The calls in a sealed chunk that no flush has read. *finished: no interrupted code is to write
 * there yet.
 */
static uint64_t count_unread(const struct tl_chunk *chunk, bool *finished)
{
	const char *end = atomic_load_explicit(&chunk->sealed, memory_order_relaxed);
	uint64_t calls = 0;

	*finished = true;
	for (const char *at = chunk->memory; at < end;) {
		uint64_t word = first_word(at);
		*finished &= type_of(word) != TL_RECORD_NONE;
		calls +=
			tl_record_counts(type_of(word)) && (at >= chunk->read || at == chunk->hole);
		at += size_of(word) ? size_of(word) : 8;
	}
	return calls;
}

static void count_overwritten(struct tl_producer *producer, uint64_t calls)
{
	atomic_fetch_add_explicit(&producer->overwritten, calls, memory_order_relaxed);
	atomic_fetch_add_explicit(&producer->piece->overwritten, calls, memory_order_relaxed);
}

static bool kernel_knows_not(const struct tl_producer *producer)
{
	return syscall(SYS_tgkill, getpid(), producer->tid, 0) < 0 && errno == ESRCH;
}

/*
 * Take a sealed chunk that nobody else has, with what is in it: it is empty then. False: the reader
 * was faster, or it can't be had yet.
 */
static bool ring_take(struct tl_chunk *chunk, uint64_t owner)
{
	bool finished;

	/* Acquire: pairs with the releases of who sealed it and of the reader. */
	if (!(owner & SEALED) || owner & READER ||
	    !atomic_compare_exchange_strong_explicit(&chunk->owner, &owner, 0, memory_order_acquire,
						     memory_order_relaxed))
		return false;
	struct tl_producer *victim = chunk->producer;
	bool ended = atomic_load_explicit(&victim->ended, memory_order_relaxed);
	uint64_t calls = count_unread(chunk, &finished);
	if (!finished && !(ended && kernel_knows_not(victim))) {
		atomic_store_explicit(&chunk->owner, owner, memory_order_release);
		return false;
	}
	count_overwritten(victim, calls);
	if (ended)
		atomic_fetch_sub_explicit(&retired, size_of_chunk(chunk), memory_order_relaxed);
	clear(chunk);
	/* Release: pairs with the acquire of who recycles the producer. */
	atomic_fetch_sub_explicit(&victim->unwritten, 1, memory_order_release);
	return true;
}

/*
 * The oldest of its ring that can be used again. A link that leads to another's chunk is of one
 * that was taken after the thread's end.
 */
static struct tl_chunk *ring_reuse(struct tl_producer *producer)
{
	struct tl_chunk *before = NULL, *chunk, *newer;

	for (chunk = producer->oldest; chunk; before = chunk, chunk = newer) {
		uint64_t owner = atomic_load_explicit(&chunk->owner, memory_order_relaxed);
		if (lane_of(owner) != producer->lane) {
			producer->oldest = producer->newest = NULL;
			producer->ring = 0;
			return NULL;
		}
		newer = chunk->newer;
		if (!ring_take(chunk, owner))
			continue;
		if (before)
			before->newer = newer;
		else
			producer->oldest = newer;
		if (!newer)
			producer->newest = before;
		producer->ring -= size_of_chunk(chunk);
		return chunk;
	}
	return NULL;
}

/* The oldest chunk of a thread that has ended. */
static struct tl_chunk *ring_inherit(void)
{
	for (int tries = 0; tries < RECYCLE_TRIES; tries++) {
		struct tl_chunk *oldest = NULL;
		uint64_t least = UINT64_MAX;
		/* Acquire: pairs with the release in chunk_make. */
		for (struct tl_chunk *chunk =
			     atomic_load_explicit(&all_chunks, memory_order_acquire);
		     chunk; chunk = chunk->all) {
			uint64_t owner = atomic_load_explicit(&chunk->owner, memory_order_acquire);
			struct tl_producer *producer =
				__atomic_load_n(&chunk->producer, __ATOMIC_RELAXED);
			if ((owner & (SEALED | READER)) != SEALED || owner >= least || !producer ||
			    !atomic_load_explicit(&producer->ended, memory_order_relaxed))
				continue;
			least = owner;
			oldest = chunk;
		}
		if (!oldest)
			return NULL;
		if (ring_take(oldest, least))
			return oldest;
	}
	return NULL;
}

/*
 * A chunk to record into, of the ring's policy. The thread grows up to its share while there is
 * memory enough for others; then it uses its oldest again. A chunk that it has beyond its share is
 * given up.
 */
static struct tl_chunk *ring_get(struct tl_producer *producer)
{
	bool large = producer->chunks > 0 && tl_config.ring >= 8 * (uint64_t)TL_CHUNK_SIZE;
	uint64_t size = large ? TL_CHUNK_SIZE : TL_CHUNK_SMALL;
	struct tl_chunk *chunk = NULL, *more;

	if (!producer->oldest &&
	    atomic_load_explicit(&retired, memory_order_relaxed) > tl_config.ring)
		chunk = ring_inherit();
	if (!chunk && (!producer->oldest || (producer->ring + size <= tl_config.ring &&
					     tl_arena_left(tl_config.memory / 4))))
		chunk = chunk_get(large);
	if (!chunk)
		chunk = ring_reuse(producer);
	while (chunk && producer->ring + size_of_chunk(chunk) > tl_config.ring &&
	       (more = ring_reuse(producer)))
		list_push(list_of(more), more, CHUNK_LINK);
	if (!chunk)
		chunk = chunk_get(large);
	return chunk ? chunk : ring_inherit();
}

/*
 * Take the current chunk, if any, from the producer and hand it over. `at` is where reservations
 * began to fail.
 */
static void seal(struct tl_producer *producer, uint64_t at)
{
	struct tl_chunk *chunk = atomic_load_explicit(&producer->current, memory_order_relaxed);
	uint64_t limit = producer->thread.limit;
	uint64_t tag = next_tag(limit);

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
	if (is_ring())
		ring_keep(producer, chunk);
	else
		chunk_push(chunk);
	atomic_store_explicit(&producer->current, NULL, memory_order_release);
}

/*
 * From here on the chunk is recovered. Releases: for a reader after a kill, who must not see the
 * lane without the rest.
 */
static void mark_taken(struct tl_chunk_piece *piece, const struct tl_producer *producer)
{
	atomic_store_explicit(&piece->number, producer->chunks, memory_order_relaxed);
	atomic_store_explicit(&piece->kept, 0, memory_order_relaxed);
	atomic_store_explicit(&piece->taken, 0, memory_order_relaxed);
	atomic_store_explicit(&piece->block, 0, memory_order_relaxed);
	atomic_store_explicit(&piece->hole, 0, memory_order_relaxed);
	atomic_store_explicit(&piece->end, 0, memory_order_relaxed);
	atomic_store_explicit(&piece->lane, producer->lane, memory_order_release);
}

static void open_chunk(struct tl_producer *producer, struct tl_chunk *chunk)
{
	uint64_t tag = producer->thread.limit >> 48 << 48;

	__atomic_store_n(&chunk->producer, producer, __ATOMIC_RELAXED);
	chunk->begin = chunk->end = chunk->read = chunk->memory;
	chunk->hole = NULL;
	chunk->listed = chunk->taken = chunk->gap = false;
	atomic_store_explicit(&chunk->sealed, NULL, memory_order_relaxed);
	/*
	 * Pairs with take_live, which may hold it from before it was recycled: then it finds all of
	 * the above.
	 */
	__atomic_store_n(&chunk->handed, false, __ATOMIC_RELEASE);
	producer->chunks++;
	mark_taken(chunk->piece, producer);
	/* Release: pairs with the reader's acquire, for the fields above. */
	atomic_store_explicit(&chunk->owner, turn(producer, producer->chunks),
			      memory_order_release);
	atomic_store_explicit(&producer->current, chunk, memory_order_release);
	atomic_store_explicit(&producer->thread.position, tag | (uintptr_t)chunk->memory,
			      memory_order_relaxed);
	producer->thread.limit = tag | (uintptr_t)(chunk->memory + chunk->room);
}

static uint64_t *place(struct tl_producer *producer, uint64_t size)
{
	uint64_t at = atomic_load_explicit(&producer->thread.position, memory_order_relaxed);

	if (producer->thread.limit - at - size > TL_CHUNK_MAX)
		return NULL;
	atomic_store_explicit(&producer->thread.position, at + size, memory_order_relaxed);
	return (uint64_t *)(uintptr_t)TL_POSITION_ADDRESS(at);
}

static uint64_t ticks_now(const struct tl_producer *producer)
{
	return tl_ticks(&producer->thread);
}

void tl_buffer_lose_here(struct tl_producer *producer, uint64_t count)
{
	uint64_t lost = atomic_fetch_add_explicit(&producer->lost, count, memory_order_relaxed);

	atomic_store_explicit(&producer->piece->lost, lost + count, memory_order_relaxed);
	if (lost == producer->lost_said)
		producer->lost_since = ticks_now(producer);
}

static void lose(struct tl_producer *producer)
{
	tl_buffer_lose_here(producer, 1);
}

/* There is room again: say in the trace what was lost until now. */
static void say_lost(struct tl_producer *producer)
{
	uint64_t lost = atomic_load_explicit(&producer->lost, memory_order_relaxed);
	uint64_t *record;

	if (lost == producer->lost_said ||
	    !(record = place(producer, sizeof(struct tl_call_record))))
		return;
	record[1] = producer->lost_since;
	record[2] = ticks_now(producer) - producer->lost_since;
	record[3] = lost - producer->lost_said;
	tl_record_commit(record,
			 sizeof(struct tl_call_record) / 8 | (uint64_t)TL_RECORD_LOST << 16);
	producer->lost_said = lost;
	atomic_store_explicit(&producer->piece->lost_said, lost, memory_order_relaxed);
}

/*
 * A reservation of `size` at `at` was made in the chunk before this one, which a signal handler has
 * handed over since. It holds room there that nothing will be written to: say so. (Two changes of
 * chunk in between: that chunk waits until its thread ends.)
 */
static void give_up(struct tl_producer *producer, uint64_t at, uint64_t size)
{
	uint64_t limit = producer->last_limit;

	if (at >> 48 != limit >> 48 || at >= limit || !TL_POSITION_ADDRESS(limit))
		return;
	if (size > limit - at)
		size = limit - at;
	tl_record_commit((uint64_t *)(uintptr_t)TL_POSITION_ADDRESS(at),
			 size / 8 | (uint64_t)TL_RECORD_PAD << 16);
}

static bool exhausted(void)
{
	static const uint64_t number = UINT32_MAX;

	return tl_config.full == TL_FULL_DROP &&
	       !(atomic_load_explicit(&free_large.first, memory_order_relaxed) & number) &&
	       !(atomic_load_explicit(&free_small.first, memory_order_relaxed) & number);
}

static uint64_t *reserve_in_new_chunk(struct tl_producer *producer, uint64_t size, uint64_t at)
{
	bool large = producer->chunks > 0;

	seal(producer, at);
	struct tl_chunk *chunk = is_ring() ? ring_get(producer) : chunk_get(large);
	if (!chunk && may_wait())
		chunk = wait_for(chunk_get, large);
	if (!chunk)
		return NULL;
	open_chunk(producer, chunk);
	say_lost(producer);
	return place(producer, size);
}

void *tl_record_reserve_slow(struct tl_thread *thread, uint64_t size, uint64_t at)
{
	struct tl_producer *producer = (struct tl_producer *)thread;
	struct blocked blocked;
	uint64_t *record = NULL;

	if (tl_buffer_is_stale(thread)) {
		tl_process_notice_fork();
		return NULL;
	}
	if (tl_process_is_confined()) {
		lose(producer);
		return NULL;
	}
	/* Dropping is the choice where it must cost little. */
	bool fits = size <= TL_RECORD_MAX;
	if (!fits || (!atomic_load_explicit(&producer->current, memory_order_relaxed) &&
		      exhausted() && !tl_arena_left(TL_CHUNK_SMALL))) {
		lose(producer);
		return NULL;
	}
	block(&blocked);
	if (at >> 48 != thread->limit >> 48) {
		give_up(producer, at, size);
		record = place(producer, size);
		at = atomic_load_explicit(&thread->position, memory_order_relaxed);
	}
	if (!record)
		record = reserve_in_new_chunk(producer, size, at);
	if (!record)
		lose(producer);
	unblock(&blocked);
	return record;
}

/* --- producers */

/* The thread itself when it begins and ends, and the writer in between; and the writer reads. */
static void set_name(struct tl_producer *producer, const char name[16])
{
	for (size_t i = 0; i < sizeof(producer->name); i++) {
		__atomic_store_n(&producer->name[i], name[i], __ATOMIC_RELAXED);
		__atomic_store_n(&producer->piece->name[i], name[i], __ATOMIC_RELAXED);
	}
}

void tl_buffer_name(const struct tl_producer *producer, char name[16])
{
	for (size_t i = 0; i < sizeof(producer->name); i++)
		name[i] = __atomic_load_n(&producer->name[i], __ATOMIC_RELAXED);
}

static void read_own_name(struct tl_producer *producer)
{
	char name[16];

	if (prctl(PR_GET_NAME, name) == 0)
		set_name(producer, name);
}

/* Some at a time, since each page that is made costs a system call otherwise. */
static void producers_make(void)
{
	for (int i = 0; i < 4; i++) {
		/* What is taken of the pool is never given back. */
		struct tl_producer *producer =
			tl_arena_begin() ? tl_pool_take(sizeof(*producer)) : NULL;
		struct tl_thread_piece *piece =
			producer ? tl_arena_take(TL_PIECE_THREAD, PRODUCER_SIZE) : NULL;
		if (!piece)
			return;
		piece->owner = (uintptr_t)producer;
		piece->opens = (PRODUCER_SIZE - sizeof(*piece)) / sizeof(piece->open[0]);
		producer->piece = piece;
		list_push(&fresh_producers, producer, PRODUCER_LINK);
	}
}

static struct tl_producer *producer_make(void)
{
	struct tl_producer *producer = list_pop(&fresh_producers, PRODUCER_LINK);

	if (!producer) {
		producers_make();
		producer = list_pop(&fresh_producers, PRODUCER_LINK);
	}
	if (!producer)
		return NULL;
	producer->next = atomic_load_explicit(&producers, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&producers, &producer->next, producer,
						      memory_order_release, memory_order_relaxed))
		;
	return producer;
}

/* The calling thread has no producer yet: one with its number is of an earlier thread. */
static bool thread_is_gone(const struct tl_producer *producer)
{
	return producer->tid == (uint32_t)syscall(SYS_gettid) || kernel_knows_not(producer);
}

/* Losses that no record tells of yet get one. */
static void say_last_losses(struct tl_producer *producer)
{
	if (atomic_load_explicit(&producer->lost, memory_order_relaxed) == producer->lost_said)
		return;
	if (!atomic_load_explicit(&producer->current, memory_order_relaxed)) {
		struct tl_chunk *chunk = chunk_get(false);
		if (chunk)
			open_chunk(producer, chunk);
	}
	say_lost(producer);
}

/*
 * The thread is gone, so nobody else touches the producer: what it recorded at the very end goes
 * the way of the rest.
 */
static bool recyclable(struct tl_producer *producer)
{
	/*
	 * Asked first, since it costs no system call; and again at the end, for what is handed over
	 * here.
	 */
	if (atomic_load_explicit(&producer->unwritten, memory_order_relaxed) ||
	    !thread_is_gone(producer))
		return false;
	say_last_losses(producer);
	if (atomic_load_explicit(&producer->current, memory_order_relaxed))
		seal(producer,
		     atomic_load_explicit(&producer->thread.position, memory_order_relaxed));
	return !atomic_load_explicit(&producer->unwritten, memory_order_acquire) &&
	       atomic_load_explicit(&producer->lost, memory_order_relaxed) == producer->lost_said;
}

/*
 * The next one whose thread has ended. Those looked at go to a second list, so that each has its
 * turn.
 */
static struct tl_producer *next_ended(bool *again)
{
	struct tl_producer *producer = list_pop(&ended_producers, PRODUCER_LINK), *moved;

	if (producer || !*again)
		return producer;
	*again = false;
	while ((moved = list_pop(&checked_producers, PRODUCER_LINK)))
		list_push(&ended_producers, moved, PRODUCER_LINK);
	return list_pop(&ended_producers, PRODUCER_LINK);
}

static struct tl_producer *producer_recycle(void)
{
	struct tl_producer *producer;
	bool again = true;

	for (int tries = 0; tries < RECYCLE_TRIES && (producer = next_ended(&again)); tries++) {
		if (recyclable(producer))
			return producer;
		list_push(&checked_producers, producer, PRODUCER_LINK);
	}
	return NULL;
}

static _Atomic uint64_t *tid_bits(void)
{
	/* Acquire and release: the memory is mapped. */
	_Atomic uint64_t *bits = atomic_load_explicit(&had_tids, memory_order_acquire);

	if (bits)
		return bits;
	void *mapped = mmap(NULL, TIDS / 8, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapped == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong_explicit(&had_tids, &bits, mapped, memory_order_acq_rel,
						    memory_order_acquire))
		return mapped;
	munmap(mapped, TIDS / 8);
	return bits;
}

static uint32_t shown_tid(uint32_t tid)
{
	_Atomic uint64_t *bits = tid_bits();
	uint64_t bit = UINT64_C(1) << tid % 64;

	if (!bits || tid >= TIDS ||
	    (atomic_fetch_or_explicit(&bits[tid / 64], bit, memory_order_relaxed) & bit))
		return atomic_fetch_add_explicit(&next_shown, 1, memory_order_relaxed);
	return tid;
}

uint32_t tl_buffer_lane(uint32_t *shown)
{
	*shown = atomic_fetch_add_explicit(&next_shown, 1, memory_order_relaxed);
	return atomic_fetch_add_explicit(&lanes, 1, memory_order_relaxed) + 1;
}

/*
 * Who this thread is, in what outlives the process. The lane last: before it, nothing here counts.
 */
static void introduce(struct tl_producer *producer)
{
	struct tl_thread_piece *piece = producer->piece;

	atomic_store_explicit(&piece->lane, 0, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	__atomic_store_n(&producer->tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
	producer->shown = shown_tid(producer->tid);
	producer->lane = atomic_fetch_add_explicit(&lanes, 1, memory_order_relaxed) + 1;
	piece->tid = producer->tid;
	piece->shown = producer->shown;
	atomic_store_explicit(&piece->ended, 0, memory_order_relaxed);
	piece->floor.frame = TL_NO_FRAME;
	for (uint32_t i = 0; i < piece->opens; i++)
		piece->open[i].frame = TL_NO_FRAME;
	read_own_name(producer);
	/* Release: for a reader after a kill, who must not see it without the rest. */
	atomic_store_explicit(&piece->lane, producer->lane, memory_order_release);
}

static void *producer_get(bool large)
{
	struct tl_producer *producer = producer_recycle();

	return producer ? producer : producer_make();
}

void (*_Atomic tl_buffer_begins)(struct tl_producer *producer);

#define LINE 64u
_Static_assert(offsetof(struct tl_producer, inline_end) == LINE &&
		       offsetof(struct tl_producer, device_slot) + 16 == 2 * LINE,
	       "what calls with a hook need is the second line of the cache, and no other");

static void producer_begin(struct tl_producer *producer)
{
	struct tl_open_call *open = producer->piece->open;
	void (*begins)(struct tl_producer *) =
		atomic_load_explicit(&tl_buffer_begins, memory_order_relaxed);

	introduce(producer);
	producer->open_end = open + producer->piece->opens;
	producer->generation = generation;
	producer->chunks = 0;
	producer->oldest = producer->newest = NULL;
	producer->ring = 0;
	producer->scratch_used = 0;
	producer->rounds = 0;
	producer->framed_end = NULL;
	producer->left.uses = 0;
	producer->full = 0;
	atomic_store_explicit(&producer->unentered, 0, memory_order_relaxed);
	producer->error = &errno;
	atomic_store_explicit(&producer->hooking, 0, memory_order_relaxed);
	atomic_store_explicit(&producer->ended, 0, memory_order_relaxed);
	producer->thread.clock = tl_clock_is_counter();
	producer->thread.busy = 0;
	producer->thread.open = open;
	producer->inline_end = producer->open_end;
	producer->thread.end = producer->thread.clock ? producer->inline_end : NULL;
	atomic_store_explicit(&producer->thread.top, open, memory_order_relaxed);
	if (begins)
		begins(producer);
}

struct tl_producer *tl_buffer_attach(void)
{
	struct blocked blocked;

	/* Each call comes by here then. */
	if (tl_arena_is_refused())
		return NULL;
	block(&blocked);
	struct tl_producer *producer = (struct tl_producer *)tl_self;
	if (!producer) {
		producer = producer_get(false);
		/* Those of threads that have ended come free with their last chunks. */
		if (!producer && tl_arena_header() && may_wait())
			producer = wait_for(producer_get, false);
		if (producer) {
			producer_begin(producer);
			tl_self = &producer->thread;
		}
	}
	unblock(&blocked);
	return producer;
}

void tl_buffer_detach(struct tl_producer *producer)
{
	struct blocked blocked;

	block(&blocked);
	read_own_name(producer);
	atomic_store_explicit(&producer->piece->ended, 1, memory_order_relaxed);
	if (atomic_load_explicit(&producer->current, memory_order_relaxed))
		seal(producer,
		     atomic_load_explicit(&producer->thread.position, memory_order_relaxed));
	if (!atomic_exchange_explicit(&producer->ended, 1, memory_order_relaxed)) {
		atomic_fetch_add_explicit(&retired, producer->ring, memory_order_relaxed);
		list_push(&ended_producers, producer, PRODUCER_LINK);
	}
	unblock(&blocked);
}

void tl_buffer_lose(void)
{
	atomic_fetch_add_explicit(&nobody.lost, 1, memory_order_relaxed);
}

uint64_t tl_buffer_overwritten(void)
{
	uint64_t all = 0;

	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next)
		all += atomic_load_explicit(&producer->overwritten, memory_order_relaxed);
	return all;
}

struct tl_producer *tl_buffer_producers(void)
{
	return atomic_load_explicit(&producers, memory_order_acquire);
}

/* Threads' pieces lie at multiples of their size. */
struct tl_thread *tl_buffer_thread_of(const struct tl_open_call *open)
{
	const struct tl_thread_piece *piece =
		(const struct tl_thread_piece *)((uintptr_t)open & ~(uintptr_t)(PRODUCER_SIZE - 1));

	return (struct tl_thread *)(uintptr_t)piece->owner;
}

bool tl_buffer_is_stale(const struct tl_thread *thread)
{
	return ((const struct tl_producer *)thread)->generation != generation;
}

/* --- the reader's side */

/* Move what was handed over to the ready list, oldest first. */
static void refill(void)
{
	struct tl_chunk *newest = atomic_exchange_explicit(&queue, NULL, memory_order_acquire);
	struct tl_chunk *oldest = NULL, *last = newest;

	while (newest) {
		struct tl_chunk *next = newest->next;
		newest->handed = newest->listed = true;
		newest->next = oldest;
		oldest = newest;
		newest = next;
	}
	if (!oldest)
		return;
	*ready_end = oldest;
	ready_end = &last->next;
}

/*
 * Past a record that is not finished: by its size where it has one, else to the next word that is
 * not zero.
 */
static char *past_hole(char *at, const char *sealed)
{
	uint64_t word = first_word(at);

	if (size_of(word))
		return size_of(word) <= (uint64_t)(sealed - at) ? at + size_of(word)
								: (char *)sealed;
	while (at < sealed && !first_word(at))
		at += 8;
	return at;
}

/* Past the finished records from `at` on. */
static char *past_finished(char *at, const char *stop)
{
	while (at < stop) {
		uint64_t word = first_word(at);
		if (!type_of(word) || type_of(word) == TL_RECORD_PAD)
			break;
		at += size_of(word);
	}
	return at;
}

/*
 * Find the next run of finished records of a chunk: sets .begin and .end. False: there is none now.
 */
static bool find_run(struct tl_chunk *chunk)
{
	char *sealed = atomic_load_explicit(&chunk->sealed, memory_order_acquire);
	char *stop = sealed ? sealed : chunk->memory + chunk->room;
	char *at = chunk->read;

	if (is_ring() && stop > chunk->stop)
		stop = chunk->stop;
	while (at < stop) {
		chunk->begin = at;
		chunk->end = chunk->read = past_finished(at, stop);
		if (chunk->end > at)
			return true;
		uint64_t word = first_word(at);
		if (type_of(word) == TL_RECORD_PAD) {
			at += size_of(word);
		} else if (type_of(word)) {
			continue; /* finished this very moment */
		} else if (sealed && (stepping_over || is_ring()) && !chunk->hole) {
			chunk->hole = at;
			atomic_store_explicit(&chunk->piece->hole, TL_HOLE(at - chunk->memory, 0),
					      memory_order_relaxed);
			at = past_hole(at, sealed);
		} else {
			break;
		}
	}
	chunk->read = at;
	return false;
}

/*
 * The record that was stepped over has been finished since: it is the next run. Forgotten if its
 * thread has ended.
 */
static bool find_late(struct tl_chunk *chunk)
{
	uint64_t word = first_word(chunk->hole);

	if (!type_of(word)) {
		if (atomic_load_explicit(&chunk->producer->ended, memory_order_relaxed) &&
		    kernel_knows_not(chunk->producer))
			chunk->hole = NULL;
		return false;
	}
	chunk->begin = chunk->hole;
	chunk->hole = NULL;
	if (type_of(word) == TL_RECORD_PAD)
		return false;
	chunk->end = chunk->begin + size_of(word);
	return true;
}

static bool is_read(const struct tl_chunk *chunk)
{
	const char *sealed = atomic_load_explicit(&chunk->sealed, memory_order_relaxed);

	return chunk->handed && sealed && chunk->read >= sealed;
}

/* The chunk goes back to its producer's ring, or goes on being recorded into. */
static void ring_give_back(struct tl_chunk *chunk)
{
	chunk->handed = chunk->listed = false;
	/* Release: how far it is read. */
	atomic_fetch_and_explicit(&chunk->owner, ~(uint64_t)READER, memory_order_release);
}

static void recycle(struct tl_chunk *chunk)
{
	struct tl_producer *producer = chunk->producer;

	if (is_ring()) {
		ring_give_back(chunk);
		return;
	}
	/*
	 * Used again it is not what it was when a flush began: the same producer may have older
	 * ones by then, which come before it.
	 */
	if (producer->live == chunk)
		producer->live = NULL;
	clear(chunk);
	list_push(list_of(chunk), chunk, CHUNK_LINK);
	atomic_fetch_sub_explicit(&producer->unwritten, 1, memory_order_release);
	atomic_store_explicit(&stuck, false, memory_order_relaxed);
	atomic_fetch_add_explicit(&given_back, 1, memory_order_release);
	futex(&given_back, FUTEX_WAKE, 1, NULL);
}

/* The next run of a chunk on the ready list, or the end of the chunk. */
static bool advance(struct tl_chunk *chunk)
{
	if (!is_read(chunk))
		return find_run(chunk);
	return chunk->hole && find_late(chunk);
}

static struct tl_chunk *give(struct tl_chunk *chunk)
{
	chunk->taken = true;
	given++;
	return chunk;
}

static struct tl_chunk *take_ready(void)
{
	struct tl_chunk **link = &ready;
	struct tl_chunk *chunk;

	scan++;
	while ((chunk = *link)) {
		bool blocked = chunk->taken || chunk->producer->blocked == scan;
		bool found = !blocked && advance(chunk);
		/* Of a ring, a flush has what is finished now. */
		bool waits = !is_ring() && (!is_read(chunk) || chunk->hole);
		if (!found && (blocked || waits)) {
			/*
			 * Later chunks of the thread wait for this one, unless only a hole in it is
			 * left.
			 */
			if (chunk->taken || !is_read(chunk))
				chunk->producer->blocked = scan;
			link = &chunk->next;
			continue;
		}
		*link = chunk->next;
		chunk->listed = false;
		if (!*link)
			ready_end = link;
		if (found)
			return give(chunk);
		recycle(chunk);
	}
	return NULL;
}

/*
 * The chunks that were current when the flush began, as far as they are written, once what was
 * handed over then has been given out.
 */
static struct tl_chunk *take_live(void)
{
	for (; flushing; flushing = flushing->next) {
		struct tl_chunk *chunk = flushing->live;
		flushing->live = NULL;
		/*
		 * Handed over before the queue was emptied, it has been given out; recycled since,
		 * it may be anybody's.
		 */
		if (chunk && __atomic_load_n(&chunk->producer, __ATOMIC_RELAXED) == flushing &&
		    !__atomic_load_n(&chunk->handed, __ATOMIC_ACQUIRE) && find_run(chunk))
			return give(chunk);
	}
	return NULL;
}

struct tl_chunk *tl_buffer_take(void)
{
	if (!flush)
		refill();
	struct tl_chunk *chunk = take_ready();
	if (!chunk && flush) {
		chunk = take_live();
		/* What the writer has may have a rest, that it gets next. */
		if (!chunk && !given)
			flush = stepping_over = false;
	}
	return chunk;
}

bool tl_buffer_is_flushing(void)
{
	return flush;
}

void tl_buffer_will_write(struct tl_chunk *chunk, const char *upto, uint64_t block)
{
	struct tl_chunk_piece *piece = chunk->piece;
	uint64_t taken = atomic_load_explicit(&piece->taken, memory_order_relaxed),
		 end = (uint64_t)(upto - chunk->memory);

	/* A record that was stepped over, and is finished now, lies in what the output has. */
	if (end <= taken) {
		atomic_store_explicit(&piece->hole, TL_HOLE(chunk->begin - chunk->memory, block),
				      memory_order_release);
		return;
	}
	/*
	 * At each of these stores what was written before counts, and nothing else. Releases: in
	 * this order for a reader after a kill.
	 */
	atomic_store_explicit(&piece->kept, taken, memory_order_release);
	atomic_store_explicit(&piece->block, block, memory_order_release);
	atomic_store_explicit(&piece->taken, end, memory_order_release);
}

void tl_buffer_not_written(struct tl_chunk *chunk)
{
	struct tl_chunk_piece *piece = chunk->piece;

	/* A record that was finished late lies behind what is read. */
	if (chunk->end != chunk->read) {
		atomic_store_explicit(&piece->hole, TL_HOLE(chunk->begin - chunk->memory, 0),
				      memory_order_release);
		return;
	}
	/*
	 * .block is not yet the output's, so .kept is what counts; from here on .taken is the same.
	 */
	atomic_store_explicit(&piece->taken,
			      atomic_load_explicit(&piece->kept, memory_order_relaxed),
			      memory_order_release);
}

/* To be given out before all others. */
static void list_first(struct tl_chunk *chunk)
{
	chunk->listed = true;
	chunk->next = ready;
	ready = chunk;
	if (!chunk->next)
		ready_end = &chunk->next;
}

void tl_buffer_put_back(struct tl_chunk *chunk, const char *from)
{
	chunk->taken = false;
	given--;
	/* A record that was finished late lies behind what is read. */
	if (chunk->end == chunk->read)
		chunk->read = (char *)(uintptr_t)from;
	else
		chunk->hole = chunk->begin;
	if (!chunk->handed || chunk->listed)
		return;
	list_first(chunk);
}

static uint64_t calls_in(const struct tl_chunk *chunk)
{
	const char *stop = atomic_load_explicit(&chunk->sealed, memory_order_acquire);
	uint64_t calls = 0;

	if (!stop)
		stop = chunk->memory + chunk->room;
	for (const char *at = chunk->read; at < stop;) {
		uint64_t word = first_word(at);
		calls += tl_record_counts(type_of(word));
		at += size_of(word) ? size_of(word) : 8;
	}
	return calls;
}

void tl_buffer_count(void (*put)(void *context, const struct tl_producer *producer, uint64_t calls),
		     void *context)
{
	/* Of rings only what was taken is to be written, and that is on the list. */
	struct tl_producer *all = is_ring() ? NULL : tl_buffer_producers();

	for (struct tl_producer *producer = all; producer; producer = producer->next) {
		struct tl_chunk *live =
			atomic_load_explicit(&producer->current, memory_order_acquire);
		/*
		 * Handed over in the meantime, it is counted below, or was; recycled it can't be,
		 * but by the caller.
		 */
		if (live && __atomic_load_n(&live->producer, __ATOMIC_RELAXED) == producer &&
		    !live->handed)
			put(context, producer, calls_in(live));
	}
	refill();
	for (const struct tl_chunk *chunk = ready; chunk; chunk = chunk->next)
		put(context, chunk->producer, calls_in(chunk));
}

void tl_buffer_refuse(bool refuse)
{
	atomic_store_explicit(&refused, refuse, memory_order_relaxed);
	if (refuse) {
		atomic_fetch_add_explicit(&given_back, 1, memory_order_release);
		futex(&given_back, FUTEX_WAKE, INT32_MAX, NULL);
	}
}

void tl_buffer_give_back(struct tl_chunk *chunk)
{
	chunk->taken = false;
	given--;
	if (!chunk->handed || chunk->listed)
		return;
	if (is_read(chunk) && !chunk->hole) {
		recycle(chunk);
		return;
	}
	/* The rest of it comes next. */
	list_first(chunk);
}

void tl_buffer_wait(int ms)
{
	struct timespec timeout = milliseconds(ms);

	atomic_store_explicit(waiting(), 1, memory_order_relaxed);
	/*
	 * Pairs with wake_reader, and with the command, which stores a request before it stores
	 * .wake.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&queue, memory_order_relaxed) &&
	    !atomic_load_explicit(&called, memory_order_relaxed) &&
	    !tl_buffer_upcalls->is_writer_asked())
		syscall(SYS_futex, waiting(), FUTEX_WAIT, 1, &timeout, NULL, 0);
	atomic_store_explicit(waiting(), 0, memory_order_relaxed);
	atomic_store_explicit(&called, false, memory_order_relaxed);
}

void tl_buffer_wake(void)
{
	atomic_store_explicit(&called, true, memory_order_relaxed);
	wake_reader();
}

/* Threads often get their names after their first call: ask the kernel again. */
static void refresh_name(struct tl_producer *producer)
{
	char path[64], name[17];
	struct tl_text text = {path, path + sizeof(path) - 1, false};

	/*
	 * The writer's: the producer may just be given to a thread. Then the name is the one or the
	 * other's, until the next time.
	 */
	tl_text_string(&text, "/proc/self/task/");
	tl_text_unsigned(&text, __atomic_load_n(&producer->tid, __ATOMIC_RELAXED));
	tl_text_string(&text, "/comm");
	*text.at = 0;
	size_t size = tl_proc_read(path, name, sizeof(name));
	if (!size || name[size - 1] != '\n')
		return;
	name[size - 1] = 0;
	set_name(producer, name);
}

/* --- a flush of rings; struct tl_chunk.next links what is being sorted, .seen is by what */

/* Two sorted lists into one, the latest turn first. */
static struct tl_chunk *merge(struct tl_chunk *a, struct tl_chunk *b)
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

static struct tl_chunk *sort(struct tl_chunk *list)
{
	struct tl_chunk *sorted[40] = {NULL}, *all = NULL;
	unsigned most = 0;

	/* sorted[i] has none or 2 to the i. */
	while (list) {
		struct tl_chunk *one = list;
		unsigned i = 0;
		list = one->next;
		one->next = NULL;
		for (; sorted[i]; i++) {
			one = merge(sorted[i], one);
			sorted[i] = NULL;
		}
		sorted[i] = one;
		most = i > most ? i : most;
	}
	for (unsigned i = 0; i <= most; i++)
		all = merge(sorted[i], all);
	return all;
}

/*
 * Set READER while the turn is `seen`'s. Acquire: pairs with the releases of who opened and who
 * sealed it.
 */
static bool take_for_reader(struct tl_chunk *chunk, uint64_t seen)
{
	uint64_t owner = atomic_load_explicit(&chunk->owner, memory_order_relaxed);

	while (turn_of(owner) == turn_of(seen))
		if (atomic_compare_exchange_weak_explicit(&chunk->owner, &owner, owner | READER,
							  memory_order_acquire,
							  memory_order_relaxed))
			return true;
	return false;
}

/*
 * What is finished of a live chunk now, and not what comes while it is written: that would have no
 * end.
 */
static char *stop_now(const struct tl_producer *producer, const struct tl_chunk *chunk)
{
	uint64_t at = TL_POSITION_ADDRESS(
		atomic_load_explicit(&producer->thread.position, memory_order_relaxed));
	uint64_t begin = (uintptr_t)chunk->memory;

	return at - begin <= chunk->room ? (char *)(uintptr_t)at : chunk->memory + chunk->room;
}

/*
 * The live chunk, whatever becomes of it meanwhile. Returns it if it was not with the reader
 * already.
 */
static struct tl_chunk *take_live_of_ring(struct tl_producer *producer)
{
	producer->snapshot = UINT32_MAX;
	for (;;) {
		struct tl_chunk *chunk =
			atomic_load_explicit(&producer->current, memory_order_acquire);
		if (!chunk)
			return NULL;
		uint64_t owner = atomic_load_explicit(&chunk->owner, memory_order_relaxed);
		/* Sealed since, and in use again. */
		if (__atomic_load_n(&chunk->producer, __ATOMIC_RELAXED) != producer ||
		    !take_for_reader(chunk, owner))
			continue;
		producer->snapshot = (uint32_t)owner / NUMBER;
		chunk->stop = stop_now(producer, chunk);
		chunk->seen = owner | READER;
		return owner & READER ? NULL : chunk;
	}
}

static char *first_unfinished(const struct tl_chunk *chunk, const char *end)
{
	char *at = chunk->memory;

	while (at < end && type_of(first_word(at)))
		at += size_of(first_word(at));
	return at < end ? at : NULL;
}

/* With the reader: newer ones than this chunk have been reused, so nobody is to read it. */
static void discard(struct tl_chunk *chunk)
{
	char *end = atomic_load_explicit(&chunk->sealed, memory_order_relaxed);
	struct tl_chunk_piece *piece = chunk->piece;
	uint64_t size = (uint64_t)(end - chunk->memory);
	bool finished;

	count_overwritten(chunk->producer, count_unread(chunk, &finished));
	/* What is finished later is counted then. */
	chunk->hole = finished ? NULL : first_unfinished(chunk, end);
	chunk->read = end;
	atomic_store_explicit(&piece->hole,
			      chunk->hole ? TL_HOLE(chunk->hole - chunk->memory, 0) : 0,
			      memory_order_relaxed);
	atomic_store_explicit(&piece->kept, size, memory_order_relaxed);
	atomic_store_explicit(&piece->taken, size, memory_order_relaxed);
	ring_give_back(chunk);
}

/* The chunk before `newer` in its thread's run, or the newest of its thread. */
static bool continues(const struct tl_chunk *chunk, const struct tl_chunk *newer)
{
	return !newer || lane_of(newer->seen) != lane_of(chunk->seen) ||
	       turn_of(newer->seen) == turn_of(chunk->seen) + NUMBER;
}

/*
 * The first chunk of a thread that a flush takes: whether there was something between it and what
 * the flush before this one took.
 */
static bool follows_gap(const struct tl_chunk *chunk, const struct tl_producer *producer)
{
	uint32_t number = (uint32_t)chunk->seen / NUMBER;

	if (!producer->flushed || producer->flushed_lane != lane_of(chunk->seen))
		return number > 1;
	if (number == producer->flushed)
		return false;
	return number != producer->flushed + 1 ||
	       atomic_load_explicit(&producer->overwritten, memory_order_relaxed) !=
		       producer->flushed_overwritten;
}

/* Chunks that were taken, the first of each thread first. */
static void find_gaps(struct tl_chunk *taken)
{
	for (struct tl_chunk *chunk = taken, *before = NULL; chunk;
	     before = chunk, chunk = chunk->next)
		if (!before || before->producer != chunk->producer)
			chunk->gap |= follows_gap(chunk, chunk->producer);
	for (struct tl_chunk *chunk = taken; chunk; chunk = chunk->next) {
		struct tl_producer *producer = chunk->producer;
		producer->flushed = (uint32_t)chunk->seen / NUMBER;
		producer->flushed_lane = lane_of(chunk->seen);
		producer->flushed_overwritten =
			atomic_load_explicit(&producer->overwritten, memory_order_relaxed);
	}
}

void tl_buffer_gaps(void (*each)(struct tl_chunk *chunk))
{
	for (struct tl_chunk *chunk = ready; chunk; chunk = chunk->next)
		if (chunk->gap)
			each(chunk);
}

/* All that rings have, to the ready list: the threads one after the other, each oldest first. */
static void take_rings(void)
{
	struct tl_chunk *found = NULL, *taken = NULL, *last = NULL, *next, *newer = NULL;

	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next) {
		struct tl_chunk *live = take_live_of_ring(producer);
		if (!live)
			continue;
		live->handed = true;
		live->next = found;
		found = live;
	}
	/* Acquire: pairs with the release in chunk_make. */
	for (struct tl_chunk *chunk = atomic_load_explicit(&all_chunks, memory_order_acquire);
	     chunk; chunk = chunk->all) {
		/* Acquire: whose it is. */
		uint64_t owner = atomic_load_explicit(&chunk->owner, memory_order_acquire);
		struct tl_producer *producer = __atomic_load_n(&chunk->producer, __ATOMIC_RELAXED);
		if ((owner & (SEALED | READER)) != SEALED || !producer ||
		    (uint32_t)owner / NUMBER >= producer->snapshot)
			continue;
		chunk->seen = owner;
		chunk->next = found;
		found = chunk;
	}
	for (struct tl_chunk *chunk = sort(found); chunk; chunk = next) {
		next = chunk->next;
		/* A live one is the reader's already. */
		if (!(chunk->seen & READER)) {
			if (!take_for_reader(chunk, chunk->seen))
				continue;
			if (!continues(chunk, newer)) {
				discard(chunk);
				continue;
			}
			chunk->handed = true;
			chunk->stop = atomic_load_explicit(&chunk->sealed, memory_order_relaxed);
		}
		newer = chunk;
		chunk->listed = true;
		chunk->next = taken;
		taken = chunk;
		last = last ? last : chunk;
	}
	if (!taken)
		return;
	find_gaps(taken);
	*ready_end = taken;
	ready_end = &last->next;
}

void tl_buffer_flush(void)
{
	struct tl_producer *all = tl_buffer_producers();

	if (is_ring()) {
		take_rings();
	} else {
		flushing = all;
		flush = stepping_over = true;
		for (struct tl_producer *producer = all; producer; producer = producer->next)
			producer->live =
				atomic_load_explicit(&producer->current, memory_order_acquire);
		/*
		 * After that, so that no older chunk of a thread is overtaken; once, so that
		 * threads which go on don't keep us for ever.
		 */
		refill();
	}
	for (struct tl_producer *producer = all; producer; producer = producer->next)
		if (__atomic_load_n(&producer->tid, __ATOMIC_RELAXED) &&
		    !atomic_load_explicit(&producer->ended, memory_order_relaxed))
			refresh_name(producer);
}

void tl_buffer_after_fork(void)
{
	static struct free_list *const lists[] = {&free_small, &free_large, &fresh_producers,
						  &ended_producers, &checked_producers};

	tl_self = NULL;
	generation++;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		atomic_store_explicit(&lists[i]->first, 0, memory_order_relaxed);
	atomic_store_explicit(&producers, &nobody, memory_order_relaxed);
	atomic_store_explicit(&nobody.lost, 0, memory_order_relaxed);
	atomic_store_explicit(&all_chunks, NULL, memory_order_relaxed);
	atomic_store_explicit(&retired, 0, memory_order_relaxed);
	atomic_store_explicit(&queue, NULL, memory_order_relaxed);
	atomic_store_explicit(&queued, 0, memory_order_relaxed);
	atomic_store_explicit(&stuck, false, memory_order_relaxed);
	atomic_store_explicit(&refused, false, memory_order_relaxed);
	atomic_store_explicit(&lanes, 0, memory_order_relaxed);
	_Atomic uint64_t *bits = atomic_exchange_explicit(&had_tids, NULL, memory_order_relaxed);
	if (bits)
		munmap(bits, TIDS / 8);
	atomic_store_explicit(&next_shown, TIDS, memory_order_relaxed);
	ready = NULL;
	ready_end = &ready;
	flushing = NULL;
	flush = stepping_over = false;
	given = 0;
	tl_pool_after_fork();
	tl_arena_after_fork();
}
