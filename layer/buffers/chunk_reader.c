/* SPDX-License-Identifier: MIT */
/*
 * chunk_reader.c: the reader's side of the buffers: the writer, or the thread that has its lock,
 * takes chunks, gives them back, and flushes. See buffer.h for who calls what, and buffer.c for the
 * way of a chunk.
 *
 * The reader walks a chunk from record to record. In a live chunk it stops at the first record that
 * is not committed. In a sealed chunk such a record belongs to a reservation that a signal handler
 * interrupted, and the chunk waits for it. The chunk is never recycled before, since the
 * interrupted code still writes there. When everything is flushed, the reader steps over the
 * record.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "common/proc.h"
#include "common/text.h"
#include "format/file/record.h"
#include "format/file/record_words.h"
#include "layer/buffers/chunk_reader.h"
#include "layer/buffers/chunks.h"
#include "layer/buffers/producers.h"
#include "layer/buffers/rings.h"

/* The reader's own: used under the writer's lock. */
static struct tl_chunk *ready, **ready_end = &ready;
static bool flush;		     /* everything up to its beginning is being given out */
static struct tl_producer *flushing; /* next one whose current chunk is to be read */
static uint32_t given;		     /* chunks that the writer has */
static bool stepping_over;
static uint32_t scan;

/* Move what was handed over to the ready list, oldest first. */
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
 * Past a record that is not finished: by its size where it has one, else to the next word that is
 * not zero.
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

/* Past the finished records from `at` on. */
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
 * Find the next run of finished records of a chunk: sets .begin and .end. False: there is none now.
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
 * The record that was stepped over has been finished since: it is the next run. Forgotten if its
 * thread has ended.
 */
static bool chunk_find_late(struct tl_chunk *chunk)
{
	uint64_t word = tl_record_first_word(chunk->hole);

	if (!tl_record_type_of(word)) {
		if (atomic_load_explicit(&chunk->producer->ended, memory_order_relaxed) &&
		    tl_producer_is_unknown_to_kernel(chunk->producer))
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
	 * Used again it is not what it was when a flush began: the same producer may have older
	 * ones by then, which come before it.
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
		/* Of a ring, a flush has what is finished now. */
		bool waits = !tl_ring_is_policy() && (!chunk_is_read(chunk) || chunk->hole);
		if (!found && (blocked || waits)) {
			/*
			 * Later chunks of the thread wait for this one, unless only a hole in it is
			 * left.
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
 * The chunks that were current when the flush began, as far as they are written, once what was
 * handed over then has been given out.
 */
static struct tl_chunk *live_take(void)
{
	for (; flushing; flushing = flushing->next) {
		struct tl_chunk *chunk = flushing->live;
		flushing->live = NULL;
		/*
		 * Handed over before the queue was emptied, it has been given out; recycled since,
		 * it may be anybody's.
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
	/* A record that was finished late lies behind what is read. */
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
	/* Of rings only what was taken is to be written, and that is on the list. */
	struct tl_producer *all = tl_ring_is_policy() ? NULL : tl_buffer_producers();

	for (struct tl_producer *producer = all; producer; producer = producer->next) {
		struct tl_chunk *live =
			atomic_load_explicit(&producer->current, memory_order_acquire);
		/*
		 * Handed over in the meantime, it is counted below, or was; recycled it can't be,
		 * but by the caller.
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
	/* The rest of it comes next. */
	ready_put_first(chunk);
}

/* Threads often get their names after their first call: ask the kernel again. */
static void producer_refresh_name(struct tl_producer *producer)
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
	tl_producer_set_name(producer, name);
}

static void flush_rings(void)
{
	struct tl_chunk *last, *taken = tl_ring_take_all(&last);

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
		 * After that, so that no older chunk of a thread is overtaken; once, so that
		 * threads which go on don't keep us for ever.
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
