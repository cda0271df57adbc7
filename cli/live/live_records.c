/* SPDX-License-Identifier: MIT */
/*
 * live_records.c: see live_records.h.
 *
 * A chunk is read in place as far as its records are committed. These bytes are copied, and count
 * only if the chunk still is the one that it was before: its process frees a chunk by a store to
 * .lane before anything else, and a chunk that is used again has another number.
 *
 * Ordered accesses
 *
 *	tl_chunk_piece.lane	acquire: pairs with the release in piece_mark_taken
 *				(layer/buffers/current_chunk.c): the other fields are this use's
 *	a record's first word	acquire: pairs with the release in tl_record_commit: the rest of
 *				the record is there
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/basics/basics.h"
#include "cli/live/live_file.h"
#include "cli/live/live_records.h"
#include "cli/live/process_names.h"
#include "format/args/args_kept.h"
#include "format/file/record_reader.h"

#define TEXT_MOST 1024u /* no text is longer */
/*
 * At most so many bytes of a thread are visited in a look; the rest counts as missed. That bounds what a
 * look costs, however fast the program is.
 */
#define VISITED_MOST (UINT64_C(64) << 10)

struct live_chunk {
	const struct tl_chunk_piece *piece;
	uint64_t size; /* of the piece */
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

struct live_text {
	uint32_t number;
	char *text; /* NULL: it is not there */
};

struct live_records {
	struct live_file file;
	bool begun; /* there was a look */
	struct process_names names;
	struct live_chunk *chunks;
	size_t nchunks;
	struct live_lane *lanes;
	size_t nlanes;
	struct live_freed *freed; /* in this look */
	size_t nfreed;
	const struct tl_thread_piece **threads;
	uint64_t *thread_sizes;
	size_t nthreads, thread;
	const struct tl_strings_piece **strings;
	uint64_t *string_sizes;
	size_t nstrings;
	const struct tl_lanes_piece **queues;
	uint64_t *queue_sizes;
	size_t nqueues;
	struct live_text *texts;
	size_t ntexts;
	const struct tl_clock_piece *clock;
	const struct tl_facts_piece *facts;
	char program[256];
	char *copy;
	uint64_t room;
};

/* ---- pieces */

/* A list of pieces of a kind, and one of their sizes. */
static void piece_keep(void *pieces, uint64_t **sizes, size_t *count, const struct tl_piece *piece,
		       uint64_t size)
{
	const void ***list = pieces;

	*list = need(reallocarray(*list, *count + 1, sizeof(**list)));
	*sizes = need(reallocarray(*sizes, *count + 1, sizeof(**sizes)));
	(*list)[*count] = piece;
	(*sizes)[(*count)++] = size;
}

static void chunk_add(struct live_records *records, const struct tl_piece *piece, uint64_t size)
{
	records->chunks =
		need(reallocarray(records->chunks, records->nchunks + 1, sizeof(*records->chunks)));
	records->chunks[records->nchunks++] =
		(struct live_chunk){.piece = (const void *)piece, .size = size};
}

static void piece_add(void *context, const struct tl_piece *piece, const struct tl_piece *head)
{
	struct live_records *records = context;

	switch (head->kind) {
	case TL_PIECE_FACTS:
		if (head->size >= sizeof(struct tl_facts_piece))
			records->facts = (const void *)piece;
		break;
	case TL_PIECE_CLOCK:
		if (head->size >= sizeof(struct tl_clock_piece))
			records->clock = (const void *)piece;
		break;
	case TL_PIECE_API:
		if (head->size >= sizeof(struct tl_api_piece))
			process_names_describe(&records->names, piece, head->size);
		break;
	case TL_PIECE_THREAD:
		if (head->size >= sizeof(struct tl_thread_piece))
			piece_keep(&records->threads, &records->thread_sizes, &records->nthreads,
				   piece, head->size);
		break;
	case TL_PIECE_STRINGS:
		if (head->size >= sizeof(struct tl_strings_piece))
			piece_keep(&records->strings, &records->string_sizes, &records->nstrings,
				   piece, head->size);
		break;
	case TL_PIECE_LANES:
		if (head->size >= sizeof(struct tl_lanes_piece))
			piece_keep(&records->queues, &records->queue_sizes, &records->nqueues,
				   piece, head->size);
		break;
	case TL_PIECE_CHUNK:
		if (head->size >= sizeof(struct tl_chunk_piece))
			chunk_add(records, piece, head->size);
		break;
	}
}

struct live_records *live_records_open(const char *path)
{
	struct live_records *records = need(calloc(1, sizeof(*records)));

	if (!live_file_open(&records->file, path)) {
		free(records);
		return NULL;
	}
	records->names.pid = records->file.pid;
	live_records_look(records, NULL);
	return records;
}

void live_records_close(struct live_records *records)
{
	live_file_close(&records->file);
	process_names_forget(&records->names);
	for (size_t i = 0; i < records->ntexts; i++)
		free(records->texts[i].text);
	free(records->texts);
	free(records->chunks);
	free(records->lanes);
	free(records->freed);
	free(records->threads);
	free(records->thread_sizes);
	free(records->strings);
	free(records->string_sizes);
	free(records->queues);
	free(records->queue_sizes);
	free(records->copy);
	free(records);
}

const struct tl_file_header *live_records_header(const struct live_records *records)
{
	return live_file_header(&records->file);
}

const char *live_records_path(const struct live_records *records)
{
	return records->file.path;
}

/* ---- names */

const char *live_records_program(struct live_records *records)
{
	if (!*records->program && records->facts)
		snprintf(records->program, sizeof(records->program), "%.*s",
			 (int)sizeof(records->facts->facts.program) - 1,
			 records->facts->facts.program);
	return *records->program ? records->program : "?";
}

const char *live_records_function(struct live_records *records, uint32_t function)
{
	return process_names_function(&records->names, function);
}

/* A copy of the text; NULL: no piece has it (yet). */
static char *text_find(const struct live_records *records, uint32_t number)
{
	for (size_t i = 0; i < records->nstrings; i++) {
		const struct tl_strings_piece *piece = records->strings[i];
		uint64_t units =
			(records->string_sizes[i] - sizeof(*piece)) / sizeof(*piece->units);
		uint64_t first = ((uint64_t)piece->index << TL_STRINGS_BITS) + piece->first;
		uint64_t at = number - first;

		if (number < first || at >= units)
			continue;
		/* Acquire: pairs with the release of .size, which is stored last. */
		uint32_t size = __atomic_load_n(&piece->units[at].size, __ATOMIC_ACQUIRE);
		if (size && size <= TEXT_MOST && size <= (units - at - 1) * sizeof(*piece->units))
			return need(strndup((const char *)&piece->units[at + 1], size));
	}
	return NULL;
}

static const char *text_of_number(struct live_records *records, uint32_t number)
{
	for (size_t i = 0; i < records->ntexts; i++)
		if (records->texts[i].number == number)
			return records->texts[i].text;
	char *text = text_find(records, number);
	if (!text)
		return NULL;
	records->texts =
		need(reallocarray(records->texts, records->ntexts + 1, sizeof(*records->texts)));
	records->texts[records->ntexts++] = (struct live_text){number, text};
	return text;
}

const char *live_records_queue(struct live_records *records, uint32_t lane)
{
	for (size_t i = 0; i < records->nqueues; i++) {
		const struct tl_lanes_piece *piece = records->queues[i];
		uint64_t count = (records->queue_sizes[i] - sizeof(*piece)) / sizeof(*piece->lanes);

		for (uint64_t j = 0; j < count; j++)
			/* Acquire: pairs with the release of .lane, which is stored last. */
			if (atomic_load_explicit(&piece->lanes[j].lane, memory_order_acquire) ==
			    lane)
				return text_of_number(records, piece->lanes[j].name);
	}
	return NULL;
}

/* ---- time */

uint64_t live_records_now(const struct live_records *records)
{
	return tl_profile_now() + (uint64_t)live_records_header(records)->time_offset;
}

/* By the last point of the clock: a look is never far behind it. */
static uint64_t time_of(const struct live_records *records, uint64_t ticks)
{
	const struct tl_clock_table *table = records->clock ? &records->clock->table : NULL;
	uint64_t at_ticks = 0, at_ns = 0, slope = 0;

	if (!live_records_header(records)->counter || !table)
		return ticks;
	for (int tries = 0; tries < 3; tries++) {
		/* Acquire: pairs with the releases of .version around a change (layer/buffers/clock.c). */
		uint32_t version = atomic_load_explicit(&table->version, memory_order_acquire);
		uint32_t count = atomic_load_explicit(&table->count, memory_order_relaxed);

		if (!count || count > TL_CLOCK_POINTS)
			return ticks;
		const struct tl_clock_point *point = &table->points[count - 1];
		at_ticks = atomic_load_explicit(&point->ticks, memory_order_relaxed);
		at_ns = atomic_load_explicit(&point->ns, memory_order_relaxed);
		slope = atomic_load_explicit(&point->slope, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		if (!(version & 1) &&
		    version == atomic_load_explicit(&table->version, memory_order_relaxed))
			break;
	}
	return at_ns +
	       (uint64_t)(int64_t)((__int128)(int64_t)(ticks - at_ticks) * (__int128)slope >>
				   TL_CLOCK_SHIFT);
}

/* ---- records */

static void visit_call(struct live_records *records, const struct live_visitor *visitor,
		       uint32_t lane, const struct tl_call_record *record)
{
	const struct tl_function *function =
		process_names_described(&records->names, record->function);

	visitor->call(
		visitor->user,
		&(struct live_call){
			.lane = lane,
			.function = record->function,
			.start = time_of(records, record->start),
			.end = time_of(records, tl_record_end(record->start, record->duration)),
			.failed = function && tl_call_has_result(function) &&
				  !(record->flags & TL_RECORD_UNWOUND) &&
				  tl_call_failed(function, record->result),
		});
}

static void visit_event(struct live_records *records, const struct live_visitor *visitor,
			uint32_t lane, const struct tl_event_record *event)
{
	const char *category = event->category ? text_of_number(records, event->category) : NULL;
	struct tl_event_arrows arrows = {.from = 0};
	bool ns = event->flags & TL_EVENT_NS;

	if (event->phase != 'X' || !event->lane || event->flags & TL_EVENT_TID || !category ||
	    strcspn(category, ",") != strlen("device") || strncmp(category, "device", 6) != 0)
		return;
	if (event->flags & TL_EVENT_ARROWS)
		memcpy(&arrows, (const char *)event + tl_event_bytes(event) - sizeof(arrows),
		       sizeof(arrows));
	uint64_t end = tl_record_end(event->start, event->duration);
	visitor->command(visitor->user,
			 &(struct live_command){
				 .lane = event->lane,
				 .from = lane,
				 .start = ns ? event->start : time_of(records, event->start),
				 .end = ns ? end : time_of(records, end),
				 .submitted = arrows.from ? arrows.from_ns : 0,
			 });
}

static void visit_copy(struct live_records *records, const struct live_visitor *visitor,
		       uint32_t lane, uint64_t size)
{
	const struct tl_trace_run run = {.records = records->copy, .size = size};
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	while ((record = tl_trace_next(&run, &place)))
		if (record->type == TL_RECORD_CALL)
			visit_call(records, visitor, lane, record);
		else if (record->type == TL_RECORD_EVENT)
			visit_event(records, visitor, lane, (const void *)record);
}

/* ---- chunks */

static struct live_lane *lane_of(struct live_records *records, uint32_t lane)
{
	for (size_t i = records->nlanes; i--;)
		if (records->lanes[i].lane == lane)
			return &records->lanes[i];
	records->lanes =
		need(reallocarray(records->lanes, records->nlanes + 1, sizeof(*records->lanes)));
	records->lanes[records->nlanes] = (struct live_lane){.lane = lane};
	return &records->lanes[records->nlanes++];
}

/* Where the committed records end that begin at `at`, of at most `room` bytes. */
static uint64_t committed_until(const char *bytes, uint64_t at, uint64_t room)
{
	while (at + sizeof(uint64_t) <= room) {
		uint64_t word = __atomic_load_n((const uint64_t *)(const void *)(bytes + at),
						__ATOMIC_ACQUIRE);
		uint64_t size = (word & 0xffff) * 8;

		if (!size || !(word >> 16 & 0xff) || size > room - at)
			break;
		at += size;
	}
	return at;
}

static bool chunk_is(const struct live_chunk *chunk, uint32_t lane, uint64_t number)
{
	return atomic_load_explicit(&chunk->piece->lane, memory_order_relaxed) == lane &&
	       atomic_load_explicit(&chunk->piece->number, memory_order_relaxed) == number;
}

/*
 * Copies what is new in the chunk, if it is wanted; how many bytes. *until: up to where the chunk has
 * records.
 */
static uint64_t chunk_copy(struct live_records *records, struct live_chunk *chunk, bool wanted,
			   uint64_t *until)
{
	const struct tl_chunk_piece *piece = chunk->piece;
	uint64_t begin = piece->records, end;

	if (begin < sizeof(*piece) || begin > chunk->size || begin % 8)
		return 0;
	const char *bytes = (const char *)piece + begin;
	uint64_t room = chunk->size - begin;

	end = atomic_load_explicit(&piece->end, memory_order_relaxed);
	*until = end && end <= room ? end : committed_until(bytes, chunk->at, room);
	if (*until <= chunk->at || !wanted)
		return 0;
	if (*until - chunk->at > records->room) {
		records->room = *until - chunk->at;
		free(records->copy);
		records->copy = need(malloc(records->room));
	}
	memcpy(records->copy, bytes + chunk->at, *until - chunk->at);
	/* The copy is made before the chunk is looked at again. */
	atomic_thread_fence(memory_order_acquire);
	return *until - chunk->at;
}

/*
 * A chunk that is free. What was not read of it is gone, but how much that was is known: the fields stay
 * until it is used again.
 */
static void chunk_note_freed(struct live_records *records, struct live_chunk *chunk)
{
	uint64_t number = atomic_load_explicit(&chunk->piece->number, memory_order_relaxed),
		 end = atomic_load_explicit(&chunk->piece->end, memory_order_relaxed);

	if (end > chunk->size)
		return;
	if (chunk->lane && chunk->number == number) {
		struct live_lane *lane = lane_of(records, chunk->lane);
		if (records->begun && end > chunk->at)
			lane->missed += end - chunk->at;
		lane->there |= number == lane->highest;
	} else if (chunk->number != number) {
		records->freed = need(
			reallocarray(records->freed, records->nfreed + 1, sizeof(*records->freed)));
		records->freed[records->nfreed++] = (struct live_freed){number, end};
	}
	chunk->lane = 0;
	chunk->number = number;
}

static void chunk_look(struct live_records *records, struct live_chunk *chunk,
		       const struct live_visitor *visitor)
{
	uint32_t number_lane = atomic_load_explicit(&chunk->piece->lane, memory_order_acquire);
	uint64_t number = atomic_load_explicit(&chunk->piece->number, memory_order_relaxed),
		 until = 0;

	if (!number_lane) {
		chunk_note_freed(records, chunk);
		return;
	}
	struct live_lane *lane = lane_of(records, number_lane);
	if (number_lane != chunk->lane || number != chunk->number) {
		chunk->lane = number_lane;
		chunk->number = number;
		chunk->at = 0;
	}
	uint64_t size = chunk_copy(records, chunk, visitor && lane->visited < VISITED_MOST, &until);
	if (!chunk_is(chunk, number_lane, number))
		return;
	if (size) {
		lane->read += size;
		lane->visited += size;
		visit_copy(records, visitor, number_lane, size);
	} else if (visitor && until > chunk->at) {
		lane->missed += until - chunk->at;
	}
	if (until > chunk->at)
		chunk->at = until;
	lane->room = chunk->size - chunk->piece->records;
	if (number == lane->highest) {
		lane->there = true;
		lane->at = chunk->at;
	} else if (number > lane->highest) {
		lane->newer++;
		if (number > lane->newest) {
			lane->newest = number;
			lane->newest_at = chunk->at;
		}
	}
}

/*
 * Counts freed chunks that are this lane's by their numbers. Another thread's chunk may have the same
 * number; then the size may be wrong, and not how many there were.
 */
static void lane_take_freed(struct live_records *records, struct live_lane *lane)
{
	for (size_t i = 0; i < records->nfreed;) {
		struct live_freed *freed = &records->freed[i];
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
		*freed = records->freed[--records->nfreed];
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

bool live_records_look(struct live_records *records, const struct live_visitor *visitor)
{
	if (!live_file_lives(&records->file))
		return false;
	if (!live_file_is_used(&records->file))
		return true;
	live_file_search(&records->file, piece_add, records);
	for (size_t i = 0; i < records->nchunks; i++)
		chunk_look(records, &records->chunks[i], visitor);
	for (size_t i = 0; i < records->nlanes; i++) {
		if (records->begun)
			lane_take_freed(records, &records->lanes[i]);
		lane_note_missed(&records->lanes[i], records->begun);
	}
	records->nfreed = 0;
	records->begun = true;
	return true;
}

void live_records_missed(struct live_records *records, uint32_t number, uint64_t *read,
			 uint64_t *missed)
{
	struct live_lane *lane = lane_of(records, number);

	*read = lane->read;
	*missed = lane->missed;
	lane->read = 0;
	/* What nothing was read beside belongs to the next records that are. */
	if (*read)
		lane->missed = 0;
}

/* ---- threads */

bool live_records_thread(struct live_records *records, size_t *place, struct live_thread *thread)
{
	for (; *place < records->nthreads; (*place)++) {
		const struct tl_thread_piece *piece = records->threads[*place];
		/* Acquire: pairs with the process's release; the piece is this thread's. */
		uint32_t lane = atomic_load_explicit(&piece->lane, memory_order_acquire);

		if (!lane || atomic_load_explicit(&piece->ended, memory_order_relaxed))
			continue;
		*thread = (struct live_thread){.lane = lane, .tid = piece->tid};
		memcpy(thread->name, piece->name, sizeof(thread->name));
		thread->name[sizeof(thread->name) - 1] = 0;
		records->thread = (*place)++;
		return true;
	}
	return false;
}

uint32_t live_records_opens(const struct live_records *records, struct live_open *opens,
			    uint32_t most)
{
	const struct tl_thread_piece *piece = records->threads[records->thread];
	uint64_t room =
		(records->thread_sizes[records->thread] - sizeof(*piece)) / sizeof(*piece->open);
	uint32_t count = 0;

	for (uint64_t i = 0; i < room && count < most; i++) {
		const struct tl_open_call *open = &piece->open[i];
		/* Acquire: pairs with the release of .frame, after the rest of the entry. */
		uint64_t frame = atomic_load_explicit(&open->frame, memory_order_acquire);
		uint32_t mode = __atomic_load_n(&open->mode, __ATOMIC_ACQUIRE);
		uint64_t start = __atomic_load_n(&open->start, __ATOMIC_ACQUIRE);
		uint32_t function = __atomic_load_n(&open->function, __ATOMIC_ACQUIRE);

		if (!frame || frame == TL_NO_FRAME) {
			if (!(mode & TL_OPEN_FINISHED))
				break;
			continue;
		}
		/* The entry was another call's meanwhile. */
		if (start != __atomic_load_n(&open->start, __ATOMIC_RELAXED) ||
		    frame != atomic_load_explicit(&open->frame, memory_order_relaxed))
			continue;
		opens[count++] = (struct live_open){function, time_of(records, start)};
	}
	return count;
}
