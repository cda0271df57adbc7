/* SPDX-License-Identifier: MIT */
/*
 * hostile_trace.h: files in the record format that a fuzzer makes, for tests of what reads them.
 *
 * The input's first byte says what kind of file is made of the rest: pieces as they stand there, or
 * a sound file with changes: each ten bytes are a place, and what stands there now. So descriptions
 * of APIs, clocks and records are reached that no blind change would leave readable.
 */
#ifndef TESTS_HOSTILE_TRACE_H
#define TESTS_HOSTILE_TRACE_H

#include "tests/lib/args_table.h"
#include "tests/lib/trace_builder.h"

enum way {
	BUFFERS = 1,  /* else a spool */
	CHANGED = 2,  /* a sound file with changes, else pieces from the input */
	ONLY_API = 4, /* all changes hit the description */
	CUT = 8,      /* its end is missing */
};

static size_t api_from, api_size;

/* Every function twice, with words and blobs that make some sense, and some that make none. */
static void put_records(struct builder *file, uint32_t lane, uint64_t number)
{
	struct tl_chunk_piece *chunk = build_chunk(file, lane, number, 2 * F_COUNT * 256);
	char *at = build_records(chunk);

	for (uint32_t i = 0; i < 2 * F_COUNT; i++) {
		size_t causes = i % 2, words = causes + table_functions[i % F_COUNT].words,
		       blobs = i < F_COUNT ? 0 : 12;
		struct tl_call_record record = {
			.size = (uint16_t)(4 + words + (blobs ? 1 + blobs : 0)),
			.type = TL_RECORD_CALL,
			.flags = (uint8_t)(TL_RECORD_WORDS | (blobs ? TL_RECORD_BLOBS : 0) |
					   (causes ? TL_RECORD_CAUSE : 0)),
			.function = i % F_COUNT,
			.start = 1000 * i,
			.duration = 500};
		struct tl_blob_sizes sizes = {48, 48};
		memcpy(at, &record, sizeof(record));
		for (size_t word = 0; word < words; word++)
			memcpy(at + 32 + 8 * word, &(uint64_t){1 + i + word}, 8);
		if (blobs)
			memcpy(at + 32 + 8 * words, &sizes, sizeof(sizes));
		for (size_t blob = 0; blob < blobs; blob++)
			memcpy(at + 40 + 8 * words + 8 * blob,
			       &(uint64_t){blob % 3 ? 1 + i : 2ull << 32 | 16}, 8);
		at += record.size * 8u;
	}
	chunk->end = (uint64_t)(at - build_records(chunk));
}

static void build_sound(struct builder *file, bool buffers)
{
	static const uint64_t points[][2] = {{0, 0}, {10000, 5000}, {20000, 11000}, {40000, 20000}};
	struct tl_thread_piece *thread;

	build_start(file, buffers ? TL_FILE_BUFFERS : TL_FILE_SPOOL)->counter = 1;
	/* Pages would leave nothing to be hit. */
	((struct tl_file_header *)(void *)file->bytes)->alignment = file->alignment = 8;
	struct tl_clock_table *clock = build_clock(file, points, 4);
	clock->horizon = 50000;
	file->size -= sizeof(clock->points) - 8 * sizeof(clock->points[0]);
	((struct tl_piece *)(void *)(file->bytes + TL_FILE_PAGE))->size = file->size - TL_FILE_PAGE;
	api_from = file->size + sizeof(struct tl_api_piece);
	build_api(file, 0, &table_api);
	api_size = file->size - api_from;
	thread = build_thread(file, 1, 101, "first", 4);
	for (uint32_t i = 0; i < 3; i++) {
		thread->open[i].start = 30000 + i;
		thread->open[i].function = i;
		thread->open[i].frame = 0x7000 - i;
	}
	build_thread(file, 2, 102, "second", 0);
	put_records(file, 1, 1);
	put_records(file, 2, 1);
	static const char *const texts[] = {"text", "a longer text", NULL};
	uint32_t numbers[2];
	build_texts(file, 0, 4, texts, numbers);
	build_lane(file, 9, 99, numbers[1], 1);
	struct tl_chunk_piece *events = build_chunk(file, 2, 2, 256);
	char *at = build_event(build_records(events), numbers[0], 9, 100, 50,
			       (struct tl_event_arg){numbers[1], TL_VALUE_STRING, numbers[0]});
	at = build_event(at, numbers[1], 0, 300, 50,
			 (struct tl_event_arg){numbers[1], TL_VALUE_DOUBLE_64, 1});
	events->end = (uint64_t)(at - build_records(events));
	build_facts(file, "app", "\"a\":1");
	if (buffers) {
		struct tl_output_piece *output =
			build_piece(file, TL_PIECE_OUTPUT, sizeof(*output));
		output->block = 2;
		strcpy(output->path, "/there");
	}
	build_end(file, 44, 0);
}

static void change(char *file, size_t file_size, const uint8_t *input, size_t size, bool only_api)
{
	size_t from = only_api ? api_from : 0, room = only_api ? api_size : file_size;

	for (; size >= 10; input += 10, size -= 10) {
		uint16_t place;
		memcpy(&place, input, 2);
		size_t at = place % room, bytes = place & 1 ? 1 : 8;
		memcpy(file + from + at, input + 2, bytes < room - at ? bytes : room - at);
	}
}

/*
 * A file of its own, exactly as large as what is in it, so that a sanitizer sees one byte too many.
 */
static char *copy_of(const struct builder *file, size_t more)
{
	char *copy = malloc(file->size + more);

	memcpy(copy, file->bytes, file->size);
	return copy;
}

/* A file of an input that has at least one byte, to be freed. */
static char *hostile_trace(const uint8_t *input, size_t size, size_t *length)
{
	uint8_t way = *input++;

	static struct builder sound[2], bare[2];
	size_t kind = way & BUFFERS ? 1 : 0;
	char *file;

	size--;
	if (!sound[kind].size) {
		build_sound(&sound[kind], way & BUFFERS);
		build_start(&bare[kind], way & BUFFERS ? TL_FILE_BUFFERS : TL_FILE_SPOOL)->counter =
			1;
		((struct tl_file_header *)(void *)bare[kind].bytes)->alignment = 8;
		build_api(&bare[kind], 0, &table_api);
	}
	if (way & CHANGED) {
		*length = sound[kind].size;
		file = copy_of(&sound[kind], 0);
		change(file, *length, input, size, way & ONLY_API);
	} else {
		*length = bare[kind].size + size;
		file = copy_of(&bare[kind], size);
		memcpy(file + bare[kind].size, input, size);
	}
	if (way & CUT && size >= 2) {
		*length -= (size_t)(input[0] | input[1] << 8) % *length;
		file = realloc(file, *length);
	}
	return file;
}

#ifdef FUZZ_STANDALONE
#include "tests/lib/random.h"

#define HOSTILE_ROOM 1200

/* Makes an input, and returns its size. */
static size_t hostile_input(uint8_t input[HOSTILE_ROOM])
{
	size_t size = 1 + next_random() % 8 * 10 + next_random() % 3;

	for (size_t at = 0; at < size; at++)
		input[at] = (uint8_t)(next_random() % 3 ? next_random() : next_random() % 4);
	input[0] = (uint8_t)(next_random() % 8 ? CHANGED | next_random() % 16 : next_random() % 2);
	return size;
}
#endif

#endif
