/* SPDX-License-Identifier: MIT */
/*
 * trace_maker.c: makes .tlt files by the contract (format/file/trace_file.h), and what they are in
 * JSON, by the encoder alone and in one go.
 *
 *	trace_maker TLT JSON THREADS CHUNKS CALLS	so many threads, chunks of each, calls in
 *							each chunk
 *	trace_maker --lie OFFSET VALUE FILE		overwrite 8 bytes
 *	trace_maker --places FILE			KIND and offset of each piece, a line each
 *
 * Calls are of an API that no command has tables of. Every seventh chunk ends with a loss, each
 * with an event of the program's, and those of the first thread with one on a device's lane, too.
 */
#include <stdio.h>

#include "format/encode/formats.h"
#include "format/file/record_reader.h"
#include "tests/lib/args_table.h"
#include "tests/lib/random.h"
#include "tests/lib/trace_builder.h"

#define API	    2
#define TICKS_TO_NS 2 /* ticks per nanosecond; a power of 2 converts exactly */

static uint64_t ns(const void *source, uint64_t ticks)
{
	return ticks / TICKS_TO_NS;
}

static const struct tl_function *function(const void *source, uint32_t id)
{
	return id >> 16 == API && (id & 0xffff) < F_COUNT ? &table_functions[id & 0xffff] : NULL;
}

static const char *const texts[] = {"vector_add", "Queue \"0\"", "global size",
				    "a name that is longer than a unit", NULL};
#define TEXTS	   (sizeof(texts) / sizeof(*texts) - 1)
#define DEVICE	   1000 /* number of its lane, and the tid that it is shown by */
#define DEVICE_TID 5000000
static uint32_t numbers[TEXTS];

static const char *string(const void *source, uint32_t number, size_t *size)
{
	for (size_t i = 0; i < TEXTS; i++)
		if (numbers[i] == number) {
			*size = strlen(texts[i]);
			return texts[i];
		}
	*size = 0;
	return NULL;
}

static uint32_t lane(const void *source, uint32_t number)
{
	return number == DEVICE ? DEVICE_TID : number;
}

static char *make_events(char *at, uint64_t *ticks, bool device)
{
	static uint64_t device_ticks;
	const struct tl_event_arg size = {numbers[2], TL_VALUE_UNSIGNED_64, next_random() % 1000},
				  text = {numbers[2], TL_VALUE_STRING, numbers[1]};

	if (device)
		at = build_event(at, numbers[0], DEVICE, device_ticks, TICKS_TO_NS * 500, size);
	device_ticks += TICKS_TO_NS * 1000;
	at = build_event(at, numbers[3], 0, *ticks, TICKS_TO_NS * 10, text);
	*ticks += TICKS_TO_NS * 20;
	return at;
}

static char *make_call(char *at, uint64_t *ticks)
{
	uint32_t index = next_random() % F_COUNT;
	size_t words = table_functions[index].words;
	const struct tl_cause cause = {(uint32_t)(next_random() % 1000),
				       (uint32_t)(next_random() % 3)};
	bool caused = next_random() % 4 == 0;
	struct tl_call_record record = {
		.size = (uint16_t)(4 + caused + words),
		.type = TL_RECORD_CALL,
		.flags = (uint8_t)(TL_RECORD_WORDS | (caused ? TL_RECORD_CAUSE : 0)),
		.function = API << 16 | index,
		.start = *ticks,
		.duration = TICKS_TO_NS * (next_random() % 5000),
		.result = next_random() % 3 ? 0 : next_random() % 5};

	memcpy(at, &record, sizeof(record));
	if (caused)
		memcpy(at + sizeof(record), &cause, sizeof(cause));
	for (size_t i = 0; i < words; i++) {
		uint64_t word = next_random() >> next_random() % 64;
		memcpy(at + sizeof(record) + 8 * caused + 8 * i, &word, 8);
	}
	*ticks += record.duration + TICKS_TO_NS * (next_random() % 3000);
	return at + record.size * 8u;
}

static char *make_loss(char *at, uint64_t ticks)
{
	struct tl_call_record record = {
		.size = 4, .type = TL_RECORD_LOST, .start = ticks, .duration = 1, .result = 5};

	memcpy(at, &record, sizeof(record));
	return at + sizeof(record);
}

static void save(const char *path, const char *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) {
		perror(path);
		exit(1);
	}
}

struct expected {
	struct tl_encoder encoder;
	char *text;
	size_t size, room;
	uint64_t events, lost;
	struct tl_event_cost cost;
};

static struct tl_text room_in(struct expected *expected)
{
	if (expected->room - expected->size < TL_ENCODER_ROOM) {
		expected->room = 2 * expected->room + 2 * TL_ENCODER_ROOM;
		expected->text = realloc(expected->text, expected->room);
	}
	return (struct tl_text){expected->text + expected->size, expected->text + expected->room,
				false};
}

static void expect_records(struct expected *expected, uint32_t tid, const char *at, const char *end)
{
	while (at < end) {
		const struct tl_call_record *record = (const void *)at;
		struct tl_text text = room_in(expected);
		at += tl_format_json.record(&expected->encoder, &text, tid, record,
					    (size_t)(end - at));
		expected->size = (size_t)(text.at - expected->text);
		expected->events += record->type != TL_RECORD_LOST;
		if (record->type == TL_RECORD_EVENT)
			tl_event_add_cost(&expected->cost, &expected->encoder,
					  (const void *)record);
		expected->lost += record->type == TL_RECORD_LOST ? record->result : 0;
	}
}

/* The events of a lane stand in the file with others between them, and in the JSON together. */
struct part {
	size_t chunk; /* where it is in the file */
	uint32_t lane;
};

static void put_losses(void *context, void (*put)(void *to, uint32_t tid, uint64_t lost), void *to)
{
	const uint64_t *losses = context;

	for (uint32_t i = 0; losses[i] != UINT64_MAX; i++)
		if (losses[i])
			put(to, 101 + i, losses[i]);
}

/* What is made: the file, where its chunks are, and what each thread lost. */
struct making {
	struct builder file;
	uint32_t threads, chunks, calls;
	size_t facts;
	struct part *parts;
	uint64_t *ticks, *losses;
};

static void name_of(char name[16], uint32_t thread)
{
	memset(name, 0, 16);
	snprintf(name, 16, "thread %u", thread % 1000);
}

static struct tl_thread_piece *make_thread(struct making *made, uint32_t thread)
{
	char name[16];

	name_of(name, thread);
	return build_thread(&made->file, 1 + thread, 101 + thread, name, 0);
}

static void make_chunk(struct making *made, uint32_t thread, uint32_t chunk)
{
	size_t room = (made->calls + 2) * 8 * 32;
	struct tl_chunk_piece *piece = build_chunk(&made->file, 1 + thread, 1 + chunk, room);
	char *at = build_records(piece);

	for (uint32_t i = 0; i < made->calls; i++)
		at = make_call(at, &made->ticks[thread]);
	at = make_events(at, &made->ticks[thread], !thread);
	if (chunk % 7 == 6) {
		at = make_loss(at, made->ticks[thread]);
		made->losses[thread] += 5;
	}
	piece->end = (uint64_t)(at - build_records(piece));
	/* What it did not need goes. */
	made->file.size -= room - piece->end;
	piece->piece.size = (uint64_t)(made->file.bytes + made->file.size - (char *)piece);
	made->parts[chunk * made->threads + thread] =
		(struct part){(size_t)((char *)piece - made->file.bytes), 1 + thread};
}

static void make_file(struct making *made)
{
	static const uint64_t points[][2] = {{0, 0}, {TICKS_TO_NS * 4000000000ull, 4000000000ull}};

	build_start(&made->file, TL_FILE_SPOOL)->counter = 1;
	made->facts = (size_t)((char *)build_facts(&made->file, "maker", "\"version\":\"test\"") -
			       made->file.bytes);
	build_api(&made->file, API, &table_api);
	/* A process tells the clock again and again, so that a file that ends early has one. */
	build_clock(&made->file, points, 2);
	build_texts(&made->file, 1, 4, texts, numbers);
	build_lane(&made->file, DEVICE, DEVICE_TID, numbers[1], 7);
	for (uint32_t chunk = 0; chunk < made->chunks; chunk++)
		for (uint32_t thread = 0; thread < made->threads; thread++) {
			if (!chunk)
				make_thread(made, thread);
			make_chunk(made, thread, chunk);
		}
	for (uint32_t thread = 0; thread < made->threads; thread++)
		if (made->losses[thread])
			make_thread(made, thread)->lost = made->losses[thread];
	build_clock(&made->file, points, 2);
}

static void expect_all(struct expected *expected, const struct making *made)
{
	struct tl_text text = room_in(expected);
	char name[16];

	tl_format_json.begin(
		&expected->encoder, &text,
		(const struct tl_facts *)(const void *)(made->file.bytes + made->facts));
	for (uint32_t thread = 0; thread < made->threads; thread++) {
		name_of(name, thread);
		tl_format_json.thread(&expected->encoder, &text, 101 + thread, name);
	}
	tl_format_json.lane(&expected->encoder, &text, DEVICE_TID, texts[1], strlen(texts[1]), 7);
	expected->size = (size_t)(text.at - expected->text);
	for (uint32_t thread = 0; thread < made->threads; thread++)
		for (uint32_t i = 0; i < made->threads * made->chunks; i++)
			if (made->parts[i].lane == 1 + thread) {
				struct tl_chunk_piece *piece =
					(void *)(made->file.bytes + made->parts[i].chunk);
				expect_records(expected, 101 + thread, build_records(piece),
					       build_records(piece) + piece->end);
			}
	const struct tl_totals totals = {.events = expected->events,
					 .lost = expected->lost,
					 .lost_by_thread = put_losses,
					 .context = made->losses,
					 .cost = expected->cost};
	text = room_in(expected);
	tl_format_json.end(&expected->encoder, &text, &totals);
	expected->size = (size_t)(text.at - expected->text);
}

static int make(const char *path, const char *json, uint32_t threads, uint32_t chunks,
		uint32_t calls)
{
	struct making made = {.threads = threads, .chunks = chunks, .calls = calls};
	struct expected expected = {.encoder = {.format = &tl_format_json,
						.pid = 4711,
						.ns = ns,
						.function = function,
						.string = string,
						.lane = lane}};

	made.parts = calloc(threads * chunks + 1, sizeof(*made.parts));
	made.ticks = calloc(threads + 1, sizeof(*made.ticks));
	made.losses = calloc(threads + 1, sizeof(*made.losses));
	make_file(&made);
	made.losses[threads] = UINT64_MAX;
	expected.encoder.state = aligned_alloc(64, (tl_format_json.state + 63) & ~(size_t)63);
	memset(expected.encoder.state, 0, tl_format_json.state);
	expect_all(&expected, &made);
	build_end(&made.file, expected.events, expected.lost);
	save(path, made.file.bytes, made.file.size);
	save(json, expected.text, expected.size);
	return 0;
}

static char *load(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes = file && !fseek(file, 0, SEEK_END) ? malloc((size_t)ftell(file) + 1) : NULL;

	if (!bytes) {
		perror(path);
		exit(1);
	}
	*size = (size_t)ftell(file);
	rewind(file);
	*size = fread(bytes, 1, *size, file);
	fclose(file);
	return bytes;
}

static int lie(size_t offset, uint64_t value, const char *path)
{
	size_t size;
	char *bytes = load(path, &size);

	if (offset + 8 > size)
		return 1;
	memcpy(bytes + offset, &value, 8);
	save(path, bytes, size);
	return 0;
}

static int places(const char *path)
{
	size_t size;
	char *bytes = load(path, &size);
	struct tl_piece piece;

	for (size_t at = TL_FILE_PAGE; at + sizeof(piece) <= size; at += piece.size) {
		memcpy(&piece, bytes + at, sizeof(piece));
		printf("%u %zu\n", piece.kind, at);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 6)
		return make(argv[1], argv[2], (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]),
			    (uint32_t)atoi(argv[5]));
	if (argc == 5 && !strcmp(argv[1], "--lie"))
		return lie(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0), argv[4]);
	if (argc == 3 && !strcmp(argv[1], "--places"))
		return places(argv[2]);
	fputs("usage: trace_maker TLT JSON THREADS CHUNKS CALLS | --lie OFFSET VALUE FILE | --places FILE\n",
	      stderr);
	return 2;
}
