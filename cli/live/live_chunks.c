/* SPDX-License-Identifier: MIT */
/*
 * live_chunks.c: see live_chunks.h.
 *
 * A chunk's records are copied as far as they are committed. A copy counts only if the chunk still
 * is the one that it was before: its process frees a chunk by a store to .lane before anything
 * else, and a chunk that is used again has another number.
 *
 * Heads of chunks are read in the mapping, records from the file: each look at the heads is as
 * cheap as can be, and the first touch of each page of records would cost more than a copy.
 *
 * Ordered accesses
 *
 *	tl_chunk_piece.lane	acquire: pairs with the release in piece_mark_taken
 *				(layer/buffers/current_chunk.c): the other fields are this use's
 *	a record's first word	acquire: pairs with the release in tl_record_commit: the rest of
 *				the record is there
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/live/live_chunks.h"
#include "format/file/record_reader.h"
#include "format/file/record_words.h"

#define FIRST_READ (UINT64_C(4) << 10) /* of a chunk that is being filled: mostly it is enough */

struct live_chunk {
	const struct tl_chunk_piece *piece;
	uint64_t size;	/* of the piece */
	uint64_t begin; /* of its records, from the piece's start */
	uint32_t lane;
	uint64_t number, at; /* what was read of it, in bytes of records */
};

struct live_lane {
	uint32_t lane;
	uint64_t highest, at,
		room; /* the last chunk of the looks before, and what was read of it */
	/* In this look: .highest is still there, the last chunk, how many are newer than .highest. */
	bool there;
	uint64_t newest, newest_at, newer;
	uint64_t visited; /* bytes in this look */
	uint64_t read, missed;
};

/* A chunk that was used and freed between two looks. Its number and its size are still there. */
struct live_freed {
	uint64_t number, size;
};

/* A look, and who takes what it finds. */
struct looking {
	struct live_chunks *chunks;
	const struct live_file *file;
	void (*take)(void *context, uint32_t lane, const char *bytes, uint64_t size);
	void *context;
};

void live_chunks_add(struct live_chunks *chunks, const struct tl_piece *piece, uint64_t size)
{
	chunks->chunks =
		need(reallocarray(chunks->chunks, chunks->nchunks + 1, sizeof(*chunks->chunks)));
	chunks->chunks[chunks->nchunks++] =
		(struct live_chunk){.piece = (const void *)piece, .size = size};
}

static struct live_lane *lane_of(struct live_chunks *chunks, uint32_t lane)
{
	for (size_t i = chunks->nlanes; i--;)
		if (chunks->lanes[i].lane == lane)
			return &chunks->lanes[i];
	chunks->lanes =
		need(reallocarray(chunks->lanes, chunks->nlanes + 1, sizeof(*chunks->lanes)));
	chunks->lanes[chunks->nlanes] = (struct live_lane){.lane = lane};
	return &chunks->lanes[chunks->nlanes++];
}

/* Where the committed records end that begin at `at`, of at most `room` bytes. */
static uint64_t committed_until(const char *bytes, uint64_t at, uint64_t room)
{
	while (at + sizeof(uint64_t) <= room) {
		uint64_t word = tl_record_first_word(bytes + at), size = tl_record_size_of(word);

		if (!size || !tl_record_type_of(word) || size > room - at)
			break;
		at += size;
	}
	return at;
}

/* Whether there may be a further committed record that begins at `at`, beyond the bytes that were read. */
static bool record_is_cut(const char *bytes, uint64_t at, uint64_t room)
{
	uint64_t word;

	if (at + sizeof(word) > room)
		return true;
	memcpy(&word, bytes + at, sizeof(word));
	return tl_record_size_of(word) > room - at;
}

static bool chunk_is(const struct live_chunk *chunk, uint32_t lane, uint64_t number)
{
	return atomic_load_explicit(&chunk->piece->lane, memory_order_relaxed) == lane &&
	       atomic_load_explicit(&chunk->piece->number, memory_order_relaxed) == number;
}

/* Copies the chunk's records from .at on; how many bytes. */
static uint64_t chunk_read(const struct looking *looking, const struct live_chunk *chunk,
			   uint64_t size)
{
	uint64_t place = (uint64_t)((const char *)chunk->piece - looking->file->memory) +
			 chunk->begin + chunk->at;
	ssize_t got = pread(looking->file->fd, looking->chunks->copy, size, (off_t)place);

	return got > 0 ? (uint64_t)got : 0;
}

/* Copies the chunk's new records up to `end`, at most so many bytes. How many there are. */
static uint64_t chunk_copy_full(const struct looking *looking, const struct live_chunk *chunk,
				uint64_t end, uint64_t most)
{
	uint64_t left = end - chunk->at;
	const struct tl_trace_run run = {
		.records = looking->chunks->copy,
		.size = chunk_read(looking, chunk, left < most ? left : most),
	};
	struct tl_trace_place place = {0};

	if (run.size == left)
		return left;
	while (tl_trace_next(&run, &place))
		;
	/* The last one was cut. */
	return place.unsound ? place.unsound - 1 : place.at;
}

/*
 * The same of a chunk that is being filled: what is committed. The bytes are read again once it is
 * known that they are, because the first read may have got a record's first word last.
 */
static uint64_t chunk_copy_open(const struct looking *looking, const struct live_chunk *chunk,
				uint64_t most)
{
	uint64_t size = most < FIRST_READ ? most : FIRST_READ, committed, got;

	for (;; size = most) {
		got = chunk_read(looking, chunk, size);
		committed = committed_until(looking->chunks->copy, 0, got);
		/* There is no more, unless a record was cut. */
		if (size == most || got < size ||
		    !record_is_cut(looking->chunks->copy, committed, got))
			break;
	}
	atomic_thread_fence(memory_order_acquire);
	return chunk_read(looking, chunk, committed) == committed ? committed : 0;
}

/* Where the records of a full chunk end, if there are new ones; 0: it is not full. */
static uint64_t chunk_end(const struct live_chunk *chunk)
{
	uint64_t end = atomic_load_explicit(&chunk->piece->end, memory_order_relaxed);

	if (!end || end > chunk->size - chunk->begin)
		return 0;
	return end > chunk->at ? end : chunk->at;
}

/* Up to where the chunk has records. */
static uint64_t chunk_until(const struct live_chunk *chunk)
{
	const char *bytes = (const char *)chunk->piece + chunk->begin;
	uint64_t end = chunk_end(chunk), room = chunk->size - chunk->begin;

	return end ? end : room > chunk->at ? committed_until(bytes, chunk->at, room) : chunk->at;
}

/*
 * Copies new records of the chunk, at most so many bytes; how many there are. *until: where the next look
 * goes on. What lies between counts as missed.
 */
static uint64_t chunk_copy(const struct looking *looking, const struct live_chunk *chunk,
			   uint64_t most, uint64_t *until)
{
	uint64_t end = chunk_end(chunk), room = chunk->size - chunk->begin, size = 0;

	if (end) {
		if (most && end > chunk->at)
			size = chunk_copy_full(looking, chunk, end, most);
		*until = end;
	} else if (most && room > chunk->at) {
		uint64_t left = room - chunk->at;
		size = chunk_copy_open(looking, chunk, left < most ? left : most);
		*until = chunk->at + size;
	}
	/* The copy is made before the chunk is looked at again. */
	atomic_thread_fence(memory_order_acquire);
	return size;
}

/*
 * A chunk that is free. What was not read of it is gone, but how much that was is known: the fields stay
 * until it is used again.
 */
static void chunk_note_freed(struct live_chunks *chunks, struct live_chunk *chunk)
{
	uint64_t number = atomic_load_explicit(&chunk->piece->number, memory_order_relaxed),
		 end = atomic_load_explicit(&chunk->piece->end, memory_order_relaxed);

	if (end > chunk->size)
		return;
	if (chunk->lane && chunk->number == number) {
		struct live_lane *lane = lane_of(chunks, chunk->lane);
		if (chunks->begun && end > chunk->at)
			lane->missed += end - chunk->at;
		lane->there |= number == lane->highest;
	} else if (chunk->number != number) {
		chunks->freed = need(
			reallocarray(chunks->freed, chunks->nfreed + 1, sizeof(*chunks->freed)));
		chunks->freed[chunks->nfreed++] = (struct live_freed){number, end};
	}
	chunk->lane = 0;
	chunk->number = number;
}

/* Nothing in the file is trusted. */
static void chunk_use_again(struct live_chunk *chunk, uint32_t lane, uint64_t number)
{
	chunk->lane = lane;
	chunk->number = number;
	chunk->at = 0;
	chunk->begin = chunk->piece->records;
	if (chunk->begin < sizeof(*chunk->piece) || chunk->begin > chunk->size || chunk->begin % 8)
		chunk->begin = chunk->size;
}

/* The chunk is the lane's, and was looked at. */
static void lane_note_chunk(struct live_lane *lane, const struct live_chunk *chunk)
{
	lane->room = chunk->size - chunk->begin;
	if (chunk->number == lane->highest) {
		lane->there = true;
		lane->at = chunk->at;
	} else if (chunk->number > lane->highest) {
		lane->newer++;
		if (chunk->number > lane->newest) {
			lane->newest = chunk->number;
			lane->newest_at = chunk->at;
		}
	}
}

static void chunk_look(const struct looking *looking, struct live_chunk *chunk)
{
	uint32_t number_lane = atomic_load_explicit(&chunk->piece->lane, memory_order_acquire);
	uint64_t number = atomic_load_explicit(&chunk->piece->number, memory_order_relaxed);

	if (!number_lane) {
		chunk_note_freed(looking->chunks, chunk);
		return;
	}
	struct live_lane *lane = lane_of(looking->chunks, number_lane);
	if (number_lane != chunk->lane || number != chunk->number)
		chunk_use_again(chunk, number_lane, number);
	uint64_t until = chunk->at, size = 0;
	if (looking->take)
		size = chunk_copy(looking, chunk, LIVE_READ_MOST - lane->visited, &until);
	else
		until = chunk_until(chunk);
	if (!chunk_is(chunk, number_lane, number))
		return;
	if (looking->take) {
		lane->read += size;
		lane->visited += size;
		lane->missed += until - chunk->at - size;
		if (size)
			looking->take(looking->context, number_lane, looking->chunks->copy, size);
	}
	chunk->at = until;
	lane_note_chunk(lane, chunk);
}

/*
 * Counts freed chunks that are this lane's by their numbers. Another thread's chunk may have the same
 * number; then the size may be wrong, and not how many there were.
 */
static void lane_take_freed(struct live_chunks *chunks, struct live_lane *lane)
{
	for (size_t i = 0; i < chunks->nfreed;) {
		struct live_freed *freed = &chunks->freed[i];
		uint64_t last = lane->newest > lane->highest ? lane->newest : lane->highest;

		if (!lane->highest || freed->number <= lane->highest || freed->number > last + 1) {
			i++;
			continue;
		}
		lane->missed += freed->size;
		lane->newer++;
		if (freed->number > last) {
			lane->newest = freed->number;
			lane->newest_at = freed->size;
			lane->room = freed->size;
		}
		*freed = chunks->freed[--chunks->nfreed];
		i = 0;
	}
}

/* What was overwritten between the last look and this one. */
static void lane_note_missed(struct live_lane *lane, bool begun)
{
	if (lane->newest > lane->highest) {
		if (begun) {
			lane->missed += (lane->newest - lane->highest - lane->newer) * lane->room;
			if (lane->highest && !lane->there && lane->at < lane->room)
				lane->missed += lane->room - lane->at;
		}
		lane->highest = lane->newest;
		lane->at = lane->newest_at;
	}
	lane->visited = 0;
	lane->there = false;
	lane->newer = lane->newest = 0;
}

void live_chunks_look(struct live_chunks *chunks, const struct live_file *file,
		      void (*take)(void *context, uint32_t lane, const char *bytes, uint64_t size),
		      void *context)
{
	const struct looking looking = {chunks, file, take, context};

	for (size_t i = 0; i < chunks->nchunks; i++)
		chunk_look(&looking, &chunks->chunks[i]);
	for (size_t i = 0; i < chunks->nlanes; i++) {
		if (chunks->begun)
			lane_take_freed(chunks, &chunks->lanes[i]);
		lane_note_missed(&chunks->lanes[i], chunks->begun);
	}
	chunks->nfreed = 0;
	chunks->begun = true;
}

void live_chunks_missed(struct live_chunks *chunks, uint32_t number, uint64_t *read,
			uint64_t *missed)
{
	struct live_lane *lane = lane_of(chunks, number);

	*read = lane->read;
	*missed = lane->missed;
	lane->read = 0;
	/* What nothing was read beside belongs to the next records that are. */
	if (*read)
		lane->missed = 0;
}

void live_chunks_free(struct live_chunks *chunks)
{
	free(chunks->chunks);
	free(chunks->lanes);
	free(chunks->freed);
}
