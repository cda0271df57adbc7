/* SPDX-License-Identifier: MIT */
/*
 * trace_builder.h: files in the record format (format/file/trace_file.h), built in memory piece by
 * piece. For tests of what reads them.
 *
 * A piece's address holds until the next piece is begun.
 */
#ifndef TESTS_TRACE_BUILDER_H
#define TESTS_TRACE_BUILDER_H

#include <stdlib.h>
#include <string.h>

#include "format/file/describe.h"
#include "format/file/record.h"
#include "format/file/trace_file.h"

struct builder {
	char *bytes; /* aligned to a page */
	size_t size, room;
	uint32_t alignment;
};

static inline void *build_room(struct builder *builder, size_t size)
{
	while (builder->size + size > builder->room) {
		size_t room = 2 * builder->room + (1u << 20);
		char *larger = aligned_alloc(TL_FILE_PAGE, room);
		if (!larger)
			abort();
		if (builder->size)
			memcpy(larger, builder->bytes, builder->size);
		free(builder->bytes);
		builder->bytes = larger;
		builder->room = room;
	}
	builder->size += size;
	return memset(builder->bytes + builder->size - size, 0, size);
}

static inline struct tl_file_header *build_start(struct builder *builder, enum tl_file_kind kind)
{
	memset(builder, 0, sizeof(*builder));
	builder->alignment = kind == TL_FILE_BUFFERS ? TL_FILE_PAGE : 8;
	struct tl_file_header *header = build_room(builder, TL_FILE_PAGE);
	memcpy(header->magic, TL_FILE_MAGIC, sizeof(header->magic));
	header->version = TL_FILE_VERSION;
	header->byte_order = TL_FILE_BYTE_ORDER;
	header->kind = kind;
	header->header_size = TL_FILE_PAGE;
	header->alignment = builder->alignment;
	header->pid = 4711;
	return header;
}

static inline void *build_piece(struct builder *builder, enum tl_piece_kind kind, size_t size)
{
	size = (size + builder->alignment - 1) & ~(size_t)(builder->alignment - 1);
	struct tl_piece *piece = build_room(builder, size);
	*piece = (struct tl_piece){.magic = TL_PIECE_MAGIC, .kind = kind, .size = size};
	return piece;
}

static inline struct tl_facts *build_facts(struct builder *builder, const char *program,
					   const char *members)
{
	struct tl_facts_piece *piece = build_piece(builder, TL_PIECE_FACTS, sizeof(*piece));
	piece->facts.pid = 4711;
	strcpy(piece->facts.program, program);
	strcpy(piece->facts.host, "host");
	strcpy(piece->facts.members, members);
	piece->facts.members_size = (uint32_t)strlen(members);
	return &piece->facts;
}

static inline struct tl_clock_table *build_clock(struct builder *builder,
						 const uint64_t (*points)[2], uint32_t count)
{
	struct tl_clock_piece *piece = build_piece(builder, TL_PIECE_CLOCK, sizeof(*piece));
	piece->table.count = count;
	for (uint32_t i = 0; i < count; i++) {
		piece->table.points[i].ticks = points[i][0];
		piece->table.points[i].ns = points[i][1];
	}
	return &piece->table;
}

static inline struct tl_api_piece *build_description(struct builder *builder, uint32_t number,
						     const void *bytes, size_t size)
{
	struct tl_api_piece *piece = build_piece(builder, TL_PIECE_API, sizeof(*piece) + size);
	piece->number = number;
	piece->size = (uint32_t)size;
	memcpy(piece + 1, bytes, size);
	return piece;
}

static inline void build_api(struct builder *builder, uint32_t number, const struct tl_api *api)
{
	size_t size;
	void *bytes = tl_describe(api, &size);
	build_description(builder, number, bytes, size);
	free(bytes);
}

static inline struct tl_thread_piece *build_thread(struct builder *builder, uint32_t lane,
						   uint32_t tid, const char *name, uint32_t opens)
{
	struct tl_thread_piece *piece = build_piece(
		builder, TL_PIECE_THREAD, sizeof(*piece) + opens * sizeof(piece->open[0]));
	piece->lane = lane;
	piece->tid = piece->shown = tid;
	piece->opens = opens;
	for (size_t i = 0; i < sizeof(piece->name) - 1 && name[i]; i++)
		piece->name[i] = name[i];
	for (uint32_t i = 0; i < opens; i++)
		piece->open[i].frame = TL_NO_FRAME;
	return piece;
}

/* A chunk with room for so many bytes of records, which begin at build_records. */
static inline struct tl_chunk_piece *build_chunk(struct builder *builder, uint32_t lane,
						 uint64_t number, size_t room)
{
	struct tl_chunk_piece *piece = build_piece(builder, TL_PIECE_CHUNK, sizeof(*piece) + room);
	piece->lane = lane;
	piece->number = number;
	piece->records = sizeof(*piece);
	return piece;
}

static inline char *build_records(struct tl_chunk_piece *piece)
{
	return (char *)piece + piece->records;
}

/* A call without arguments; returns where the next record belongs. */
static inline char *build_call(char *at, uint32_t function, uint64_t start, uint64_t duration,
			       uint64_t result)
{
	struct tl_call_record record = {.size = sizeof(record) / 8,
					.type = TL_RECORD_CALL,
					.function = function,
					.start = start,
					.duration = duration,
					.result = result};
	memcpy(at, &record, sizeof(record));
	return at + sizeof(record);
}

/* Texts, one behind the other, up to a NULL. numbers[i] becomes the number of the i-th. */
static inline void build_texts(struct builder *builder, uint32_t index, uint32_t first,
			       const char *const *texts, uint32_t *numbers)
{
	size_t units = 0;

	for (size_t i = 0; texts[i]; i++)
		units += 1 + (strlen(texts[i]) + 7) / 8;
	struct tl_strings_piece *piece = build_piece(
		builder, TL_PIECE_STRINGS, sizeof(*piece) + units * sizeof(piece->units[0]));
	piece->index = index;
	piece->first = first;
	for (size_t i = 0, at = 0; texts[i]; i++) {
		size_t size = strlen(texts[i]);
		numbers[i] = (index << TL_STRINGS_BITS) + first + (uint32_t)at;
		piece->units[at].size = (uint32_t)size;
		memcpy(&piece->units[at + 1], texts[i], size);
		at += 1 + (size + 7) / 8;
	}
}

static inline void build_lane(struct builder *builder, uint32_t lane, uint32_t shown, uint32_t name,
			      int32_t sort)
{
	struct tl_lanes_piece *piece =
		build_piece(builder, TL_PIECE_LANES, sizeof(*piece) + sizeof(piece->lanes[0]));
	piece->lanes[0].lane = lane;
	piece->lanes[0].shown = shown;
	piece->lanes[0].name = name;
	piece->lanes[0].sort = sort;
}

/* An event of a duration, with one argument; returns where the next record belongs. */
static inline char *build_event(char *at, uint32_t name, uint32_t lane, uint64_t start,
				uint64_t duration, struct tl_event_arg arg)
{
	struct tl_event_record event = {.size = (sizeof(event) + sizeof(arg)) / 8,
					.type = TL_RECORD_EVENT,
					.name = name,
					.start = start,
					.duration = duration,
					.lane = lane,
					.phase = 'X',
					.level = 4,
					.args = 1};
	memcpy(at, &event, sizeof(event));
	memcpy(at + sizeof(event), &arg, sizeof(arg));
	return at + sizeof(event) + sizeof(arg);
}

static inline void build_end(struct builder *builder, uint64_t events, uint64_t lost)
{
	struct tl_end_piece *piece = build_piece(builder, TL_PIECE_END, sizeof(*piece));
	piece->events = events;
	piece->lost = lost;
}

#endif
