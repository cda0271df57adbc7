/* SPDX-License-Identifier: MIT */
/*
 * live_records.c: see live_records.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/live/live_chunks.h"
#include "cli/live/live_clock.h"
#include "cli/live/live_file.h"
#include "cli/live/live_records.h"
#include "cli/live/live_texts.h"
#include "cli/live/process_names.h"
#include "format/args/args_kept.h"
#include "format/file/record_reader.h"

struct live_records {
	struct live_file file;
	struct process_names names;
	struct live_chunks chunks;
	const struct tl_thread_piece **threads;
	uint64_t *thread_sizes;
	size_t nthreads, thread;
	struct live_texts texts;
	uint32_t queue_key; /* the text "queue"; 0: not seen yet */
	const struct tl_clock_piece *clock;
	const struct tl_facts_piece *facts;
	char program[256];
	struct live_clock now; /* in this look */
};

/* ---- pieces */

static void thread_add(struct live_records *records, const struct tl_piece *piece, uint64_t size)
{
	records->threads = need(
		reallocarray(records->threads, records->nthreads + 1, sizeof(*records->threads)));
	records->thread_sizes = need(reallocarray(records->thread_sizes, records->nthreads + 1,
						  sizeof(*records->thread_sizes)));
	records->threads[records->nthreads] = (const void *)piece;
	records->thread_sizes[records->nthreads++] = size;
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
			thread_add(records, piece, head->size);
		break;
	case TL_PIECE_STRINGS:
		if (head->size >= sizeof(struct tl_strings_piece))
			live_texts_add_strings(&records->texts, piece, head->size);
		break;
	case TL_PIECE_LANES:
		if (head->size >= sizeof(struct tl_lanes_piece))
			live_texts_add_queues(&records->texts, piece, head->size);
		break;
	case TL_PIECE_CHUNK:
		if (head->size >= sizeof(struct tl_chunk_piece))
			live_chunks_add(&records->chunks, piece, head->size);
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
	live_file_search(&records->file, piece_add, records);
	return records;
}

void live_records_close(struct live_records *records)
{
	live_file_close(&records->file);
	process_names_forget(&records->names);
	live_texts_free(&records->texts);
	live_chunks_free(&records->chunks);
	free(records->threads);
	free(records->thread_sizes);
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

bool live_records_has_program(const struct live_records *records)
{
	return records->facts && *records->facts->facts.program;
}

const char *live_records_function(struct live_records *records, uint32_t function)
{
	return process_names_function(&records->names, function);
}

const char *live_records_queue(struct live_records *records, uint32_t lane)
{
	return live_texts_queue(&records->texts, lane);
}

/* ---- time */

uint64_t live_records_now(const struct live_records *records)
{
	return tl_profile_now() + (uint64_t)live_records_header(records)->time_offset;
}

/* ---- records */

/* What is looked up once for many records. */
struct visit {
	struct live_records *records;
	const struct live_visitor *visitor;
	uint32_t lane;
	bool found; /* the next two are set */
	uint32_t number;
	const struct tl_function *function; /* of that number; NULL: not described */
};

static const struct tl_function *visit_function(struct visit *visit, uint32_t number)
{
	if (!visit->found || visit->number != number) {
		visit->found = true;
		visit->number = number;
		visit->function = process_names_described(&visit->records->names, number);
	}
	return visit->function;
}

static void visit_call(struct visit *visit, const struct tl_call_record *record)
{
	const struct live_clock *clock = &visit->records->now;
	const struct tl_function *function = visit_function(visit, record->function);

	visit->visitor->call(visit->visitor->user,
			     &(struct live_call){
				     .lane = visit->lane,
				     .function = record->function,
				     .start = live_clock_time(clock, record->start),
				     .end = live_clock_time(
					     clock, tl_record_end(record->start, record->duration)),
				     .failed = function && tl_call_has_result(function) &&
					       !(record->flags & TL_RECORD_UNWOUND) &&
					       tl_call_failed(function, record->result),
			     });
}

/* The number of the command's queue; 0: the event doesn't say. */
static uint32_t event_queue(struct live_records *records, const struct tl_event_record *event)
{
	for (uint32_t i = 0; i < event->args; i++) {
		const struct tl_event_arg *arg = &event->arg[i];
		const char *key =
			records->queue_key ? NULL : live_texts_text(&records->texts, arg->key);

		if (key && !strcmp(key, "queue"))
			records->queue_key = arg->key;
		if (arg->key == records->queue_key)
			return (uint32_t)arg->value;
	}
	return 0;
}

static void visit_event(struct visit *visit, const struct tl_event_record *event)
{
	const struct live_clock *clock = &visit->records->now;
	const char *category =
		event->category ? live_texts_text(&visit->records->texts, event->category) : NULL;
	struct tl_event_arrows arrows = {.from = 0};
	bool ns = event->flags & TL_EVENT_NS;

	if (event->phase != 'X' || !event->lane || event->flags & TL_EVENT_TID || !category ||
	    strcspn(category, ",") != strlen("device") || strncmp(category, "device", 6) != 0 ||
	    event->size * 8u < sizeof(*event) + event->args * sizeof(*event->arg))
		return;
	if (event->flags & TL_EVENT_ARROWS)
		memcpy(&arrows, (const char *)event + tl_event_bytes(event) - sizeof(arrows),
		       sizeof(arrows));
	uint64_t end = tl_record_end(event->start, event->duration);
	visit->visitor->command(
		visit->visitor->user,
		&(struct live_command){
			.lane = event->lane,
			.queue = event_queue(visit->records, event),
			.from = visit->lane,
			.start = ns ? event->start : live_clock_time(clock, event->start),
			.end = ns ? end : live_clock_time(clock, end),
			.submitted = arrows.from ? arrows.from_ns : 0,
		});
}

static void visit_copy(void *context, uint32_t lane, const char *bytes, uint64_t size)
{
	const struct tl_trace_run run = {.records = bytes, .size = size};
	struct visit *visit = context;
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	visit->lane = lane;
	while ((record = tl_trace_next(&run, &place)))
		if (record->type == TL_RECORD_CALL)
			visit_call(visit, record);
		else if (record->type == TL_RECORD_EVENT)
			visit_event(visit, (const void *)record);
}

bool live_records_look(struct live_records *records, const struct live_visitor *visitor)
{
	struct visit visit = {.records = records, .visitor = visitor};

	if (!live_file_lives(&records->file))
		return false;
	if (!live_file_is_used(&records->file))
		return true;
	live_file_search(&records->file, piece_add, records);
	records->now = live_clock_read(live_records_header(records), records->clock);
	live_chunks_look(&records->chunks, &records->file, visitor ? visit_copy : NULL, &visit);
	return true;
}

void live_records_missed(struct live_records *records, uint32_t lane, uint64_t *read,
			 uint64_t *missed)
{
	live_chunks_missed(&records->chunks, lane, read, missed);
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
	const struct live_clock clock =
		live_clock_read(live_records_header(records), records->clock);
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
		opens[count++] = (struct live_open){function, live_clock_time(&clock, start)};
	}
	return count;
}
