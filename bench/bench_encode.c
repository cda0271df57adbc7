/*
 * bench_encode: how fast records become Chrome JSON or a .pftrace, on one core, written to /dev/null in pieces of 256 KiB as the writer does. Prints
 * one line:
 *
 *	ns floor bytes		nanoseconds for an event; for the floor (bench_call.c); bytes that an event takes in the file
 *
 *	bench_encode SHAPE FORMAT TURNS	SHAPE is none or four: a call without arguments, or with four scalars; FORMAT is json or pftrace
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/harness.h"
#include "bench/plain.h"
#include "format/encoder.h"
#include "tracelayer/shim.h"

#define EVENTS 4096
#define PIECE (256u * 1024)

extern const struct tl_api tl_api_bench;

static char memory[PIECE + TL_ENCODER_ROOM];
static uint64_t records[EVENTS * 8];
static uint64_t record_words, bytes_written, span, rounds;	/* span: ticks that the records cover; they come again and again */
static int null_fd;

/* As layer/clock.c does it: a product and a shift. */
static uint64_t ns(uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)(ticks + rounds * span) * 1652270000u >> 32) + 4723886493378;
}

static const struct tl_function *function(uint32_t id)
{
	return id < tl_api_bench.count ? &tl_api_bench.functions[id] : NULL;
}

static struct tl_encoder encoder = { .pid = 20536, .ns = ns, .function = function };

static void write_out(struct tl_text *text)
{
	bytes_written += (uint64_t)(text->at - memory);
	if (write(null_fd, memory, (size_t)(text->at - memory)) < 0)
		perror("bench_encode: /dev/null");
	text->at = memory;
	encoder.format->kept(&encoder);
	encoder.format->block(&encoder);
}

static void encode(uint64_t count)
{
	struct tl_text text = { memory, memory + sizeof(memory), false };
	uint64_t at = 0;

	for (uint64_t i = 0; i < count; i++) {
		const struct tl_call_record *record = (const void *)&records[at];
		if (!encoder.format->record(&encoder, &text, 20536, record, (EVENTS * record_words - at) * 8))
			abort();
		if (text.at >= memory + PIECE)
			write_out(&text);
		at += record_words;
		if (at == EVENTS * record_words) {
			at = 0;
			rounds++;
		}
	}
	write_out(&text);
	rounds++;
}

static void floor_of(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t start = tl_counter();
		int result = plain_none();
		bench_floor_store(1, start, tl_counter(), (uint64_t)result);
	}
}

static uint32_t index_of(const char *name)
{
	for (uint32_t i = 0; i < tl_api_bench.count; i++)
		if (strcmp(tl_api_bench.functions[i].name, name) == 0)
			return i;
	abort();
}

/* Calls at irregular times, with arguments of all sizes. */
static void fill(uint32_t id, uint64_t words)
{
	uint64_t now = 8u << 20;

	record_words = 4 + words;
	for (uint64_t i = 0; i < EVENTS; i++) {
		uint64_t *record = &records[i * record_words];
		uint64_t duration = 20 + (uint64_t)rand() % 4000;
		record[0] = record_words | (uint64_t)TL_RECORD_CALL << 16 | (uint64_t)(words ? TL_RECORD_WORDS : 0) << 24 |
			    (uint64_t)id << 32;
		record[1] = now;
		record[2] = duration;
		record[3] = (uint64_t)rand() % 100;
		for (uint64_t w = 0; w < words; w++)
			record[4 + w] = (uint64_t)rand() >> rand() % 31;
		now += duration + (uint64_t)rand() % 1000;
	}
	span = now;
}

int main(int argc, char **argv)
{
	if (argc != 4 || (strcmp(argv[1], "none") != 0 && strcmp(argv[1], "four") != 0)) {
		fprintf(stderr, "usage: bench_encode none|four json|pftrace TURNS\n");
		return 2;
	}
	struct bench_way ways[] = { { .work = encode }, { .work = floor_of } };

	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	encoder.format = strcmp(argv[2], "json") == 0 ? &tl_format_json : &tl_format_pftrace;
	encoder.state = aligned_alloc(64, (encoder.format->state + 63) & ~(size_t)63);
	if (!encoder.state)
		abort();
	memset(encoder.state, 0, encoder.format->state);
	if (strcmp(argv[1], "four") == 0)
		fill(index_of("bench_four"), 4);
	else
		fill(index_of("bench_none"), 0);
	bench_ticks_per_ns();
	bench_pin();
	encode(EVENTS);
	double bytes = (double)bytes_written / EVENTS;
	bench_measure(ways, 2, (unsigned)strtoul(argv[3], NULL, 10), 10 * EVENTS);
	double scale = 1 / bench_ticks_per_ns();
	printf("%.3f %.3f %.1f\n", ways[0].ticks * scale, ways[1].ticks * scale, bytes);
	return 0;
}
