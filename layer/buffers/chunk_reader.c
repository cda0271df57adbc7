/* SPDX-License-Identifier: MIT */
/*
 * chunk_reader.c: the reader's side of the buffers: how the writer, or the thread that has its
 * lock, takes chunks, gives them back, and flushes. buffer.h says who calls what, and buffer.c
 * describes the way of a chunk.
 *
 * The reader walks a chunk from record to record. In a live chunk it stops at the first record that
 * is not committed. In a sealed chunk such a record belongs to a reservation that a signal handler
 * interrupted. The reader waits for the record, and does not recycle the chunk, since the
 * interrupted code still writes there. Only a flush of everything steps over the record.
 *
 * Ordered accesses
 *
 *	tl_chunk.sealed, .handed	acquire: pairs with the releases in current_chunk.c
 *	tl_producer.current		acquire: likewise
 *	tl_producer.ended		acquire: pairs with the release in tl_buffer_detach; the
 *					thread's last records are there
 *	tl_producer.unwritten		release: pairs with the acquire in producers.c
 *	tl_chunk_piece.taken, .kept,	release: for a reader in another process, after a kill
 *	.block, .hole
 */
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/proc.h"
#include "common/text.h"
#include "format/file/record.h"
#include "format/file/record_words.h"
#include "layer/buffers/chunk_reader.h"
#include "layer/buffers/chunks.h"
#include "layer/buffers/producers.h"
#include "layer/buffers/rings.h"

/* The reader's own: protected by the writer's lock. */
static struct tl_chunk *ready, **ready_end = &ready;
/* a flush is under way: it gives out what was recorded before it began */
static bool flush;
static struct tl_producer *flushing; /* the next producer whose current chunk is to be read */
static uint32_t given;		     /* how many chunks the writer has */
static bool stepping_over;
static uint32_t scan;

/* Moves the chunks on the queue to the ready list, oldest first. */
static void ready_refill(void)
{
	struct tl_chunk *newest = tl_chunk_take_pushed();
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
 * The end of an unfinished record: by its size where that is stored, else the next word that is not
 * zero.
 */
static char *record_past_hole(char *at, const char *sealed)
{
	uint64_t word = tl_record_first_word(at);

	if (tl_record_size_of(word))
		return tl_record_size_of(word) <= (uint64_t)(sealed - at)
			       ? at + tl_record_size_of(word)
			       : (char *)sealed;
	while (at < sealed && !tl_record_first_word(at))
		at += 8;
	return at;
}

/* The end of the finished records that begin at `at`. */
static char *records_past_finished(char *at, const char *stop)
{
	while (at < stop) {
		uint64_t word = tl_record_first_word(at);
		if (!tl_record_type_of(word) || tl_record_type_of(word) == TL_RECORD_PAD)
			break;
		at += tl_record_size_of(word);
	}
	return at;
}

/*
 * Finds the next run of finished records of a chunk: sets .begin and .end. False: there is none
 * now.
 */
static bool chunk_find_run(struct tl_chunk *chunk)
{
	char *sealed = atomic_load_explicit(&chunk->sealed, memory_order_acquire);
	char *stop = sealed ? sealed : chunk->memory + chunk->room;
	char *at = chunk->read;

	if (tl_ring_is_policy() && stop > chunk->stop)
		stop = chunk->stop;
	while (at < stop) {
		chunk->begin = at;
		chunk->end = chunk->read = records_past_finished(at, stop);
		if (chunk->end > at)
			return true;
		uint64_t word = tl_record_first_word(at);
		if (tl_record_type_of(word) == TL_RECORD_PAD) {
			at += tl_record_size_of(word);
		} else if (tl_record_type_of(word)) {
			continue; /* finished this very moment */
		} else if (sealed && (stepping_over || tl_ring_is_policy()) && !chunk->hole) {
			chunk->hole = at;
			atomic_store_explicit(&chunk->piece->hole, TL_HOLE(at - chunk->memory, 0),
					      memory_order_relaxed);
			at = record_past_hole(at, sealed);
		} else {
			break;
		}
	}
	chunk->read = at;
	return false;
}

/*
 * If the record that was stepped over is finished now, it is the next run. If the record's thread
 * has ended, the hole is forgotten.
 */
static bool chunk_find_late(struct tl_chunk *chunk)
{
	/* Asked first: what the thread has finished last, it finished before it ended. */
	bool gone = atomic_load_explicit(&chunk->producer->ended, memory_order_acquire) &&
		    tl_producer_is_unknown_to_kernel(chunk->producer);
	uint64_t word = tl_record_first_word(chunk->hole);

	if (!tl_record_type_of(word)) {
		if (gone)
			chunk->hole = NULL;
		return false;
	}
	chunk->begin = chunk->hole;
	chunk->hole = NULL;
	if (tl_record_type_of(word) == TL_RECORD_PAD)
		return false;
	chunk->end = chunk->begin + tl_record_size_of(word);
	return true;
}

static bool chunk_is_read(const struct tl_chunk *chunk)
{
	const char *sealed = atomic_load_explicit(&chunk->sealed, memory_order_relaxed);

	return chunk->handed && sealed && chunk->read >= sealed;
}

static void chunk_recycle(struct tl_chunk *chunk)
{
	struct tl_producer *producer = chunk->producer;

	if (tl_ring_is_policy()) {
		tl_ring_give_back(chunk);
		return;
	}
	/*
	 * A reused chunk is not the one that the flush has seen: by then the same producer may have
	 * older chunks, which come before it.
	 */
	if (producer->live == chunk)
		producer->live = NULL;
	tl_chunk_clear(chunk);
	tl_chunk_free(chunk);
	atomic_fetch_sub_explicit(&producer->unwritten, 1, memory_order_release);
	tl_chunk_tell_free();
}

/* The next run of a chunk on the ready list, or the end of the chunk. */
static bool chunk_advance(struct tl_chunk *chunk)
{
	if (!chunk_is_read(chunk))
		return chunk_find_run(chunk);
	return chunk->hole && chunk_find_late(chunk);
}

static struct tl_chunk *chunk_give(struct tl_chunk *chunk)
{
	chunk->taken = true;
	given++;
	return chunk;
}

static struct tl_chunk *ready_take(void)
{
	struct tl_chunk **link = &ready;
	struct tl_chunk *chunk;

	scan++;
	while ((chunk = *link)) {
		bool blocked = chunk->taken || chunk->producer->blocked == scan;
		bool found = !blocked && chunk_advance(chunk);
		/* In a ring, a flush does not wait for unfinished records. */
		bool waits = !tl_ring_is_policy() && (!chunk_is_read(chunk) || chunk->hole);
		if (!found && (blocked || waits)) {
			/*
			 * The thread's later chunks wait for this one, unless only a hole is left
			 * in it.
			 */
			if (chunk->taken || !chunk_is_read(chunk))
				chunk->producer->blocked = scan;
			link = &chunk->next;
			continue;
		}
		*link = chunk->next;
		chunk->listed = false;
		if (!*link)
			ready_end = link;
		if (found)
			return chunk_give(chunk);
		chunk_recycle(chunk);
	}
	return NULL;
}

/*
 * When all that was handed over before the flush has been given out: the finished records of a
 * chunk that was current when the flush began.
 */
static struct tl_chunk *live_take(void)
{
	for (; flushing; flushing = flushing->next) {
		struct tl_chunk *chunk = flushing->live;
		flushing->live = NULL;
		/*
		 * If the chunk was handed over before the queue was emptied, it has been given out.
		 * If it was recycled since, another producer may have it.
		 */
		if (chunk && __atomic_load_n(&chunk->producer, __ATOMIC_RELAXED) == flushing &&
		    !__atomic_load_n(&chunk->handed, __ATOMIC_ACQUIRE) && chunk_find_run(chunk))
			return chunk_give(chunk);
	}
	return NULL;
}

struct tl_chunk *tl_buffer_take(void)
{
	if (!flush)
		ready_refill();
	struct tl_chunk *chunk = ready_take();
	if (!chunk && flush) {
		chunk = live_take();
		/* A chunk that the writer has may be put back, and comes next then. */
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

	/*
	 * This run is the record that was stepped over and is finished now. The records around it
	 * are in the output.
	 */
	if (end <= taken) {
		atomic_store_explicit(&piece->hole, TL_HOLE(chunk->begin - chunk->memory, block),
				      memory_order_release);
		return;
	}
	/*
	 * Releases: for a reader after a kill. After each of these three stores, the records that
	 * were written before it count as written, and no others.
	 */
	atomic_store_explicit(&piece->kept, taken, memory_order_release);
	atomic_store_explicit(&piece->block, block, memory_order_release);
	atomic_store_explicit(&piece->taken, end, memory_order_release);
}

void tl_buffer_not_written(struct tl_chunk *chunk)
{
	struct tl_chunk_piece *piece = chunk->piece;

	/* This run is a record that was stepped over: it lies before .read. */
	if (chunk->end != chunk->read) {
		atomic_store_explicit(&piece->hole, TL_HOLE(chunk->begin - chunk->memory, 0),
				      memory_order_release);
		return;
	}
	/*
	 * This block's number is not the output's yet, so .kept counts now. From here on .taken
	 * says the same.
	 */
	atomic_store_explicit(&piece->taken,
			      atomic_load_explicit(&piece->kept, memory_order_relaxed),
			      memory_order_release);
}

/* Puts a chunk at the front of the ready list. */
static void ready_put_first(struct tl_chunk *chunk)
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
	/* Else this run is a record that was stepped over: it lies before .read. */
	if (chunk->end == chunk->read)
		chunk->read = (char *)(uintptr_t)from;
	else
		chunk->hole = chunk->begin;
	if (!chunk->handed || chunk->listed)
		return;
	ready_put_first(chunk);
}

static uint64_t chunk_calls_left(const struct tl_chunk *chunk)
{
	const char *stop = atomic_load_explicit(&chunk->sealed, memory_order_acquire);
	uint64_t calls = 0;

	if (!stop)
		stop = chunk->memory + chunk->room;
	for (const char *at = chunk->read; at < stop;) {
		uint64_t word = tl_record_first_word(at);
		calls += tl_record_counts(tl_record_type_of(word));
		at += tl_record_step(word);
	}
	return calls;
}

void tl_buffer_count(void (*put)(void *context, const struct tl_producer *producer, uint64_t calls),
		     void *context)
{
	/* With rings, only what a flush took is to be written, and that is on the ready list. */
	struct tl_producer *all = tl_ring_is_policy() ? NULL : tl_buffer_producers();

	for (struct tl_producer *producer = all; producer; producer = producer->next) {
		struct tl_chunk *live =
			atomic_load_explicit(&producer->current, memory_order_acquire);
		/*
		 * If the chunk was handed over meanwhile, the loop below counts it. It can't be
		 * recycled, since only the caller recycles.
		 */
		if (live && __atomic_load_n(&live->producer, __ATOMIC_RELAXED) == producer &&
		    !live->handed)
			put(context, producer, chunk_calls_left(live));
	}
	ready_refill();
	for (const struct tl_chunk *chunk = ready; chunk; chunk = chunk->next)
		put(context, chunk->producer, chunk_calls_left(chunk));
}

void tl_buffer_give_back(struct tl_chunk *chunk)
{
	chunk->taken = false;
	given--;
	if (!chunk->handed || chunk->listed)
		return;
	if (chunk_is_read(chunk) && !chunk->hole) {
		chunk_recycle(chunk);
		return;
	}
	/* The rest of the chunk comes next. */
	ready_put_first(chunk);
}

/*
 * Threads often get their names after their first call: ask the kernel again. If the producer is being
 * given to another thread, the name may be the one's or the other's, until the next flush.
 */
static void producer_refresh_name(struct tl_producer *producer)
{
	uint32_t tid = __atomic_load_n(&producer->tid, __ATOMIC_RELAXED);
	char path[64], name[17];
	struct tl_text text = {path, path + sizeof(path) - 1, false};

	/* The calling thread's name is there without a file. */
	if (tid == (uint32_t)syscall(SYS_gettid)) {
		tl_producer_read_own_name(producer);
		return;
	}
	tl_text_string(&text, "/proc/self/task/");
	tl_text_unsigned(&text, tid);
	tl_text_string(&text, "/comm");
	*text.at = 0;
	size_t size = tl_proc_read(path, name, sizeof(name));
	if (!size || name[size - 1] != '\n')
		return;
	name[size - 1] = 0;
	tl_producer_set_name(producer, name);
}

/*
 * A chunk that an earlier flush left here, since the file could not be written, may have been live
 * then. What its thread recorded since comes before the thread's newer chunks.
 */
static void ready_extend(void)
{
	for (struct tl_chunk *chunk = ready; chunk; chunk = chunk->next) {
		char *sealed = atomic_load_explicit(&chunk->sealed, memory_order_acquire);
		if (sealed)
			chunk->stop = sealed;
	}
}

static void flush_rings(void)
{
	struct tl_chunk *last, *taken = tl_ring_take_all(&last);

	/* After the newer chunks were found: what is sealed before them is sealed by now. */
	ready_extend();
	if (!taken)
		return;
	*ready_end = taken;
	ready_end = &last->next;
}

void tl_buffer_flush(void)
{
	struct tl_producer *all = tl_buffer_producers();

	if (tl_ring_is_policy()) {
		flush_rings();
	} else {
		flushing = all;
		flush = stepping_over = true;
		for (struct tl_producer *producer = all; producer; producer = producer->next)
			producer->live =
				atomic_load_explicit(&producer->current, memory_order_acquire);
		/*
		 * After the loop, so that no chunk overtakes an older one of its thread. Once, so
		 * that the flush ends even while threads go on recording.
		 */
		ready_refill();
	}
	for (struct tl_producer *producer = all; producer; producer = producer->next)
		if (__atomic_load_n(&producer->tid, __ATOMIC_RELAXED) &&
		    !atomic_load_explicit(&producer->ended, memory_order_relaxed))
			producer_refresh_name(producer);
}

void tl_buffer_gaps(void (*each)(struct tl_producer *producer, const char *from, const char *to))
{
	for (struct tl_chunk *chunk = ready; chunk; chunk = chunk->next) {
		char *sealed = atomic_load_explicit(&chunk->sealed, memory_order_acquire);
		char *stop = sealed ? sealed : chunk->memory + chunk->room;
		if (chunk->gap)
			each(chunk->producer, chunk->read,
			     records_past_finished(chunk->read,
						   stop > chunk->stop ? chunk->stop : stop));
	}
}

void tl_chunk_reader_after_fork(void)
{
	ready = NULL;
	ready_end = &ready;
	flushing = NULL;
	flush = stepping_over = false;
	given = 0;
}
