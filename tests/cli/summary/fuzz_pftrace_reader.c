/* SPDX-License-Identifier: MIT */
/*
 * fuzz_pftrace_reader.c: the reader of .pftrace files on packets that are put together as the
 * input's bytes say, and damaged, and on the input itself: whatever stands in a file, all of it is
 * read safely, each event is one, and the exit code is one of the documented ones.
 *
 * With clang -fsanitize=fuzzer a libFuzzer target; with FUZZ_STANDALONE it makes inputs itself.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/read/event_members.h"
#include "cli/read/pftrace_reader.h"
#include "format/encode/encode.h"
#include "tests/lib/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* What commands say is of no interest here, and must be text. */
void say(const char *format, ...)
{
	char line[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (strpbrk(line, "\n\033"))
		abort();
}

void *need(void *allocated)
{
	if (!allocated)
		abort();
	return allocated;
}

long long event_nanoseconds(const json_t *event, const char *member, long long missing)
{
	const json_t *value = json_object_get(event, member);

	return json_is_number(value) ? llround(json_number_value(value) * 1000) : missing;
}

/* ---- a file ---- */

#define FILE_MOST (64u << 10)

struct file {
	char bytes[FILE_MOST + 8192];
	size_t size;
};

static char *text_put(char *at, uint32_t field, const char *text)
{
	return tl_protobuf_bytes(at, field, text, strlen(text));
}

/* A packet with what all of them have; *content is where it began. */
static char *packet_open(struct file *file, char **content, unsigned flags)
{
	*content = tl_protobuf_open(file->bytes + file->size, TL_PF_PACKET);
	char *at = tl_protobuf_number(*content, TL_PF_SEQUENCE_ID, 1 + (flags & 4) / 4);

	return tl_protobuf_number(at, TL_PF_SEQUENCE_FLAGS, flags & 3);
}

static void packet_close(struct file *file, char *content, char *at)
{
	file->size = (size_t)(tl_protobuf_close(content, at) - file->bytes);
}

/* What a sequence begins with. */
static void put_begin(struct file *file, unsigned flags)
{
	char *content, *at = packet_open(file, &content, flags), *inner, *clock;

	inner = tl_protobuf_open(at, TL_PF_PACKET_DEFAULTS);
	clock = tl_protobuf_open(inner, TL_PF_DEFAULT_TRACK_EVENT);
	at = tl_protobuf_number(clock, TL_PF_TRACK_UUID, (uint64_t)7 << 32);
	at = tl_protobuf_close(clock, at);
	at = tl_protobuf_number(at, TL_PF_DEFAULT_CLOCK, TL_PF_DELTAS);
	at = tl_protobuf_close(inner, at);
	inner = tl_protobuf_open(at, TL_PF_CLOCK_SNAPSHOT);
	clock = tl_protobuf_open(inner, TL_PF_CLOCKS);
	at = tl_protobuf_number(clock, TL_PF_CLOCK_ID, TL_PF_DELTAS);
	at = tl_protobuf_number(at, TL_PF_CLOCK_TIMESTAMP, 0);
	at = tl_protobuf_close(clock, at);
	packet_close(file, content, tl_protobuf_close(inner, at));
}

/* Values in one another. */
static char *note_put(char *at, unsigned what, unsigned depth)
{
	char *inner = tl_protobuf_open(at, depth % 2 ? TL_PF_DICT_ENTRIES : TL_PF_ANNOTATIONS);

	at = what & 1 ? text_put(inner, TL_PF_ANNOTATION_NAME, what & 2 ? "monotonic_ns" : "kind")
		      : tl_protobuf_number(inner, TL_PF_ANNOTATION_NAME_IID, what);
	if (depth < (what & 0x7f))
		at = note_put(at, what, depth + 1);
	else if (what & 0x80)
		at = tl_protobuf_fixed64(at, TL_PF_DOUBLE_VALUE, ~(uint64_t)0 >> (what & 15));
	else
		at = tl_protobuf_number(at, TL_PF_BOOL_VALUE + what % 6, what);
	return tl_protobuf_close(inner, at);
}

static void put_event(struct file *file, unsigned flags, unsigned type, unsigned what)
{
	static const char *const words[] = {"tracelayer", "tracelayer_end", "clFinish", "\xff"};
	char *content, *at = packet_open(file, &content, flags), *event, *inner;

	at = tl_protobuf_number(at, TL_PF_TIMESTAMP, what * 1000u);
	if (flags & 8)
		at = tl_protobuf_number(at, TL_PF_TIMESTAMP_CLOCK_ID, what & 1 ? 3 : 6);
	event = tl_protobuf_open(at, TL_PF_TRACK_EVENT);
	at = text_put(event, TL_PF_CATEGORIES, "tracelayer");
	at = flags & 16 ? tl_protobuf_number(at, TL_PF_CATEGORY_IIDS, what % 5) : at;
	at = what & 32 ? tl_protobuf_number(at, TL_PF_NAME_IID, what % 5)
		       : text_put(at, TL_PF_NAME, words[what % 4]);
	at = tl_protobuf_number(at, TL_PF_TYPE, type);
	if (flags & 32)
		at = tl_protobuf_number(at, TL_PF_TRACK_UUID,
					(uint64_t)(what % 3) << (what & 64 ? 63 : 32) | what % 4);
	if (flags & 16)
		at = tl_protobuf_number(at, TL_PF_CALLSTACK_IID, what % 5);
	if (type == TL_PF_COUNTER)
		at = tl_protobuf_number(at, TL_PF_COUNTER_VALUE, what);
	if (type == TL_PF_NO_TYPE) {
		inner = tl_protobuf_open(at, TL_PF_LEGACY_EVENT);
		at = tl_protobuf_number(inner, TL_PF_LEGACY_PHASE, "stfx"[what % 4]);
		at = tl_protobuf_close(inner, tl_protobuf_number(at, TL_PF_LEGACY_ID, what));
	}
	if (flags & 64)
		at = note_put(at, what, 0);
	at = tl_protobuf_close(event, at);
	packet_close(file, content, at);
}

static void put_names(struct file *file, unsigned flags, unsigned what)
{
	static const uint32_t kinds[] = {TL_PF_EVENT_CATEGORIES, TL_PF_EVENT_NAMES,
					 TL_PF_ANNOTATION_NAMES, TL_PF_STRING_VALUES,
					 TL_PF_FUNCTION_NAMES,	 TL_PF_MAPPING_PATHS};
	char *content, *at = packet_open(file, &content, flags), *names, *inner;

	names = tl_protobuf_open(at, TL_PF_INTERNED_DATA);
	inner = tl_protobuf_open(names, kinds[what % 6]);
	at = tl_protobuf_number(inner, TL_PF_IID, flags & 128 ? (uint64_t)what << 40 : what % 5);
	at = text_put(at, TL_PF_STRING, what & 8 ? "a/device" : "name");
	at = tl_protobuf_close(inner, at);
	packet_close(file, content, tl_protobuf_close(names, at));
}

/* A frame, or a stack of a few. */
static void put_stack(struct file *file, unsigned flags, unsigned what)
{
	char *content, *at = packet_open(file, &content, flags), *names, *inner;
	bool is_stack = what & 16;

	names = tl_protobuf_open(at, TL_PF_INTERNED_DATA);
	inner = tl_protobuf_open(names, is_stack    ? TL_PF_CALLSTACKS
					: what & 32 ? TL_PF_MAPPINGS
						    : TL_PF_FRAMES);
	at = tl_protobuf_number(inner, TL_PF_IID, flags & 128 ? (uint64_t)what << 40 : what % 5);
	if (!is_stack)
		at = tl_protobuf_number(at, TL_PF_FRAME_MAPPING, flags % 7);
	for (unsigned i = 0; i < (is_stack ? flags % 9 : 1); i++)
		at = tl_protobuf_number(at, TL_PF_CALLSTACK_FRAMES, (what * 7u + i) % 6);
	if (what & 32)
		at = tl_protobuf_number(at, TL_PF_MAPPING_PATH, flags % 5);
	at = tl_protobuf_close(inner, at);
	packet_close(file, content, tl_protobuf_close(names, at));
}

static void put_track(struct file *file, unsigned flags, unsigned what)
{
	char *content, *at = packet_open(file, &content, flags), *track, *inner;

	track = tl_protobuf_open(at, TL_PF_TRACK_DESCRIPTOR);
	at = tl_protobuf_number(track, TL_PF_UUID,
				(uint64_t)(what % 3) << (what & 64 ? 63 : 32) | what % 4);
	at = text_put(at, TL_PF_TRACK_NAME, what & 8 ? "memory bytes" : "bytes");
	if (what & 16) {
		inner = tl_protobuf_open(at, what & 32 ? TL_PF_PROCESS : TL_PF_THREAD);
		at = text_put(inner, what & 32 ? TL_PF_PROCESS_NAME : TL_PF_THREAD_NAME, "app");
		at = tl_protobuf_close(inner, at);
	} else if (what & 32) {
		inner = tl_protobuf_open(at, TL_PF_COUNTER_TRACK);
		at = tl_protobuf_number(inner, TL_PF_COUNTER_UNIT, TL_PF_UNIT_BYTES);
		at = tl_protobuf_close(inner, at);
	}
	packet_close(file, content, tl_protobuf_close(track, at));
}

/* Three bytes make a packet, or damage one. */
static void file_make(struct file *file, const uint8_t *input, size_t size)
{
	file->size = 0;
	put_begin(file, TL_PF_STATE_CLEARED);
	put_event(file, 2, TL_PF_INSTANT, 0);
	for (size_t i = 0; i + 2 < size && file->size < FILE_MOST; i += 3) {
		unsigned flags = input[i + 1], what = input[i + 2];

		switch (input[i] % 11) {
		case 0:
			put_names(file, flags, what);
			break;
		case 1:
			put_track(file, flags, what);
			break;
		case 2:
			put_begin(file, flags);
			break;
		case 3:
			file->bytes[(flags * 256u + what) % file->size] ^= (char)(1 << what % 8);
			break;
		case 4:
			file->bytes[file->size++] = (char)what;
			break;
		case 5:
			put_stack(file, flags, what);
			break;
		default:
			put_event(file, flags, input[i] % 11 - 6, what);
		}
	}
}

/* ---- reading ---- */

/* What a file's visitor has seen. */
struct seen {
	unsigned left; /* events that are wanted */
	unsigned frames;
};

/* Frames have numbers, from 1 on, and are called by frames that were told. */
static void frame_check(void *user, const char *id, const json_t *frame)
{
	struct seen *seen = user;
	const json_t *parent = json_object_get(frame, "parent");

	if (strtoul(id, NULL, 10) != ++seen->frames ||
	    !json_is_string(json_object_get(frame, "name")))
		abort();
	if (parent && strtoul(json_string_value(parent), NULL, 10) - 1 >= seen->frames - 1)
		abort();
}

static bool event_check(void *user, const json_t *event)
{
	struct seen *seen = user;
	const json_t *frame = json_object_get(event, "sf");
	const char *phase = json_string_value(json_object_get(event, "ph"));

	if (!phase || strlen(phase) != 1 || !strchr("MXBEiCstf", *phase) ||
	    !json_is_number(json_object_get(event, "pid")) ||
	    !json_is_object(json_object_get(event, "args")))
		abort();
	if (*phase == 'X' && event_nanoseconds(event, "dur", -1) < 0)
		abort();
	if (frame && strtoul(json_string_value(frame), NULL, 10) - 1 >= seen->frames)
		abort();
	return --seen->left > 0;
}

static void file_read(const void *bytes, size_t size, unsigned most)
{
	static const struct trace_visitor visitor = {.parsed = event_check, .frame = frame_check};
	int file = memfd_create("fuzz", MFD_CLOEXEC);
	struct seen seen = {.left = most};
	struct block_reader blocks;
	unsigned char *at = NULL, *end = NULL;
	bool failed = false;

	if (file < 0 || write(file, bytes, size) != (ssize_t)size || lseek(file, 0, SEEK_SET))
		abort();
	block_reader_start(&blocks, file, "fuzz.pftrace");
	if (block_next(&blocks, &at, &end, 0, &failed, 1)) {
		int code = pftrace_walk(&blocks, at, end, &visitor, &seen);

		if (code != EXIT_DONE && code != EXIT_INCOMPLETE && code != EXIT_BROKEN)
			abort();
	}
	block_reader_end(&blocks);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static struct file file;

	if (!size)
		return 0;
	file_make(&file, input + 1, size - 1);
	file_read(file.bytes, file.size, input[0] & 1 ? 3 : 1000000);
	file_read(input, size, 1000000);
	return 0;
}

#ifdef FUZZ_STANDALONE
int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) / 10 : 10000;
	uint8_t input[300];

	for (long round = 0; round < rounds; round++) {
		size_t size = (size_t)next_random() % sizeof(input);

		for (size_t i = 0; i < size; i++)
			input[i] = (uint8_t)next_random();
		LLVMFuzzerTestOneInput(input, size);
	}
	return 0;
}
#endif
