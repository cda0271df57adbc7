/* SPDX-License-Identifier: MIT */
/*
 * pftrace_make: the same records as a JSON trace and as a .pftrace, for tests/format/encode/pftrace.sh to
 * compare.
 *
 *	pftrace_make SEED DROPS FOLDER CHUNKS [gpu]	writes FOLDER/t.json and FOLDER/t.pftrace, of up to
 *							200 chunks; DROPS percent of the blocks are not
 *							kept; gpu: by an encoder with .gpu_events
 *
 * The calls are made up: threads that call each other's functions to some depth, now and then on
 * several stacks, at times that fall together now and then, with arguments of every kind that there
 * is (args_table.h), captured as the layer does it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/args/args.h"
#include "format/encode/formats.h"
#include "tests/lib/args_table.h"
#include "tests/lib/random.h"

#define THREADS 4
#define CHUNK	(64 * 1024)
#define CHUNKS	200

/* ---- Records */

static struct chunk {
	uint32_t tid;
	unsigned who;
	size_t size;
	_Alignas(8) char bytes[CHUNK];
} chunks[CHUNKS];
static unsigned chunk_count, chunks_wanted;

static uint32_t values[40] = {1, 2, 3, 0xffffffff};
static struct hint hint = {STYPE_HINT, NULL, 0.1};
static struct name name = {STYPE_NAME, &hint, "a \"name\"\n"};
static struct desc desc = {STYPE_DESC, &name, 3, 2, values};
static struct desc odd = {STYPE_NOBODY_KNOWS, NULL, 0x80000100, 40, values};
static struct node nodes[3] = {{-1, &nodes[1]}, {2, &nodes[2]}, {3, NULL}};
static struct mixed mixed = {.label = "label",
			     .uuid = {1, 2, 3, 255},
			     .weight = 1.5e-7f,
			     .low = 5,
			     .high = -3,
			     .pair = {7, 65535},
			     .inner = {1, INT64_MIN},
			     .used = 2,
			     .slots = {-1, 1}};
static struct properties properties = {STYPE_DESC, NULL, 1, 2};
static const char *const strings[] = {"plain", "", "\xc3\xa9t\xc3\xa9 \xff\x01", NULL};
static int64_t list[] = {4, INT64_MAX, -7, 0};
static uint64_t handles[] = {0x7f0012345678, 0, UINT64_MAX};
static unsigned count = 3;

static uint64_t pointer_or_null(const void *pointer)
{
	return next_random() % 8 ? (uint64_t)(uintptr_t)pointer : 0;
}

static void fill_scalars(uint64_t *words)
{
	static const double reals[] = {0, -0.0, 0.1, 1e300, 5e-324, 1.0 / 3};
	static const uint64_t results[] = {0, 1, 0xffffffff, 0xfffffffb, 77};
	float real = (float)reals[next_random() % 6];
	uint32_t odd_float = 0x7fc00000;

	words[0] = next_random() % 2;
	words[1] = (uint64_t)(int64_t)(int32_t)next_random();
	words[2] = next_random() >> next_random() % 64;
	words[3] = 0;
	memcpy(&words[3], next_random() % 10 ? (void *)&real : (void *)&odd_float, sizeof(real));
	memcpy(&words[4], &reals[next_random() % 6], sizeof(double));
	words[5] = results[next_random() % 5];
	words[6] = next_random() % 2 ? next_random() % 8 : (uint32_t)next_random();
	words[7] = pointer_or_null(handles);
	words[8] = next_random() % 128;
	words[9] = pointer_or_null(&words);
	words[10] = next_random() % 3 ? (uint64_t) - (int64_t)(next_random() >> 20) : next_random();
	words[11] = pointer_or_null(&words);
}

static void fill_words(uint32_t function, uint64_t *words)
{
	count = next_random() % 4;
	switch (function) {
	case F_SCALARS:
		fill_scalars(words);
		break;
	case F_STRINGS:
		words[0] = pointer_or_null(strings[next_random() % 3]);
		words[1] = (uint64_t)(uintptr_t)strings[2];
		words[2] = 2;
		words[3] = pointer_or_null("ru");
		words[4] = pointer_or_null(strings);
		break;
	case F_GET:
		words[0] = next_random();
		words[1] = (uint64_t)(uintptr_t)&count;
		words[2] = pointer_or_null(handles);
		break;
	case F_CREATE:
		words[0] = pointer_or_null(next_random() % 2 ? &desc : &odd);
		words[1] = pointer_or_null(handles);
		break;
	case F_NODES:
		words[0] = pointer_or_null(nodes);
		break;
	case F_MIXED:
		words[0] = pointer_or_null(&mixed);
		break;
	case F_PROPERTIES:
		words[0] = pointer_or_null(&properties);
		break;
	case F_ARRAYS:
		words[0] = next_random() % 4;
		words[1] = pointer_or_null(values);
		words[2] = pointer_or_null(&list);
		words[3] = pointer_or_null("raw");
		words[4] = pointer_or_null(list);
		words[5] = pointer_or_null(nodes);
		break;
	case F_VALUE:
		memcpy(words, &desc, sizeof(desc));
		words[4] = 5;
		break;
	case F_EXCHANGE:
		words[0] = pointer_or_null(values);
		words[1] = pointer_or_null(&count);
		break;
	case F_INFO:
		words[0] = next_random() % 3;
		words[1] = pointer_or_null(handles);
		words[2] = pointer_or_null(&count);
		break;
	default:
		words[0] = pointer_or_null(list);
	}
}

/* A record with what the layer would have kept of the call; its size. */
static size_t make_record(char *to, uint64_t start, uint64_t end)
{
	struct tl_call_record *record = (void *)to;
	uint32_t id = next_random() % F_COUNT;
	const struct tl_function *function = &table_functions[id];
	bool caused = next_random() % 4 == 0;
	uint64_t *words = (uint64_t *)(record + 1) + caused;
	struct tl_blob_sizes *sizes = (void *)(words + function->words);
	char *blobs = (char *)(sizes + 1);
	bool cut = false;

	fill_words(id, words);
	sizes->entry = tl_args_capture(function, words, TL_CAPTURE_ENTRY, blobs, 8192, &cut);
	count += next_random() % 2;
	mixed.used = next_random() % 5;
	properties.answer++;
	sizes->exit =
		tl_args_capture(function, words, TL_CAPTURE_EXIT, blobs + sizes->entry, 8192, &cut);
	size_t size = (size_t)(blobs - to) + sizes->entry + sizes->exit;
	*record = (struct tl_call_record){.size = (uint16_t)(size / 8),
					  .type = TL_RECORD_CALL,
					  .flags = TL_RECORD_WORDS | TL_RECORD_BLOBS,
					  .function = id,
					  .start = start,
					  .duration = end - start,
					  .result = next_random() % 3 ? 0 : (uint32_t)-1};
	if (next_random() % 16 == 0)
		record->flags |= TL_RECORD_UNWOUND;
	if (next_random() % 16 == 0)
		record->flags |= TL_RECORD_CUT;
	if (next_random() % 8 == 0) {
		record->flags &= ~(TL_RECORD_WORDS | TL_RECORD_BLOBS);
		record->size = (uint16_t)(sizeof(*record) / 8 + caused);
	}
	if (caused) {
		const struct tl_cause cause = {(uint32_t)next_random() *
						       (uint32_t)(next_random() % 2),
					       (uint32_t)(next_random() % 3)};
		record->flags |= TL_RECORD_CAUSE;
		memcpy(record + 1, &cause, sizeof(cause));
	}
	return record->size * (size_t)8;
}

static void add_record(struct chunk *chunk, uint64_t start, uint64_t end)
{
	if (chunk->size + 20000 <= CHUNK)
		chunk->size += make_record(chunk->bytes + chunk->size, start, end);
}

/* A call and those that it makes; when it ends. */
static uint64_t add_calls(struct chunk *chunk, uint64_t start, unsigned depth)
{
	uint64_t now = start + next_random() % 3;

	for (uint64_t n = depth ? next_random() % 4 : 0; n; n--) {
		now = add_calls(chunk, now, depth - 1);
		now += next_random() % 4 ? next_random() % 1000 : 0;
	}
	now += next_random() % 2 ? next_random() % 100000 : 0;
	add_record(chunk, start, now);
	return now;
}

/* Calls on several stacks of one thread, which end in any order; when the last of them ends. */
static uint64_t add_crossing(struct chunk *chunk, uint64_t now)
{
	uint64_t starts[6], count = 2 + next_random() % 5;

	for (uint64_t i = 0; i < count; i++)
		starts[i] = now += next_random() % 1000;
	for (; count; count--) {
		uint64_t which = next_random() % count;
		for (uint64_t n = next_random() % 10; n; n--)
			now = add_calls(chunk, now + next_random() % 10, 0);
		add_record(chunk, starts[which], now += next_random() % 1000);
		starts[which] = starts[count - 1];
	}
	return now;
}

static void add_lost(struct chunk *chunk, uint64_t now)
{
	struct tl_call_record *record = (void *)(chunk->bytes + chunk->size);

	*record = (struct tl_call_record){
		.size = 4, .type = TL_RECORD_LOST, .start = now, .result = next_random() % 1000};
	chunk->size += sizeof(*record);
}

/* ---- Events that are no calls: on lanes 1 and 2 at any time, on lane 3 in the order of time */

static const char *const texts[] = {NULL,  "kernel",	      "copy \xff", "depth",   "gpu",
				    "key", "another \"key\"", "queue",	   "queue b", "phases"};
#define TEXTS (sizeof(texts) / sizeof(*texts))
#define LANES 3

static uint64_t phases_now = 3600ull * 1000000000;
static unsigned phases_open;

static struct tl_event_record *put_event(struct chunk *chunk, char phase, uint32_t lane,
					 uint64_t start, uint64_t duration)
{
	struct tl_event_record *event = (void *)(chunk->bytes + chunk->size);

	*event = (struct tl_event_record){.size = sizeof(*event) / 8,
					  .type = TL_RECORD_EVENT,
					  .flags = TL_EVENT_NS,
					  .name = 1 + next_random() % 4,
					  .start = start,
					  .duration = duration,
					  .lane = lane,
					  .phase = (uint8_t)phase,
					  .level = 1 + next_random() % 15,
					  .category = next_random() % 2 ? 4 : 0,
					  .request = next_random() % 4 ? 0 : 12};
	return event;
}

static void put_event_arg(struct tl_event_record *event, uint32_t key, uint32_t kind)
{
	uint64_t value = next_random() >> next_random() % 64;

	if (kind == TL_VALUE_STRING)
		value = 1 + next_random() % (TEXTS - 1);
	if (kind == TL_VALUE_DOUBLE_64)
		value = 0x3ff8000000000000;
	if (kind == TL_VALUE_TRUTH)
		value %= 2;
	event->arg[event->args++] = (struct tl_event_arg){key, kind, value};
	event->size += sizeof(*event->arg) / 8;
}

static void add_event(struct chunk *chunk, uint64_t now)
{
	static uint64_t busy[LANES + 1];
	static const char any[] = "Xistf", phases[] = "BE";
	uint32_t lane = 1 + next_random() % LANES;
	uint64_t duration = next_random() % 1000;
	struct tl_event_record *event;

	if (next_random() % 4 == 0) {
		event = put_event(chunk, 'C', 0, now, 0);
		event->request = 0;
		put_event_arg(event, 3, TL_VALUE_SIGNED_64);
		put_event_arg(event, 5, TL_VALUE_DOUBLE_64);
	} else if (lane == LANES) {
		char phase = phases[phases_open && (phases_open > 4 || next_random() % 2)];
		phases_open += phase == 'B' ? 1 : -1;
		event = put_event(chunk, phase, lane, phases_now += 1 + duration, 0);
		if (phase == 'B')
			put_event_arg(event, 5, next_random() % 6);
		else
			event->request = 0;
	} else {
		char phase = any[next_random() % 5];
		/* Those of a lane don't overlap. */
		now = phase == 'X' && now < busy[lane] ? busy[lane] : now;
		busy[lane] = phase == 'X' ? now + duration : busy[lane];
		event = put_event(chunk, phase, lane, now,
				  phase == 'X' ? duration : next_random() % 100);
		put_event_arg(event, 5, next_random() % 6);
		put_event_arg(event, 6, next_random() % 6);
	}
	chunk->size += event->size * (size_t)8;
}

static const char *text_of(const void *source, uint32_t number, size_t *size)
{
	const char *text = number < TEXTS ? texts[number] : NULL;

	*size = text ? strlen(text) : 0;
	return text;
}

static uint32_t shown_lane(const void *source, uint32_t lane)
{
	return 4194304 + lane;
}

static void make_chunks(void)
{
	uint64_t now[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		now[i] = 3600ull * 1000000000 + i * 1000;
	for (chunk_count = 0; chunk_count < chunks_wanted; chunk_count++) {
		unsigned who = next_random() % THREADS;
		struct chunk *chunk = &chunks[chunk_count];
		chunk->who = who;
		chunk->tid = who == THREADS - 1 ? 4000000000u : 100 + who;
		for (uint64_t n = next_random() % 20; n; n--)
			now[who] = add_calls(chunk, now[who] + next_random() % 2, 3);
		if (next_random() % 4 == 0)
			now[who] = add_crossing(chunk, now[who]);
		if (next_random() % 8 == 0)
			add_lost(chunk, now[who]);
		for (uint64_t n = next_random() % 4; n && chunk->size + 20000 <= CHUNK; n--)
			add_event(chunk, now[who]);
	}
}

/* ---- Files */

static const struct tl_function *function_of(const void *source, uint32_t id)
{
	return id < F_COUNT ? &table_functions[id] : NULL;
}

static uint64_t ns(const void *source, uint64_t ticks)
{
	return ticks;
}

static struct tl_facts facts = {
	.pid = 77,
	.has_rank = 1,
	.rank = 3,
	.monotonic_ns = 3599ull * 1000000000,
	.realtime_ns = 1790000000ull * 1000000000,
	.program = "pro\"gram",
	.host = "host",
	.members =
		"\"version\":\"1\",\"command\":[\"a\",\"b \\u0001\\\"c\"],\"pid\":77,\"apis\":{\"made-up\":\"1.0\"},\"none\":{}",
};

static void lose(void *context, void (*put)(void *to, uint32_t tid, uint64_t lost), void *to)
{
	(void)context;
	put(to, 100, 5);
	put(to, 101, 0);
	put(to, 4000000000u, 1ull << 60);
}

static struct tl_encoder encoder = {
	.pid = 77, .ns = ns, .function = function_of, .string = text_of, .lane = shown_lane};

/* What has been made becomes part of the file, or not; another block begins. */
static void settle(FILE *file, struct tl_text *text, char *room, bool keep)
{
	if (keep) {
		fwrite(room, 1, (size_t)(text->at - room), file);
		encoder.format->kept(&encoder);
	}
	encoder.format->block(&encoder);
	text->at = room;
}

/*
 * A block of a few chunks; false where it is dropped. Those that are kept are cut in two, as
 * writers do it. The same for each format.
 */
static bool write_block(FILE *file, unsigned from, unsigned to, bool first, bool fresh, bool *named,
			bool keep)
{
	static char room[8 << 20];
	struct tl_text text = {room, room + sizeof(room), false};
	const struct tl_format *format = encoder.format;

	format->block(&encoder);
	if (first)
		format->begin(&encoder, &text, &facts);
	/* Each encoder is told the lanes. */
	for (uint32_t lane = 1; fresh && lane <= LANES; lane++)
		format->lane(&encoder, &text, shown_lane(NULL, lane), texts[6 + lane],
			     strlen(texts[6 + lane]), (int32_t)lane - 2);
	for (unsigned i = from; i < to; i++) {
		const struct chunk *chunk = &chunks[i];
		size_t cut = next_random() % CHUNK;
		char thread[16] = "thread \xff ";
		thread[9] = (char)('0' + chunk->who);
		if (!named[chunk->who])
			format->thread(&encoder, &text, chunk->tid, thread);
		named[chunk->who] = true;
		for (size_t at = 0; at < chunk->size;) {
			size_t step =
				format->record(&encoder, &text, chunk->tid,
					       (const void *)(chunk->bytes + at), chunk->size - at);
			if (!step || text.cut)
				abort();
			at += step;
			if (keep && at > cut) {
				settle(file, &text, room, true);
				cut = CHUNK;
			}
		}
	}
	settle(file, &text, room, keep);
	return keep;
}

static void write_end(FILE *file, bool last)
{
	static char room[TL_ENCODER_ROOM];
	struct tl_text text = {room, room + sizeof(room), false};
	const struct tl_totals totals = {
		.events = 12, .lost = (1ull << 60) + 5, .lost_by_thread = lose};

	encoder.format->block(&encoder);
	if (last) {
		static const struct tl_unfinished get = {7200ull * 1000000000, F_GET, 0},
						  create = {7201ull * 1000000000, F_CREATE, 0};
		encoder.format->unfinished(&encoder, &text, 100, &get, 7300ull * 1000000000 + 1);
		encoder.format->unfinished(&encoder, &text, 100, &create, 7300ull * 1000000000 + 1);
	}
	encoder.format->end(&encoder, &text, &totals);
	if (last)
		fwrite(room, 1, (size_t)(text.at - room), file);
}

static void write_file(const struct tl_format *format, const char *folder, unsigned drops)
{
	char path[4096];
	bool named[THREADS] = {false}, before[THREADS], first = true, fresh = true;

	snprintf(path, sizeof(path), "%s/t%s", folder,
		 format == &tl_format_json ? ".json" : ".pftrace");
	FILE *file = fopen(path, "we");
	encoder.format = format;
	encoder.state = calloc(1, format->state);
	if (!file || !encoder.state)
		abort();
	for (unsigned i = 0, to; i < chunk_count; i = to) {
		to = i + 1 + next_random() % 5;
		to = to < chunk_count ? to : chunk_count;
		memcpy(before, named, sizeof(named));
		if (write_block(file, i, to, first, fresh, named, next_random() % 100 >= drops))
			first = fresh = false;
		else
			memcpy(named, before, sizeof(named));
		/* Another encoder goes on. */
		if (drops && !first && next_random() % 16 == 0) {
			memset(encoder.state, 0, format->state);
			fresh = true;
		}
		/* An end that others are written over. */
		if (next_random() % 8 == 0)
			write_end(file, false);
	}
	if (first)
		write_block(file, 0, 0, first, fresh, named, true);
	write_end(file, true);
	free(encoder.state);
	fclose(file);
}

int main(int argc, char **argv)
{
	if (argc != 5 && argc != 6) {
		fprintf(stderr, "usage: pftrace_make SEED DROPS FOLDER CHUNKS [gpu]\n");
		return 2;
	}
	chunks_wanted = (unsigned)atoi(argv[4]);
	chunks_wanted = chunks_wanted < CHUNKS ? chunks_wanted : CHUNKS;
	random_state = RANDOM_SEED * (strtoull(argv[1], NULL, 10) + 1);
	make_chunks();
	uint64_t files = random_state;
	write_file(&tl_format_json, argv[3], (unsigned)atoi(argv[2]));
	random_state = files;
	encoder.gpu_events = argc > 5;
	write_file(&tl_format_pftrace, argv[3], (unsigned)atoi(argv[2]));
	return 0;
}
