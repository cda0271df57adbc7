/* SPDX-License-Identifier: MIT */
/*
 * fuzz_record_reader.c: whatever a file in the record format says, nothing outside of it is read,
 * nothing takes for ever, and what the encoders make of it is sound: JSON that a strict parser
 * takes, and times that don't run backwards.
 *
 * The input's first byte says what kind of file is made of the rest: pieces as they stand there, or
 * a sound file with changes: each ten bytes are a place, and what stands there now. So descriptions
 * of APIs, clocks and records are reached that no blind change would leave readable.
 *
 * With clang -fsanitize=fuzzer a libFuzzer target; with FUZZ_STANDALONE it makes its inputs itself.
 */
#include <jansson.h>
#include <stdio.h>
#include <sys/mman.h>

#include "format/encode/formats.h"
#include "format/encode/trace_source.h"
#include "format/file/record_reader.h"
#include "tests/lib/args_table.h"
#include "tests/lib/trace_builder.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

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

static char *build(uint8_t way, const uint8_t *input, size_t size, size_t *length)
{
	static struct builder sound[2], bare[2];
	size_t kind = way & BUFFERS ? 1 : 0;
	char *file;

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

#define ROOM (2u << 20)
static char text_room[ROOM];
static _Alignas(4096) char state[8u << 20];

/* Room is left for a call of an encoder, and for the end. */
static bool has_room(const struct tl_text *text)
{
	return text->end - text->at >= (ptrdiff_t)(2 * TL_ENCODER_ROOM);
}

static void encode_run(struct tl_encoder *encoder, struct tl_text *text, uint32_t tid,
		       const struct tl_trace_run *run)
{
	struct tl_trace_place place = {0};
	const struct tl_call_record *record;

	while (has_room(text) && (record = tl_trace_next(run, &place)))
		if (encoder->format->record(encoder, text, tid, record, place.left) > place.left)
			abort();
}

/* All that a trace has, by one encoder, into text_room. Returns the bytes. */
static size_t encode(const struct tl_trace *trace, const struct tl_format *format)
{
	static struct tl_open_marks marks;
	struct tl_encoder encoder;
	struct tl_text text = {text_room, text_room + ROOM, false};
	struct tl_totals totals = {.events = 1, .lost = 2};

	if (format->state > sizeof(state))
		abort();
	/* Zeros again, and no memory until it is used. */
	madvise(state, sizeof(state), MADV_DONTNEED);
	memset(&marks, 0, sizeof(marks));
	tl_encoder_read_from(&encoder, format, trace, state, &marks);
	format->block(&encoder);
	format->begin(&encoder, &text, &trace->facts);
	for (size_t i = 0; i < trace->nnamed && format->lane && has_room(&text); i++) {
		size_t size;
		const char *name = tl_trace_string(trace, trace->named[i].name, &size);
		format->lane(&encoder, &text, trace->named[i].shown, name ? name : "", size,
			     trace->named[i].sort);
	}
	for (size_t i = 0; i < trace->nlanes && has_room(&text); i++) {
		const struct tl_trace_lane *lane = &trace->lanes[i];
		format->thread(&encoder, &text, lane->shown, lane->name);
		for (size_t run = lane->first_run; run < lane->first_run + lane->nruns; run++)
			encode_run(&encoder, &text, lane->shown, &trace->runs[run]);
		for (size_t open = 0; open < lane->nopens && has_room(&text); open++)
			format->unfinished(&encoder, &text, lane->shown, lane->opens[open].function,
					   lane->opens[open].start, trace->last);
	}
	/* Events may have been too large. The end may not. */
	text.cut = false;
	format->end(&encoder, &text, &totals);
	if (text.cut)
		abort();
	return (size_t)(text.at - text_room);
}

static void check_json(const struct tl_trace *trace)
{
	json_error_t error;
	json_t *json =
		json_loadb(text_room, encode(trace, &tl_format_json), JSON_ALLOW_NUL, &error);

	if (!json) {
		int from = error.position > 200 ? error.position - 200 : 0;
		fprintf(stderr, "%s at %d: %.300s\n", error.text, error.position, text_room + from);
		abort();
	}
	json_decref(json);
}

static void check_clock(struct tl_trace *trace)
{
	uint64_t last = 0;

	tl_trace_clock_add(trace, trace->last + 1000, tl_trace_ns(trace, trace->last) + 100);
	for (uint64_t ticks = 0; ticks < 100000; ticks += 111) {
		uint64_t ns = tl_trace_ns(trace, ticks);
		if (ns < last)
			abort();
		last = ns;
	}
	if (tl_trace_ns(trace, UINT64_MAX) < last)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	char why[256], *file;
	size_t length;

	if (!size)
		return 0;
	file = build(input[0], input + 1, size - 1, &length);
	struct tl_trace *trace = tl_trace_open_bytes(file, length, why, sizeof(why));
	if (trace) {
		check_json(trace);
		encode(trace, &tl_format_pftrace);
		check_clock(trace);
		tl_trace_close(trace);
	}
	free(file);
	return 0;
}

#ifdef FUZZ_STANDALONE
#include "tests/lib/random.h"

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) / 20 : 5000;
	static uint8_t input[1200];

	for (long i = 0; i < rounds; i++) {
		size_t size = 1 + next_random() % 8 * 10 + next_random() % 3;
		for (size_t at = 0; at < size; at++)
			input[at] =
				(uint8_t)(next_random() % 3 ? next_random() : next_random() % 4);
		input[0] = (uint8_t)(next_random() % 8 ? CHANGED | next_random() % 16
						       : next_random() % 2);
		LLVMFuzzerTestOneInput(input, size);
	}
	return 0;
}
#endif
