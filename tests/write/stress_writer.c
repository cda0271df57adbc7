/* SPDX-License-Identifier: MIT */
/*
 * stress_writer.c: producers, threads that come and go, threads that ask for the file's end, and
 * the real writer with its thread, in little memory. Prints how many calls were made while
 * recording was on, which is how many events the files must have.
 *
 *	stress_writer SECONDS [CALLS]
 *
 * It ends earlier once so many calls were made.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "layer/write/writer.h"
#include "tests/lib/core_doubles.h"

static _Atomic bool stop;
static _Atomic uint64_t calls;

static void call(uint64_t count)
{
	char copy[16];

	for (uint64_t i = 0; i < count; i++) {
		if (i % 8)
			toy_add((int)i, (int64_t)i);
		else
			toy_name("name", copy, sizeof(copy));
	}
	atomic_fetch_add_explicit(&calls, count, memory_order_relaxed);
}

static void *produce(void *unused)
{
	while (!atomic_load_explicit(&stop, memory_order_relaxed))
		call(5000);
	return unused;
}

static void *call_little(void *unused)
{
	call(40);
	return unused;
}

static void *come_and_go(void *unused)
{
	pthread_t thread;

	while (!atomic_load_explicit(&stop, memory_order_relaxed))
		if (!pthread_create(&thread, NULL, call_little, NULL))
			pthread_join(thread, NULL);
	return unused;
}

static void *finish(void *unused)
{
	while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
		tl_writer_finish();
		usleep(5000);
	}
	return unused;
}

int main(int argc, char **argv)
{
	static void *(*const runs[])(void *) = {produce,     produce, produce,
						come_and_go, finish,  finish};
	enum { THREADS = sizeof(runs) / sizeof(*runs) };
	pthread_t threads[THREADS];
	uint64_t most = argc > 2 ? strtoull(argv[2], NULL, 10) : UINT64_MAX;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, runs[i], NULL))
			return 1;
	for (int turns = 100 * (argc > 1 ? atoi(argv[1]) : 1);
	     turns > 0 && atomic_load_explicit(&calls, memory_order_relaxed) < most; turns--)
		usleep(10000);
	atomic_store_explicit(&stop, true, memory_order_relaxed);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%llu\n", (unsigned long long)atomic_load(&calls));
	return 0;
}
