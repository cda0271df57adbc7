/* SPDX-License-Identifier: MIT */
/*
 * clock_brackets: traced calls, and what CLOCK_MONOTONIC was right before and right behind each.
 * tests/buffers/clock.sh compares the trace with it.
 *
 *	clock_brackets SECONDS FILE [few]	FILE gets a line "number before after" for some of
 *						the calls: their argument, and nanoseconds
 *
 * Calls come as programs make them: now and then, for a while one by one, and many at once, so that
 * the layer's writer has some work and some rest. With few, there are never many at once, so there
 * is no writer; but each call has a pointer that is followed.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/callee.h"

static bool few;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Of a few calls the one whose bracket is narrowest. */
static void call(FILE *file)
{
	static const struct bench_box box;
	static uint64_t number;
	uint64_t best = 0, best_before = 0, best_after = UINT64_MAX;

	for (int i = 0; i < 10; i++) {
		uint64_t before = now();
		number++;
		if (few)
			bench_pointer(number, &box);
		else
			bench_one(number);
		uint64_t after = now();
		if (after - before < best_after - best_before) {
			best = number;
			best_before = before;
			best_after = after;
		}
	}
	fprintf(file, "%llu %llu %llu\n", (unsigned long long)best, (unsigned long long)best_before,
		(unsigned long long)best_after);
}

/* So many that chunks are handed over. */
static void many(void)
{
	for (int i = 0; !few && i < 20000; i++)
		bench_none();
}

static void rest(unsigned ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000L};

	nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 3 || argc == 4 ? fopen(argv[2], "w") : NULL;

	if (!file) {
		fprintf(stderr, "usage: clock_brackets SECONDS FILE [few]\n");
		return 2;
	}
	few = argc == 4;
	uint64_t end = now() + strtoull(argv[1], NULL, 10) * 1000000000;
	/*
	 * The layer's writer starts with the first chunk; without it there are no pairs of clocks
	 * but at the first call and at the end.
	 */
	many();
	while (now() < end) {
		call(file);
		if (rand() % 150 == 0)
			many();
		call(file);
		rest(rand() % 100 ? (unsigned)rand() % (few ? 60 : 20) : (unsigned)rand() % 1200);
	}
	return fclose(file) != 0;
}
