/* SPDX-License-Identifier: MIT */
/*
 * record_pieces.c: a trace sink's file in the record format, a .tlt, made of pieces
 * (format/file/trace_file.h). The layer's own are made in layer/write/record_blocks.c.
 */
#include "config.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/outputs/trace_sink.h"
#include "format/file/describe.h"

/* The lane's chunks that the process wrote have lower numbers. */
#define FIRST_NUMBER ((uint64_t)1 << 32)

#define APIS 256u /* more than a process can have */

static void bytes_put(struct trace_sink *sink, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		trace_sink_make_room(sink);
		size_t now = TRACE_SINK_BLOCK - (size_t)(sink->text.at - sink->block);
		now = now < size ? now : size;
		tl_text_put(&sink->text, at, now);
		at += now;
		size -= now;
	}
}

static void piece_put(struct trace_sink *sink, enum tl_piece_kind kind, void *head, size_t size,
		      const void *more, size_t more_size)
{
	static const char zeros[8];
	size_t padding = -more_size % 8;
	struct tl_piece *piece = head;

	*piece = (struct tl_piece){
		.magic = TL_PIECE_MAGIC, .kind = kind, .size = size + more_size + padding};
	bytes_put(sink, head, size);
	bytes_put(sink, more, more_size);
	bytes_put(sink, zeros, padding);
}

static void header_put(struct trace_sink *sink)
{
	const struct tl_trace *trace = sink->trace;
	char *page = need(calloc(1, TL_FILE_PAGE));
	struct tl_file_header *header = (struct tl_file_header *)(void *)page;
	struct tl_facts_piece *piece = need(calloc(1, sizeof(*piece)));
	/* Without the unused part of the members, but with a NUL. */
	size_t size =
		(offsetof(struct tl_facts_piece, facts.members) + trace->facts.members_size + 8) &
		~(size_t)7;

	memcpy(page, &trace->header, offsetof(struct tl_file_header, state));
	header->kind = TL_FILE_SPOOL;
	header->header_size = TL_FILE_PAGE;
	header->alignment = 8;
	header->capacity = 0;
	header->time_offset = trace->header.time_offset;
	header->has_time_offset = trace->header.has_time_offset;
	bytes_put(sink, page, TL_FILE_PAGE);
	memcpy(&piece->facts, &trace->facts, sizeof(piece->facts));
	piece_put(sink, TL_PIECE_FACTS, piece, size < sizeof(*piece) ? size : sizeof(*piece), NULL,
		  0);
	free(piece);
	free(page);
}

static void apis_put(struct trace_sink *sink, const struct tl_trace *trace)
{
	for (uint32_t number = 0; number < APIS; number++) {
		const struct tl_api *api = tl_trace_api(trace, number);
		struct tl_api_piece piece = {.number = number};
		size_t size;

		if (!api)
			continue;
		void *description = need(tl_describe_packed(api, &size));
		piece.size = (uint32_t)size;
		piece_put(sink, TL_PIECE_API, &piece, sizeof(piece), description, size);
		free(description);
	}
}

/* One piece for each text: the file may have some texts already, in pieces that begin anywhere. */
static void texts_put(struct trace_sink *sink, const struct tl_trace *trace)
{
	struct tl_trace_text_place place = {0};
	const void *text;
	uint32_t number;
	size_t size;

	while ((text = tl_trace_next_text(trace, &place, &number, &size))) {
		struct tl_strings_piece piece = {.index = number >> TL_STRINGS_BITS,
						 .first = number & ((1u << TL_STRINGS_BITS) - 1)};
		piece_put(sink, TL_PIECE_STRINGS, &piece, sizeof(piece), text, size);
	}
}

static void named_lanes_put(struct trace_sink *sink, const struct tl_trace *trace)
{
	size_t size = trace->nnamed * sizeof(struct tl_lane_entry);
	struct tl_lane_entry *entries = need(calloc(trace->nnamed + 1, sizeof(*entries)));
	struct tl_lanes_piece piece = {.unused = {0}};

	for (size_t i = 0; i < trace->nnamed; i++) {
		entries[i].shown = trace->named[i].shown;
		entries[i].name = trace->named[i].name;
		entries[i].sort = trace->named[i].sort;
		atomic_init(&entries[i].lane, trace->named[i].lane);
	}
	if (size)
		piece_put(sink, TL_PIECE_LANES, &piece, sizeof(piece), entries, size);
	free(entries);
}

static void pieces_begin(struct trace_sink *sink, bool empty)
{
	if (empty)
		header_put(sink);
	apis_put(sink, sink->trace);
	texts_put(sink, sink->trace);
	named_lanes_put(sink, sink->trace);
}

static void thread_put(struct trace_sink *sink, const struct tl_trace_lane *lane)
{
	/* The stacks' numbers follow the open calls. */
	size_t bytes = lane->nopens * (sizeof(struct tl_open_call) + sizeof(uint32_t));
	struct tl_open_call *opens = need(calloc(1, (bytes + 8) & ~(size_t)7));
	uint32_t *stacks = (uint32_t *)(opens + lane->nopens);
	struct tl_thread_piece *piece = need(calloc(1, sizeof(*piece)));

	piece->tid = lane->tid;
	piece->shown = lane->shown;
	piece->opens = (uint32_t)lane->nopens;
	piece->stacks = (uint32_t)(sizeof(*piece) + lane->nopens * sizeof(*opens));
	memcpy(piece->name, lane->name, sizeof(piece->name));
	atomic_init(&piece->lost, lane->lost);
	atomic_init(&piece->lost_said, lane->lost_said);
	atomic_init(&piece->floor.frame, TL_NO_FRAME);
	for (size_t i = 0; i < lane->nopens; i++) {
		opens[i].start = lane->opens[i].start;
		opens[i].function = lane->opens[i].function;
		opens[i].mode = lane->opens[i].stack ? TL_MODE_STACK : 0;
		stacks[i] = lane->opens[i].stack;
		/* Any address will do. */
		atomic_init(&opens[i].frame, 1);
	}
	atomic_init(&piece->lane, lane->lane);
	piece_put(sink, TL_PIECE_THREAD, piece, sizeof(*piece), opens, (bytes + 7) & ~(size_t)7);
	free(piece);
	free(opens);
}

/*
 * Puts the run's records up to the first that cannot be stepped over. Damage within a record is
 * found later, by an encoder. Returns the number of events.
 */
static uint64_t records_put(struct trace_sink *sink, const struct tl_trace_lane *lane,
			    const struct tl_trace_run *run, uint64_t number)
{
	struct tl_trace_place place = {0};
	struct tl_chunk_piece piece = {.records = sizeof(piece)};
	const struct tl_call_record *record;
	uint64_t calls = 0;

	while ((record = tl_trace_next(run, &place)))
		calls += tl_record_counts(record->type);
	uint64_t size = place.unsound ? place.unsound - 1 : run->size;

	if (!size)
		return 0;
	atomic_init(&piece.number, number);
	atomic_init(&piece.end, size);
	atomic_init(&piece.lane, lane->lane);
	piece_put(sink, TL_PIECE_CHUNK, &piece, sizeof(piece), run->records, size);
	return calls;
}

static struct trace_sink_taken pieces_lane(struct trace_sink *sink,
					   const struct tl_trace_lane *lane, uint64_t end)
{
	struct trace_sink_taken taken = {0, 0};

	thread_put(sink, lane);
	for (size_t i = 0; i < lane->nruns; i++)
		taken.events += records_put(sink, lane, &sink->trace->runs[lane->first_run + i],
					    FIRST_NUMBER + i);
	return taken;
}

/* If there are several clocks, the last one counts. */
static void pieces_close(struct trace_sink *sink)
{
	struct tl_clock_piece *piece = need(calloc(1, sizeof(*piece)));

	tl_trace_clock_copy(sink->trace, &piece->table);
	piece_put(sink, TL_PIECE_CLOCK, piece, sizeof(*piece), NULL, 0);
	free(piece);
}

static void pieces_end(struct trace_sink *sink, const struct tl_totals *totals)
{
	const struct tl_end_piece piece = {
		.piece = {.magic = TL_PIECE_MAGIC, .kind = TL_PIECE_END, .size = sizeof(piece)},
		.events = totals->events,
		.lost = totals->lost,
		.last = sink->last,
		.overwritten = totals->overwritten,
		.resumed = sink->trace->resumed,
	};

	bytes_put(sink, &piece, sizeof(piece));
}

/* Blocks refer to nothing before them. */
static void pieces_start(struct trace_sink *sink, const struct tl_format *format)
{
}

static void pieces_block(struct trace_sink *sink)
{
}

const struct trace_sink_maker record_pieces = {
	.start = pieces_start,
	.block = pieces_block,
	.kept = pieces_block,
	.begin = pieces_begin,
	.lane = pieces_lane,
	.close = pieces_close,
	.end = pieces_end,
};
