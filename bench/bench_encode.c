/*
 * bench_encode: how fast records become Chrome JSON, on one core, written to /dev/null in pieces of 256 KiB as the writer does. Prints one line:
 *
 *	ns floor bytes		nanoseconds for an event; for the floor (bench_call.c); bytes of JSON an event
 *
 *	bench_encode SHAPE TURNS	SHAPE is none or four: a call without arguments, or with four scalars
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/harness.h"
#include "bench/plain.h"
#include "format/chrome.h"
#include "format/text.h"
#include "tracelayer/shim.h"

#define EVENTS 4096
#define PIECE (256u * 1024)

extern const struct tl_api tl_api_bench;

static char memory[PIECE + TL_CHROME_EVENT_MAX];
static struct tl_chrome_name names[TL_CHROME_NAMES];
static uint64_t records[EVENTS * 8];
static uint64_t record_words, bytes_written;
static int null_fd;

/* As layer/clock.c does it: a product and a shift. */
static uint64_t ns(uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * 1652270000u >> 32) + 4723886493378;
}

static const struct tl_function *function(uint32_t id)
{
	return id < tl_api_bench.count ? &tl_api_bench.functions[id] : NULL;
}

static const struct tl_chrome chrome = { .pid = 20536, .ns = ns, .function = function, .names = names };

static void write_out(struct tl_text *text)
{
	bytes_written += (uint64_t)(text->at - memory);
	if (write(null_fd, memory, (size_t)(text->at - memory)) < 0)
		perror("bench_encode: /dev/null");
	text->at = memory;
}

static void encode(uint64_t count)
{
	struct tl_text text = { memory, memory + sizeof(memory), false };
	uint64_t at = 0;

	for (uint64_t i = 0; i < count; i++) {
		const struct tl_call_record *record = (const void *)&records[at];
		if (!tl_chrome_record(&chrome, &text, 20536, record, record_words * 8))
			abort();
		if (text.at >= memory + PIECE)
			write_out(&text);
		at = (at + record_words) % (EVENTS * record_words);
	}
	write_out(&text);
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
}

int main(int argc, char **argv)
{
	if (argc != 3 || (strcmp(argv[1], "none") != 0 && strcmp(argv[1], "four") != 0)) {
		fprintf(stderr, "usage: bench_encode none|four TURNS\n");
		return 2;
	}
	struct bench_way ways[] = { { .work = encode }, { .work = floor_of } };

	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (strcmp(argv[1], "four") == 0)
		fill(index_of("bench_four"), 4);
	else
		fill(index_of("bench_none"), 0);
	bench_ticks_per_ns();
	bench_pin();
	encode(EVENTS);
	double bytes = (double)bytes_written / EVENTS;
	bench_measure(ways, 2, (unsigned)strtoul(argv[2], NULL, 10), 10 * EVENTS);
	double scale = 1 / bench_ticks_per_ns();
	printf("%.3f %.3f %.1f\n", ways[0].ticks * scale, ways[1].ticks * scale, bytes);
	return 0;
}
