/* SPDX-License-Identifier: MIT */
/*
 * bench_limit: what no recorder can do without. Each way stores records as the floor does (harness.h),
 * but as large, or in such memory, as the rows beside it (call.sh) need. It needs no recorder. Prints a
 * line like bench_call's: "bare floor row".
 *
 *	bench_limit warm TURNS COUNT	a call with two arguments and a struct that one leads to: its record of 88
 *					bytes, with a copy of the struct, in memory that stays warm
 *	bench_limit cleared TURNS COUNT	the same in memory that another core has cleared, as it does for
 *					chunks that are used again
 *	bench_limit additions TURNS COUNT	the floor, and 160 additions that depend on nothing. What a call adds
 *					to the floor is instructions, too: where another virtual machine uses
 *					the same core of the processor, both take longer, and the floor does not
 *	bench_limit new BYTES COUNT	COUNT calls without a pause, with records of BYTES bytes in new pages
 *					of /dev/shm
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness.h"
#include "bench/plain.h"
#include "tracelayer/shim.h"

#define CHUNK (256u * 1024)
#define RECORD                                                                                     \
	88u /* four words, two arguments, the sizes of what is copied, its head, and 24 bytes */

static volatile int sink;
static const struct bench_box box = {640, 480, 32, 1};

static void bare(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		sink = plain_pointer(i, &box);
}

static void floor_of_all(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t start = tl_counter();
		int result = plain_pointer(i, &box);
		bench_floor_store(1, start, tl_counter(), (uint64_t)result);
		sink = result;
	}
}

/* Eighty additions, in four chains. */
static inline void add_much(void)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;

	TL_UNROLL
	for (unsigned i = 0; i < 20; i++) {
		a++, b++, c++, d++;
		__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	}
}

static void floor_and_additions(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		add_much();
		uint64_t start = tl_counter();
		int result = plain_pointer(i, &box);
		uint64_t end = tl_counter();
		add_much();
		bench_floor_store(1, start, end, (uint64_t)result);
		sink = result;
	}
}

static inline void record_store(uint64_t *record, uint64_t argument)
{
	const uint64_t *from = (const uint64_t *)(const void *)&box;
	uint64_t start = tl_counter();
	int result = plain_pointer(argument, &box);

	record[0] = 1;
	record[1] = start;
	record[2] = tl_counter() - start;
	record[3] = (uint64_t)result;
	record[4] = argument;
	record[5] = (uintptr_t)&box;
	record[6] = sizeof(box);
	record[7] = sizeof(box) | 1ull << 32;
	for (unsigned i = 0; i < sizeof(box) / 8; i++) {
		record[8 + i] = from[i];
		__asm__ volatile(""); /* word by word, as the recorder must */
	}
	sink = result;
}

/* --- two chunks by turns, the other of which is cleared meanwhile */

static char chunks[2][CHUNK] __attribute__((aligned(4096)));
static _Atomic uint32_t full[2]; /* release by who has filled or cleared it, acquire by the other */
static bool is_cleared;

static void *chunks_clear(void *unused)
{
	bench_pin_to(0);
	for (unsigned i = 0;; i = !i) {
		while (!atomic_load_explicit(&full[i], memory_order_acquire))
			sched_yield();
		memset(chunks[i], 0, CHUNK);
		atomic_store_explicit(&full[i], 0, memory_order_release);
	}
	return unused;
}

static void record_in_chunks(uint64_t count)
{
	static unsigned chunk;
	static uint32_t at;

	for (uint64_t i = 0; i < count; i++) {
		if (at + RECORD > CHUNK) {
			atomic_store_explicit(&full[chunk], is_cleared, memory_order_release);
			chunk = !chunk;
			at = 0;
			while (atomic_load_explicit(&full[chunk], memory_order_acquire))
				;
		}
		record_store((uint64_t *)(void *)(chunks[chunk] + at), i);
		at += RECORD;
	}
}

/* --- new pages: made as many at a time as a chunk has, by one system call */

static double ticks_of_new(uint64_t bytes, uint64_t count)
{
	const uint64_t each = CHUNK / bytes, size = (count / each + 1) * CHUNK;
	char *memory = bench_new_memory(size);

	if (!memory)
		return 0;
	uint64_t began = tl_counter();
	for (uint64_t i = 0; i < count; i++) {
		char *chunk = memory + i / each * CHUNK;

		if (i % each == 0)
			bench_populate(chunk, CHUNK);
		uint64_t *record = (uint64_t *)(void *)(chunk + i % each * bytes),
			 start = tl_counter();
		sink = plain_none();
		record[0] = 1;
		record[1] = start;
		record[2] = tl_counter() - start;
		for (uint64_t word = 3; word < bytes / 8; word++)
			record[word] = (uint64_t)sink;
	}
	return (double)(tl_counter() - began) / (double)count;
}

int main(int argc, char **argv)
{
	struct bench_way ways[] = {{.work = bare},
				   {.work = floor_of_all},
				   {.work = record_in_chunks, .rest_us = 1000}};
	pthread_t other; /* on the first core; this one is on the last */

	if (argc != 4) {
		fprintf(stderr,
			"usage: bench_limit warm|cleared|additions|new TURNS|BYTES COUNT\n");
		return 2;
	}
	uint64_t size = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
	is_cleared = !strcmp(argv[1], "cleared");
	if (!strcmp(argv[1], "additions"))
		ways[2] = (struct bench_way){.work = floor_and_additions};
	bench_ticks_per_ns();
	if (is_cleared && pthread_create(&other, NULL, chunks_clear, NULL) != 0)
		return 1;
	bench_pin();
	if (!strcmp(argv[1], "new")) {
		bench_measure(ways, 2, 9, 20000);
		ways[2].ticks = size < 32 ? 0 : ticks_of_new(size, count);
	} else {
		bench_measure(ways, 3, (unsigned)size, count);
	}
	double scale = 1 / bench_ticks_per_ns();
	printf("%.3f %.3f %.3f\n", ways[0].ticks * scale, ways[1].ticks * scale,
	       ways[2].ticks * scale);
	return 0;
}
