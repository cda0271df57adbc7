/* SPDX-License-Identifier: MIT */
/*
 * harness.c: turns, medians and the floor of the benchmarks; see harness.h.
 */
#include "bench/harness.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tracelayer/shim.h"

#define TURNS_MAX 1024

uint64_t bench_floor_buffer[BENCH_FLOOR_WORDS];
uint64_t bench_floor_at;

/* The core of that number among those that the process may use; less: the last. */
static int core_of(const cpu_set_t *set, int number)
{
	int last = -1;

	for (int core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET(core, set)) {
			last = core;
			if (number-- == 0)
				break;
		}
	return last;
}

cpu_set_t bench_core(int number)
{
	cpu_set_t all, one;

	CPU_ZERO(&one);
	if (sched_getaffinity(0, sizeof(all), &all) == 0)
		CPU_SET(core_of(&all, number), &one);
	return one;
}

void bench_pin_to(int number)
{
	cpu_set_t core = bench_core(number);

	if (sched_setaffinity(0, sizeof(core), &core) != 0)
		perror("bench: not pinned to a core");
}

void bench_pin(void)
{
	bench_pin_to(-1);
}

static int values_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *values, size_t number)
{
	qsort(values, number, sizeof(*values), values_compare);
	return number % 2 ? values[number / 2] : (values[number / 2 - 1] + values[number / 2]) / 2;
}

static void order_shuffle(size_t *order, size_t number)
{
	for (size_t i = number; i > 1; i--) {
		size_t j = (size_t)rand() % i, other = order[j];
		order[j] = order[i - 1];
		order[i - 1] = other;
	}
}

static double one_turn(const struct bench_way *way, uint64_t count)
{
	way->work(count / 16 + 1); /* warm again after a rest, or after another way */
	uint64_t start = tl_counter();
	way->work(count);
	uint64_t end = tl_counter();
	if (way->rest_us)
		usleep((useconds_t)way->rest_us);
	return (double)(end - start) / (double)count;
}

void bench_measure(struct bench_way *ways, size_t number, unsigned turns, uint64_t count)
{
	static double ticks[BENCH_WAYS_MAX][TURNS_MAX];
	size_t order[BENCH_WAYS_MAX];

	if (number > BENCH_WAYS_MAX || turns > TURNS_MAX)
		abort();
	for (size_t i = 0; i < number; i++)
		order[i] = i;
	srand((unsigned)tl_counter());
	for (unsigned turn = 0; turn < turns; turn++) {
		order_shuffle(order, number);
		for (size_t i = 0; i < number; i++)
			ticks[order[i]][turn] = one_turn(&ways[order[i]], count);
	}
	for (size_t i = 0; i < number; i++)
		ways[i].ticks = bench_median(ticks[i], turns);
}

double bench_ticks_per_ns(void)
{
	static uint64_t first_ticks, first_ns;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t ticks = tl_counter(),
		 ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (!first_ns) {
		first_ticks = ticks;
		first_ns = ns;
		return 0;
	}
	return (double)(ticks - first_ticks) / (double)(ns - first_ns);
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

char *bench_new_memory(size_t size)
{
	char name[] = "/dev/shm/bench.XXXXXX";
	int fd = mkstemp(name);

	if (fd < 0 || unlink(name) != 0 || ftruncate(fd, (off_t)size) != 0)
		return NULL;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void bench_populate(char *piece, size_t size)
{
	madvise(piece, size, MADV_POPULATE_WRITE);
}
