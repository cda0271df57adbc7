/* SPDX-License-Identifier: MIT */
/*
 * fuzz_events.c: what `tracelayer summary` reads of a trace in JSON, whatever the file says. The quick
 * reader and jansson find the same calls and commands; and sums that are made while a file is read,
 * with packed runs of events, are those of the calls that were kept.
 *
 * With clang -fsanitize=fuzzer a libFuzzer target; with FUZZ_STANDALONE it makes its inputs itself.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/basics/basics.h"
#include "cli/read/read.h"
#include "cli/summary/flat.h"
#include "cli/summary/history_reader.h"
#include "cli/summary/stack_groups.h"
#include "tests/lib/random.h"
#include "tests/lib/silent_command.h"

#define TEXT_MOST 65536u

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* ---- in place of the room that reads records ---- */

bool record_file_is(const char *path)
{
	(void)path;
	return false;
}

struct tl_trace *record_file_open(const char *path)
{
	(void)path;
	return NULL;
}

void record_file_damaged(struct tl_trace *trace, uint64_t byte)
{
	(void)trace;
	(void)byte;
}

uint64_t record_file_lost(const struct tl_trace *trace)
{
	(void)trace;
	return 0;
}

int record_file_judge(const struct tl_trace *trace, const char *path, uint64_t unknown,
		      const char *where)
{
	(void)trace;
	(void)path;
	(void)unknown;
	(void)where;
	return EXIT_DONE;
}

/* ---- a file of pieces that traces have ---- */

static const char *const pieces[] = {
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"call\",\"ts\":1,\"dur\":2.5},\n",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"call\",\"cat\":\"opencl,failed\",\"ts\":1e3,\"dur\":2},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":9,\"name\":\"k\",\"cat\":\"device\",\"ts\":7,\"dur\":2,\"args\":{\"kind\":\"kernel\",\"queue\":1,\"correlation\":1}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":9,\"name\":\"k\",\"cat\":\"device\",\"ts\":20,\"dur\":2,\"args\":{\"kind\":\"write\",\"bytes\":64,\"peer\":\"host\",\"correlation\":2}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"submit\",\"ts\":10,\"dur\":2,\"args\":{\"correlation\":2,\"request\":3}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"submit\",\"ts\":4,\"dur\":1.001,\"args\":{\"correlation\":1}},",
	"{\"ph\":\"M\",\"pid\":1,\"tid\":9,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":1}},",
	"{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"tracelayer\",\"args\":{\"host\":\"h\",\"executable\":\"e\"}},",
	"{\"ph\":\"B\",\"pid\":1,\"tid\":1,\"name\":\"mark\",\"cat\":\"context\",\"ts\":3},",
	"{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":5},",
	"{\"ph\":\"C\",\"pid\":1,\"tid\":1,\"ts\":5,\"name\":\"c\",\"args\":{\"v\":[1,{\"w\":null},\"\\n\"]}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"of\",\"ts\":6,\"dur\":2,\"sf\":\"2\",\"args\":{\"correlation\":2}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"of\",\"ts\":6,\"dur\":3,\"stack\":[\"leaf\",\"main\"]},",
	/* The next byte says what stands in place of @. */
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"n\",\"ts\":@,\"dur\":2},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"n\",\"ts\":2,\"dur\":@},",
	"{\"ph\":\"X\",\"pid\":@,\"tid\":1,\"name\":\"n\",\"ts\":2},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":@,\"name\":\"n\",\"ts\":2},",
	"{\"ph\":@,\"pid\":1,\"tid\":1,\"name\":\"n\",\"ts\":2},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":@,\"ts\":2},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"n\",\"cat\":@,\"ts\":2},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"n\",\"ts\":2,\"args\":@},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"n\",\"ts\":2,\"args\":{\"a\":@,\"correlation\":1}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"n\",\"ts\":2,\"args\":{\"correlation\":7},\"args\":{\"b\":@}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"n\",\"ts\":2,\"args\":{\"correlation\":@}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":9,\"name\":\"k\",\"cat\":\"device\",\"ts\":2,\"args\":{\"kind\":\"kernel\",\"global\":@,\"local\":\"4\"}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":9,\"name\":\"k\",\"cat\":\"device\",\"ts\":2,\"args\":{\"kind\":\"kernel\",\"global\":\"8x2\",\"local\":@}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":9,\"name\":\"k\",\"cat\":\"device\",\"ts\":2,\"args\":{\"kind\":@,\"bytes\":1}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":9,\"name\":\"k\",\"cat\":\"device\",\"ts\":2,\"args\":{\"kind\":\"read\",\"bytes\":@,\"queue\":2}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":9,\"name\":\"k\",\"cat\":\"device\",\"ts\":2,\"args\":{\"kind\":\"read\",\"unfinished\":@}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":9,\"name\":\"k\",\"cat\":\"device\",\"ts\":2,\"args\":{\"kind\":\"read\",\"peer\":@,\"device\":\"d\"}},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,@:1,\"name\":\"n\",\"ts\":2},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"n\",\"ts\":2,\"sf\":@},",
	"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"n\",\"ts\":2,\"stack\":@,\"sf\":3},",
	"{\"ph\":\"B\",\"pid\":1,\"tid\":1,\"name\":\"n\",\"ts\":2,\"stack\":[@,\"main\"]},",
	"{\"ph\":\"X\",",
	"\"ts\":@,",
	"\"args\":{",
	"}",
	"},",
	"[",
	"]",
	",",
	"\n ",
	"@",
};
#define PIECES (sizeof(pieces) / sizeof(*pieces))

static const char *const values[] = {
	"1",
	"-0",
	"-1",
	"0",
	"007",
	"0.5",
	"00.5",
	"1.",
	".5",
	"-",
	"12.345",
	"1e3",
	"1E-2",
	"1e999",
	"1e",
	"1e+",
	"[1]",
	"true",
	"false",
	"tru",
	"truex",
	"null",
	"nul",
	"{}",
	"[]",
	"{",
	"[1,]",
	"[,]",
	"{\"a\"}",
	"{\"a\":}",
	"{\"a\":1,}",
	"{\"a\":{\"b\":[1,\"\\n\"]}}",
	"\"\"",
	"\"X\"",
	"\"XX\"",
	"\"M\"",
	"\"B\"",
	"\"E\"",
	"\"call\"",
	"\"context\"",
	"\"device,failed\"",
	"\"kernel\"",
	"\"args\"",
	"\"ts\"",
	"4294967295",
	"4294967296",
	"9007199254740993",
	"9007199254740.993",
	"4503599627370.497",
	"4400000000000.123",
	"123456789012345678901",
	"0.1234567890123456789",
	"\"caf\xc3\xa9\"",
	"\"\xc3\"",
	"\"\xed\xa0\x80\"",
	"\"a\\\"b\\u0041\"",
	"\"\\ud800\"",
	"\"\\u00\"",
	"\"\\u0000\"",
	"\"\\x\"",
	"\"\t\"",
	"\"\n\"",
	"\"",
	"\"a very long text that does not fit into one block of the reader, and not into two of them\"",
	/* not quite JSON */
	"NaN",
	"-inf",
	"\"C:\\w\xff\t\"",
};
#define VALUES (sizeof(values) / sizeof(*values))

/* What stands behind the events, by the first byte: nothing, or the frames of stacks. */
static const char *const ends[] = {
	"",
	"]",
	"],\"stackFrames\":{\"1\":{\"name\":\"main\"},\"2\":{\"name\":\"leaf\",\"parent\":\"1\"},\"3\":{\"name\":\"leaf\",\"parent\":1}}}",
	"],\"stackFrames\":{\"1\":{\"parent\":\"1\"},\"2\":{\"name\":\"leaf\",\"parent\":\"3\"},\"3\":{\"name\":\"x\",\"parent\":\"2\"}, \"call\":7}}",
};

/* Bytes below 128 stand for a piece; others for a character. */
static size_t text_make(char *text, const uint8_t *input, size_t size)
{
	const char *end = ends[input[0] >> 2 & 1 ? 1 + (input[0] & 3) % 3 : 0];
	const char *start = strchr(end, '}') ? "{\"traceEvents\":[" : "[";
	size_t length = strlen(start);

	memcpy(text, start, length);
	for (size_t i = 1; i < size && length < TEXT_MOST - 400; i++) {
		if (input[i] >= 128) {
			text[length++] = (char)(input[i] & 127);
			continue;
		}
		for (const char *piece = pieces[input[i] % PIECES]; *piece; piece++) {
			if (*piece != '@') {
				text[length++] = *piece;
				continue;
			}
			const char *value = values[(i + 1 < size ? input[++i] : 0) % VALUES];

			memcpy(text + length, value, strlen(value));
			length += strlen(value);
		}
	}
	memcpy(text + length, end, strlen(end));
	return length + strlen(end);
}

static size_t text_pack(unsigned char *to, size_t room, const char *text, size_t size)
{
	z_stream stream = {0};

	if (deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	stream.next_in = (unsigned char *)text;
	stream.avail_in = (unsigned)size;
	stream.next_out = to;
	stream.avail_out = (unsigned)room;
	deflate(&stream, Z_FINISH);
	size_t packed = room - stream.avail_out;

	deflateEnd(&stream);
	return packed;
}

/* ---- what is compared ---- */

static void call_is_same(const struct history *x, const struct history *y, size_t i)
{
	const struct host_call *a = &x->calls[i], *b = &y->calls[i];

	if (a->start != b->start || a->duration != b->duration || a->thread != b->thread ||
	    a->failed != b->failed || a->own != b->own || a->correlation != b->correlation ||
	    a->request != b->request || strcmp(x->names.list[a->name], y->names.list[b->name]) != 0)
		abort();
}

static void command_is_same(const struct history *x, const struct history *y, size_t i)
{
	const struct device_command *a = &x->commands[i], *b = &y->commands[i];

	if (a->start != b->start || a->end != b->end || a->bytes != b->bytes ||
	    a->has_bytes != b->has_bytes || a->queue != b->queue || a->kind != b->kind ||
	    a->correlation != b->correlation || a->request != b->request ||
	    a->unfinished != b->unfinished ||
	    strcmp(x->names.list[a->row], y->names.list[b->row]) != 0 ||
	    strcmp(x->sizes.list[a->size], y->sizes.list[b->size]) != 0)
		abort();
}

static void histories_are_same(const struct history *x, const struct history *y)
{
	if (x->ncalls != y->ncalls || x->ncommands != y->ncommands || x->nlanes != y->nlanes ||
	    x->nprocesses != y->nprocesses || x->nqueues != y->nqueues || x->cut != y->cut ||
	    history_unended(x) != history_unended(y))
		abort();
	for (size_t i = 0; i < x->ncalls; i++)
		call_is_same(x, y, i);
	for (size_t i = 0; i < x->ncommands; i++)
		command_is_same(x, y, i);
}

/*
 * The stacks are those of the calls that were kept, by name. Commands have those of the calls that
 * submitted them.
 */
static void stacks_are_same(struct history *kept, const struct flat_sums *sums)
{
	int64_t *times = need(calloc(sums->history->requests.count, sizeof(*times)));

	history_group_stacks(kept);
	for (uint32_t i = 0; i < sums->tally.nrows; i++)
		if (sums->tally.rows[i].kind <= TALLY_EVENTS)
			times[sums->tally.rows[i].group] += sums->tally.rows[i].times.sum;
	for (size_t i = 0; i < kept->ncalls; i++) {
		uint32_t group = group_of_call(kept, BY_STACK, &kept->calls[i]);

		times[names_number(&sums->history->requests, kept->requests.list[group])] -=
			kept->calls[i].duration;
	}
	for (uint32_t i = 0; i < sums->history->requests.count; i++)
		if (times[i])
			abort();
	free(times);
}

/* Every call and command is in one row of the sums. */
static void sums_are_same(const struct history *kept, const struct flat_sums *sums)
{
	int64_t count = 0, time = 0, failed = 0;

	for (uint32_t i = 0; i < sums->tally.nrows; i++) {
		count += sums->tally.rows[i].times.count;
		time = tally_add(time, sums->tally.rows[i].times.sum);
		failed += sums->tally.rows[i].failed;
	}
	for (size_t i = 0; i < kept->ncalls; i++) {
		time -= kept->calls[i].duration;
		failed -= kept->calls[i].failed;
	}
	for (size_t i = 0; i < kept->ncommands; i++)
		time -= kept->commands[i].end - kept->commands[i].start;
	if ((uint64_t)count != kept->ncalls + kept->ncommands || time || failed)
		abort();
}

/* ---- three ways to read it ---- */

/* By jansson alone. */
static bool event_visit(void *history, const json_t *event)
{
	history_event(history, event, 0);
	return true;
}

static void frame_visit(void *user, const char *id, const json_t *frame)
{
	struct history *history = user;

	event_stacks_frame(&history->stacks, 0, id, frame);
}

static int read_slowly(struct history *history, const char *path)
{
	const struct trace_visitor visitor = {.parsed = event_visit,
					      .frame = history->symbols ? frame_visit : NULL};

	return trace_walk(path, &visitor, history);
}

/* By stack: symbols are there, which JSON does not need. */
static struct history history_new(enum grouping by)
{
	static char symbols;

	return (struct history){.symbols = by == BY_STACK ? (struct symbols *)&symbols : NULL,
				.frames = 5,
				.wants_sizes = true};
}

static void check_sums(struct history *kept, char *path, int code, enum grouping by)
{
	struct table *tables[TABLES] = {NULL};
	struct history history = history_new(by);
	struct flat_sums sums = {.history = &history};
	bool is_kept;

	if (flat_sum_any(&sums, &path, 1, by, NULL, &is_kept) != code)
		abort();
	if (code != EXIT_BROKEN && is_kept) {
		histories_are_same(kept, &history);
	} else if (code != EXIT_BROKEN) {
		sums_are_same(kept, &sums);
		if (by == BY_STACK)
			stacks_are_same(kept, &sums);
		tabulate_sums(tables, &sums, by, 1);
		for (int i = 0; i < TABLES; i++)
			if (tables[i])
				table_free(tables[i]);
	}
	flat_free(&sums);
	history_free(&history);
}

static void check_file(char *path, enum grouping by)
{
	struct history slow = history_new(by), quick = history_new(by);
	struct history_reader reader = {.history = &quick, .where = "the table"};
	int code = read_slowly(&slow, path);

	if (history_read(&reader, path, 0) != code)
		abort();
	histories_are_same(&slow, &quick);
	check_sums(&slow, path, code, by);
	history_free(&slow);
	history_free(&quick);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static const enum grouping groupings[] = {BY_FUNCTION, BY_THREAD, BY_PROCESS, BY_REQUEST,
						  BY_QUEUE,    BY_SIZE,	  BY_STACK};
	static char text[TEXT_MOST];
	static unsigned char packed[TEXT_MOST + 4096];
	const void *bytes = text;
	char path[64];

	if (!size)
		return 0;
	/* The first byte says how to read it. */
	size_t length = text_make(text, input, size);

	if (input[0] & 8) {
		length = text_pack(packed, sizeof(packed), text, length);
		bytes = packed;
	}
	int file = memfd_create("fuzz", MFD_CLOEXEC);

	if (file < 0 || write(file, bytes, length) != (ssize_t)length)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	check_file(path, groupings[(input[0] >> 4) % 6]);
	close(file);
	return 0;
}

#ifdef FUZZ_STANDALONE
int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) / 4 : 5000;
	static uint8_t input[128];

	for (long i = 0; i < rounds; i++) {
		size_t size = 1 + next_random() % (sizeof(input) - 1);

		/* Mostly whole events. */
		for (size_t j = 0; j < size; j++)
			input[j] =
				(uint8_t)(next_random() % 8 ? next_random() % 13 : next_random());
		LLVMFuzzerTestOneInput(input, size);
	}
	return 0;
}
#endif
