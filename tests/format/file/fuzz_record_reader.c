/* SPDX-License-Identifier: MIT */
/*
 * fuzz_record_reader.c: whatever a file in the record format says, nothing outside of it is read,
 * nothing takes for ever, and what the encoders make of it is sound: JSON that a strict parser
 * takes, and times that don't run backwards.
 *
 * What kind of file is made of an input: see hostile_trace.h.
 *
 * With clang -fsanitize=fuzzer a libFuzzer target; with FUZZ_STANDALONE it makes its inputs itself.
 */
#include <jansson.h>
#include <stdio.h>
#include <sys/mman.h>

#include "format/encode/formats.h"
#include "format/encode/trace_source.h"
#include "format/file/record_reader.h"
#include "tests/lib/hostile_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

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
			format->unfinished(&encoder, &text, lane->shown, &lane->opens[open],
					   trace->last);
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
	file = hostile_trace(input, size, &length);
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
int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) / 20 : 5000;
	static uint8_t input[1200];

	for (long i = 0; i < rounds; i++) {
		LLVMFuzzerTestOneInput(input, hostile_input(input));
	}
	return 0;
}
#endif
