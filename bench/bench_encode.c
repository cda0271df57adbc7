/* SPDX-License-Identifier: MIT */
/*
 * bench_encode: how fast records become Chrome JSON or a .pftrace file, on one core, written in
 * pieces of 256 KiB. Prints one line:
 *
 *	ns floor bytes		nanoseconds of an event; of the floor (bench_call.c); bytes of an
 *				event in the file
 *
 *	bench_encode SHAPE FORMAT FILE TURNS	SHAPE is none or four: a call without arguments, or
 *						with four scalars. FORMAT is json, json.gz or
 *						pftrace; or json.zlib or json.libdeflate, which
 *						compress the same pieces of JSON at level 1, and
 *						print nothing where the library is not found. FILE
 *						is /dev/null, or a file that is made and deleted
 *	bench_encode SHAPE FORMAT FILE 0 CALLS	encode this number of calls once, and print nothing
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/harness.h"
#include "bench/plain.h"
#include "format/encode/formats.h"
#include "format/encode/gzip.h"
#include "tracelayer/shim.h"

#define EVENTS 4096
#define PIECE  (256u * 1024)

extern const struct tl_api tl_api_bench;

static char memory[PIECE + TL_ENCODER_ROOM];
static uint64_t records[EVENTS * 8];
/* span: ticks that the records cover; they come again and again */
static uint64_t record_words, bytes_written, span, rounds;
static int fd;
static bool zipped;
static struct tl_gzip gzip;
static _Alignas(64) char gzip_memory[TL_GZIP_MEMORY];
static struct tl_repeat_hint hint_list[sizeof(memory) / TL_REPEAT_HINT_BYTES];
static struct tl_repeat_hints hints = {.room = sizeof(hint_list) / sizeof(hint_list[0]),
				       .list = hint_list};
static char packed[2 * (PIECE + TL_ENCODER_ROOM)];

/* As layer/buffers/clock.c does it: a product and a shift. */
static uint64_t ticks_ns(const void *source, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)(ticks + rounds * span) * 1652270000u >> 32) +
	       4723886493378;
}

static const struct tl_function *function_of(const void *source, uint32_t id)
{
	return id < tl_api_bench.count ? &tl_api_bench.functions[id] : NULL;
}

static struct tl_open_marks marks;
static struct tl_encoder encoder = {
	.pid = 20536, .ns = ticks_ns, .function = function_of, .marks = &marks};

/* --- libraries that compress, found when the program runs */

typedef int zlib_compress(void *to, unsigned long *room, const void *from, unsigned long size,
			  int level);
typedef void *libdeflate_make(int level);
typedef size_t libdeflate_compress(void *compressor, const void *from, size_t size, void *to,
				   size_t room);

/* The one that is asked for; NULL: none is. */
static zlib_compress *zlib;
static libdeflate_compress *libdeflate;
static void *libdeflate_state;

static void *library_symbol(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_NOW);
	void *symbol = handle ? dlsym(handle, name) : NULL;

	if (!symbol)
		exit(0);
	return symbol;
}

static void library_find(const char *format)
{
	libdeflate_make *make;

	if (strcmp(format, "json.zlib") == 0) {
		zlib = (zlib_compress *)library_symbol("libz.so.1", "compress2");
	} else if (strcmp(format, "json.libdeflate") == 0) {
		make = (libdeflate_make *)library_symbol("libdeflate.so.0",
							 "libdeflate_alloc_compressor");
		libdeflate = (libdeflate_compress *)library_symbol("libdeflate.so.0",
								   "libdeflate_gzip_compress");
		libdeflate_state = make(1);
	}
}

static size_t library_compress(size_t size)
{
	unsigned long room = sizeof(packed);

	if (libdeflate)
		return libdeflate(libdeflate_state, memory, size, packed, room);
	if (zlib(packed, &room, memory, size, 1) != 0)
		abort();
	return room;
}

static void write_out(struct tl_text *text)
{
	const char *bytes = memory;
	size_t size = (size_t)(text->at - memory);

	if (zipped) {
		size = tl_gzip_block(&gzip, packed, memory, size);
		tl_gzip_keep(&gzip);
		bytes = packed;
	} else if (zlib || libdeflate) {
		size = library_compress(size);
		bytes = packed;
	}
	bytes_written += size;
	if (write(fd, bytes, size) != (ssize_t)size)
		perror("bench_encode");
	text->at = memory;
	tl_repeat_hints_begin(&hints, memory);
	encoder.format->kept(&encoder);
	encoder.format->block(&encoder);
}

static void records_encode(uint64_t count)
{
	struct tl_text text = {memory, memory + sizeof(memory), false};
	uint64_t at = 0;

	/* A file that does not grow from turn to turn; /dev/null has no length. */
	if (lseek(fd, 0, SEEK_SET) == 0)
		(void)!ftruncate(fd, 0);
	for (uint64_t i = 0; i < count; i++) {
		const struct tl_call_record *record = (const void *)&records[at];
		if (!encoder.format->record(&encoder, &text, 20536, record,
					    (EVENTS * record_words - at) * 8))
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
static void records_fill(uint32_t id, uint64_t words)
{
	uint64_t now = 8u << 20;

	record_words = 4 + words;
	for (uint64_t i = 0; i < EVENTS; i++) {
		uint64_t *record = &records[i * record_words];
		uint64_t duration = 20 + (uint64_t)rand() % 4000;
		record[0] = record_words | (uint64_t)TL_RECORD_CALL << 16 |
			    (uint64_t)(words ? TL_RECORD_WORDS : 0) << 24 | (uint64_t)id << 32;
		record[1] = now;
		record[2] = duration;
		record[3] = (uint64_t)rand() % 100;
		for (uint64_t w = 0; w < words; w++)
			record[4 + w] = (uint64_t)rand() >> rand() % 31;
		now += duration + (uint64_t)rand() % 1000;
	}
	span = now;
}

static void set_up(const char *shape, const char *format, const char *file)
{
	bool null = strcmp(file, "/dev/null") == 0;

	fd = open(file, O_WRONLY | O_CLOEXEC | (null ? 0 : O_CREAT | O_TRUNC), 0600);
	if (fd < 0) {
		perror(file);
		exit(1);
	}
	if (!null)
		unlink(file);
	zipped = strcmp(format, "json.gz") == 0;
	library_find(format);
	if (tl_gzip_bound(sizeof(memory)) > sizeof(packed))
		abort();
	tl_gzip_start(&gzip, gzip_memory);
	tl_repeat_hints_begin(&hints, memory);
	if (zipped)
		gzip.hints = encoder.hints = &hints;
	encoder.format = strcmp(format, "pftrace") == 0 ? &tl_format_pftrace : &tl_format_json;
	encoder.state = aligned_alloc(64, (encoder.format->state + 63) & ~(size_t)63);
	if (!encoder.state)
		abort();
	memset(encoder.state, 0, encoder.format->state);
	/* As a process's own file begins; it counts for no event. */
	static const struct tl_facts facts;
	struct tl_text text = {memory, memory + sizeof(memory), false};
	encoder.format->block(&encoder);
	encoder.format->begin(&encoder, &text, &facts);
	encoder.format->kept(&encoder);
	encoder.format->block(&encoder);
	if (strcmp(shape, "four") == 0)
		records_fill(index_of("bench_four"), 4);
	else
		records_fill(index_of("bench_none"), 0);
}

int main(int argc, char **argv)
{
	struct bench_way ways[] = {{.work = records_encode}, {.work = floor_of}};

	if (argc < 5 || argc > 6) {
		fprintf(stderr,
			"usage: bench_encode none|four json|json.gz|json.zlib|json.libdeflate|pftrace "
			"FILE TURNS [CALLS]\n");
		return 2;
	}
	bench_ticks_per_ns();
	set_up(argv[1], argv[2], argv[3]);
	bench_pin();
	if (argc == 6) {
		records_encode(strtoull(argv[5], NULL, 10));
		return 0;
	}
	records_encode(EVENTS);
	double bytes = (double)bytes_written / EVENTS;
	bench_measure(ways, 2, (unsigned)strtoul(argv[4], NULL, 10), 10 * EVENTS);
	double scale = 1 / bench_ticks_per_ns();
	printf("%.3f %.3f %.1f\n", ways[0].ticks * scale, ways[1].ticks * scale, bytes);
	return 0;
}
