/* SPDX-License-Identifier: MIT */
/*
 * bench_call: what one call costs in this process, with the settings of its environment. Prints one
 * line:
 *
 *	bare floor row		nanoseconds of a call: of the function itself, of the floor, and of
 *				the call by the name that has a shim
 *
 *	bench_call SHAPE TURNS COUNT [US]	SHAPE is none, one, four or pointer: a function of
 *						callee.h; deep: none, from 10 frames. US: microseconds of rest after each turn
 *						of calls (default: 1000)
 *	bench_call SHAPE sustained COUNT	one turn of COUNT calls, without a rest
 *	bench_call SHAPE first COUNT		COUNT calls after the first one of the process,
 *						whose buffers nobody has written to before
 *	bench_call SHAPE fresh COUNT		the limit of that: as the floor, but each record goes
 *						to a page of /dev/shm that nobody has written to
 *	bench_call SHAPE every COUNT NS		COUNT calls, one every NS nanoseconds, as evenly as
 *						possible. The row is what each took; the floor is
 *						not measured and printed as 0
 *
 * The floor is the function itself between two reads of the counter, and storing a 32-byte record.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/harness.h"
#include "bench/plain.h"
#include "tracelayer/shim.h"

/*
 * The function itself, called through the PLT as usual; through a pointer where another tracer
 * would trace the PLT call.
 */
#ifdef BENCH_BY_POINTER
static int (*volatile plain_none_at)(void) = plain_none;
static int (*volatile plain_one_at)(uint64_t) = plain_one;
static int (*volatile plain_four_at)(uint64_t, uint32_t, int, uint64_t) = plain_four;
static int (*volatile plain_pointer_at)(uint64_t, const struct bench_box *) = plain_pointer;
#define PLAIN(name) plain_##name##_at
#else
#define PLAIN(name) plain_##name
#endif

static volatile int sink;
static const struct bench_box box = {640, 480, 32, 1};

#ifdef BENCH_PEER
/* Another tracer's way to record the call: around the function itself. */
#include BENCH_PEER
#else
#define PEER_ENTRY(name)
#define PEER_EXIT(name, result)
#endif

#define SHAPE(name, ...)                                                                           \
	static void bare_##name(uint64_t count)                                                    \
	{                                                                                          \
		for (uint64_t i = 0; i < count; i++)                                               \
			sink = PLAIN(name)(__VA_ARGS__);                                           \
	}                                                                                          \
	static void floor_##name(uint64_t count)                                                   \
	{                                                                                          \
		for (uint64_t i = 0; i < count; i++) {                                             \
			uint64_t start = tl_counter();                                             \
			int result = PLAIN(name)(__VA_ARGS__);                                     \
			bench_floor_store(1, start, tl_counter(), (uint64_t)result);               \
			sink = result;                                                             \
		}                                                                                  \
	}                                                                                          \
	static void call_##name(uint64_t count)                                                    \
	{                                                                                          \
		for (uint64_t i = 0; i < count; i++) {                                             \
			PEER_ENTRY(name);                                                          \
			int result = TARGET(name)(__VA_ARGS__);                                    \
			PEER_EXIT(name, result);                                                   \
			sink = result;                                                             \
		}                                                                                  \
	}

#ifdef BENCH_PEER
#define TARGET(name) PLAIN(name)
#else
#define TARGET(name) bench_##name
#endif

SHAPE(none)
SHAPE(one, i)
SHAPE(four, i, 2, -3, i)
SHAPE(pointer, i, &box)

/* The function without arguments, called from a stack of 10 frames, the C library's among them. */
static __attribute__((noinline)) void go_deeper(bench_work *work, uint64_t count, unsigned depth)
{
	if (depth)
		go_deeper(work, count, depth - 1);
	else
		work(count);
	__asm__ volatile("" : : : "memory");
}

#define DEEP(kind)                                                                                 \
	static void kind##_deep(uint64_t count)                                                    \
	{                                                                                          \
		go_deeper(kind##_none, count, 2);                                                  \
		__asm__ volatile("" : : : "memory");                                               \
	}
DEEP(bare)
DEEP(floor)
DEEP(call)

static const struct shape {
	const char *name;
	bench_work *bare, *floor, *call;
} shapes[] = {
	{"none", bare_none, floor_none, call_none},
	{"one", bare_one, floor_one, call_one},
	{"four", bare_four, floor_four, call_four},
	{"pointer", bare_pointer, floor_pointer, call_pointer},
	{"deep", bare_deep, floor_deep, call_deep},
};

static const struct shape *shape_named(const char *name)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (strcmp(shapes[i].name, name) == 0)
			return &shapes[i];
	fprintf(stderr, "bench_call: no shape \"%s\"; there are none, one, four, pointer, deep\n",
		name);
	exit(2);
}

/* Few at a time, each lot when it is due. A lot that is late is made at once. */
static double ticks_of_paced(bench_work *work, uint64_t count, double ticks_each)
{
	const uint64_t lot = 50, first = tl_counter();

	for (uint64_t done = 0; done < count; done += lot) {
		const uint64_t due = first + (uint64_t)((double)done * ticks_each);
		while (tl_counter() < due)
			;
		work(lot);
	}
	return (double)(tl_counter() - first) / (double)count;
}

static double ticks_of(bench_work *work, uint64_t count)
{
	uint64_t start = tl_counter();

	work(count);
	return (double)(tl_counter() - start) / (double)count;
}

/* Pages are made many at a time, by one system call, before records are stored in them. */
#define FRESH (256u * 1024)

static double ticks_of_fresh(uint64_t count)
{
	const uint64_t size = (count * 32 + FRESH - 1) / FRESH * FRESH;
	char *memory = bench_new_memory(size);

	if (!memory)
		return 0;
	uint64_t began = tl_counter();
	for (uint64_t i = 0; i < count; i++) {
		uint64_t *record = (uint64_t *)(void *)(memory + i * 32), start;

		if (i * 32 % FRESH == 0)
			bench_populate(memory + i * 32, FRESH);
		start = tl_counter();
		sink = PLAIN(none)();
		record[0] = 1;
		record[1] = start;
		record[2] = tl_counter() - start;
		record[3] = (uint64_t)sink;
	}
	return (double)(tl_counter() - began) / (double)count;
}

static int paced(const struct shape *shape, uint64_t count, double ns)
{
	bench_ticks_per_ns();
	shape->call(20000);
	bench_pin();
	const double scale = bench_ticks_per_ns();
	const double ticks = ticks_of_paced(shape->call, count, ns * scale);
	printf("0 0 %.3f\n", ticks / scale);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 4 || argc > 5) {
		fprintf(stderr,
			"usage: bench_call SHAPE TURNS|sustained|first|fresh|every COUNT [US|NS]\n");
		return 2;
	}
	const struct shape *shape = shape_named(argv[1]);
	bool first = strcmp(argv[2], "first") == 0, sustained = strcmp(argv[2], "sustained") == 0,
	     fresh = strcmp(argv[2], "fresh") == 0, once = first || sustained || fresh;
	unsigned turns = once ? 9 : (unsigned)strtoul(argv[2], NULL, 10);
	uint64_t count = strtoull(argv[3], NULL, 10);
	unsigned rest_us = argc == 5 ? (unsigned)strtoul(argv[4], NULL, 10) : 1000;
	struct bench_way ways[] = {{.work = shape->bare},
				   {.work = shape->floor},
				   {.work = shape->call, .rest_us = rest_us}};

	if (strcmp(argv[2], "every") == 0)
		return paced(shape, count, argc == 5 ? strtod(argv[4], NULL) : 100);

	bench_ticks_per_ns();
	if (first) {
		bench_pin();
		shape->call(1);
		ways[2].ticks = ticks_of(shape->call, count);
	}
	/*
	 * Where the recorder has a thread of its own, it starts before this one is pinned, and goes
	 * to another core. It gets time for that: it takes over where this thread may run.
	 */
	if (!first && !fresh) {
		shape->call(20000);
		usleep(10000);
	}
	bench_pin();
	bench_measure(ways, once ? 2 : 3, turns, once ? 20000 : count);
	if (fresh)
		ways[2].ticks = ticks_of_fresh(count);
	if (sustained)
		ways[2].ticks = ticks_of(shape->call, count);
	double scale = 1 / bench_ticks_per_ns();
	printf("%.3f %.3f %.3f\n", ways[0].ticks * scale, ways[1].ticks * scale,
	       ways[2].ticks * scale);
	return 0;
}
