/* SPDX-License-Identifier: MIT */
/*
 * fuzz_pftrace.c: whatever bytes a chunk or a process's facts hold, the encoder reads none outside
 * of them, and what it makes of them is a row of sound packets.
 *
 * With clang -fsanitize=fuzzer a libFuzzer target; with FUZZ_STANDALONE it damages sound chunks
 * itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/encode/formats.h"
#include "format/encode/pftrace.h"
#include "tests/lib/args_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static const struct tl_function *function(const void *source, uint32_t id)
{
	return id < F_COUNT ? &table_functions[id] : NULL;
}

static uint64_t ns(const void *source, uint64_t ticks)
{
	return ticks / 3;
}

static const char *string(const void *source, uint32_t number, size_t *size)
{
	static const char text[] = "text \xff";

	*size = number % 8;
	return number % 8 < sizeof(text) ? text : NULL;
}

static uint32_t lane(const void *source, uint32_t number)
{
	return number;
}

/* ---- What may be in what */

enum message {
	TRACE,
	PACKET,
	CLOCKS,
	CLOCK,
	DEFAULTS,
	EVENT,
	FLOW,
	NOTE,
	NAMES,
	NAME,
	TRACK,
	DESCRIPTOR,
	NONE
};

static const struct nested {
	enum message in;
	uint32_t field;
	enum message is;
} nested[] = {
	{TRACE, TL_PF_PACKET, PACKET},
	{PACKET, TL_PF_CLOCK_SNAPSHOT, CLOCKS},
	{PACKET, TL_PF_TRACK_EVENT, EVENT},
	{PACKET, TL_PF_INTERNED_DATA, NAMES},
	{PACKET, TL_PF_PACKET_DEFAULTS, DEFAULTS},
	{PACKET, TL_PF_TRACK_DESCRIPTOR, TRACK},
	{CLOCKS, TL_PF_CLOCKS, CLOCK},
	{DEFAULTS, TL_PF_DEFAULT_TRACK_EVENT, EVENT},
	{EVENT, TL_PF_ANNOTATIONS, NOTE},
	{EVENT, TL_PF_LEGACY_EVENT, FLOW},
	{EVENT, TL_PF_NAME, NONE},
	{EVENT, TL_PF_CATEGORIES, NONE},
	{NOTE, TL_PF_DICT_ENTRIES, NOTE},
	{NOTE, TL_PF_ARRAY_VALUES, NOTE},
	{NOTE, TL_PF_STRING_VALUE, NONE},
	{NOTE, TL_PF_ANNOTATION_NAME, NONE},
	{NAMES, TL_PF_EVENT_CATEGORIES, NAME},
	{NAMES, TL_PF_EVENT_NAMES, NAME},
	{NAMES, TL_PF_ANNOTATION_NAMES, NAME},
	{NAMES, TL_PF_STRING_VALUES, NAME},
	{NAME, TL_PF_STRING, NONE},
	{TRACK, TL_PF_PROCESS, DESCRIPTOR},
	{TRACK, TL_PF_TRACK_NAME, NONE},
	{TRACK, TL_PF_COUNTER_TRACK, NONE},
	{TRACK, TL_PF_THREAD, DESCRIPTOR},
	{DESCRIPTOR, TL_PF_THREAD_NAME, NONE},
	{DESCRIPTOR, TL_PF_PROCESS_NAME, NONE},
	{DESCRIPTOR, TL_PF_PROCESS_LABELS, NONE},
};

static uint64_t take_varint(const unsigned char **at, const unsigned char *end)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 70; shift += 7) {
		if (*at == end)
			abort();
		value |= (uint64_t)(**at & 0x7f) << shift;
		if (!(*(*at)++ & 0x80))
			return value;
	}
	abort();
}

static enum message nested_in(enum message in, uint64_t field)
{
	for (size_t i = 0; i < sizeof(nested) / sizeof(*nested); i++)
		if (nested[i].in == in && nested[i].field == field)
			return nested[i].is;
	abort();
}

static void check_message(const char *bytes, size_t size, enum message is)
{
	const unsigned char *at = (const unsigned char *)bytes, *end = at + size;

	while (at < end) {
		uint64_t key = take_varint(&at, end), length;
		switch (key & 7) {
		case TL_WIRE_VARINT:
			take_varint(&at, end);
			break;
		case TL_WIRE_FIXED64:
			if (end - at < 8)
				abort();
			at += 8;
			break;
		case TL_WIRE_BYTES:
			length = take_varint(&at, end);
			if (length > (uint64_t)(end - at))
				abort();
			enum message child = nested_in(is, key >> 3);
			if (child != NONE)
				check_message((const char *)at, length, child);
			at += length;
			break;
		default:
			abort();
		}
	}
}

/* ---- */

static char *state;
static struct tl_encoder encoder = {.format = &tl_format_pftrace,
				    .pid = 1,
				    .ns = ns,
				    .function = function,
				    .string = string,
				    .lane = lane};

static void check_facts(const uint8_t *input, size_t size)
{
	static struct tl_facts facts;
	static char room[TL_ENCODER_ROOM];
	struct tl_text text = {room, room + sizeof(room), false};

	memset(&facts, 0, sizeof(facts));
	memcpy(facts.members, input, size < sizeof(facts.members) ? size : sizeof(facts.members));
	memcpy(facts.program, input, size < sizeof(facts.program) ? size : sizeof(facts.program));
	tl_format_pftrace.begin(&encoder, &text, &facts);
	check_message(room, (size_t)(text.at - room), TRACE);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static char room[TL_ENCODER_ROOM];
	/* Exactly as large as what is in it, so that a sanitizer sees one byte too many. */
	size_t taken = 0, room_size = size % 16 ? sizeof(room) : 48 * 1024;

	if (!state)
		state = aligned_alloc(64, (tl_format_pftrace.state + 63) & ~(size_t)63);
	memset(state, 0, tl_format_pftrace.state);
	encoder.state = state;
	tl_format_pftrace.block(&encoder);
	check_facts(input, size);
	size &= ~(size_t)7;
	char *chunk = malloc(size ? size : 1);
	if (size)
		memcpy(chunk, input, size);
	while (taken < size) {
		struct tl_text text = {room, room + room_size, false};
		size_t step = tl_format_pftrace.record(&encoder, &text, 2,
						       (const void *)(chunk + taken), size - taken);
		if (!step)
			break;
		taken += step;
		if (taken > size || text.cut)
			abort();
		check_message(room, (size_t)(text.at - room), TRACE);
	}
	free(chunk);
	return 0;
}

#ifdef FUZZ_STANDALONE
#include "tests/lib/fuzz_records.h"

static size_t sound_event(char *to)
{
	struct tl_event_record *event = (void *)to;
	uint16_t args = next_random() % 4;

	*event = (struct tl_event_record){.type = TL_RECORD_EVENT,
					  .flags = next_random() % 8,
					  .name = (uint32_t)next_random(),
					  .start = next_random() >> next_random() % 64,
					  .duration = next_random() >> next_random() % 64,
					  .lane = next_random() % 3,
					  .phase = (uint8_t) "XBEiCstf"[next_random() % 8],
					  .level = (uint8_t)next_random(),
					  .args = args};
	for (uint16_t i = 0; i < args; i++)
		event->arg[i] = (struct tl_event_arg){(uint32_t)next_random(), next_random() % 7,
						      next_random() >> next_random() % 64};
	if (event->flags & TL_EVENT_ARROWS)
		*(struct tl_event_arrows *)(void *)&event->arg[args] =
			(struct tl_event_arrows){.number = next_random(),
						 .from_ns = next_random(),
						 .to_ns = next_random(),
						 .from = next_random() % 3,
						 .to = next_random() % 3,
						 .from_name = (uint32_t)next_random(),
						 .to_name = (uint32_t)next_random() % 9};
	event->size = (uint16_t)(tl_event_bytes(event) / 8);
	return event->size * 8u;
}

static size_t sound_record(char *to)
{
	return next_random() % 4 ? sound_call(to) : sound_event(to);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) / 10 : 10000;

	fuzz_damaged(rounds, sound_record, LLVMFuzzerTestOneInput);
	return 0;
}
#endif
