/* SPDX-License-Identifier: MIT */
/*
 * calls.c: makes traced calls, many or few, and leaves in one of several ways.
 *
 *	calls CALLS THREADS [WAY]
 *
 * WAY: return, exit, _exit, quick_exit, exec, pthread_exit, late (calls from an exit handler that
 * runs after all others), fork (both go on), wait (until its standard input ends, so that somebody
 * can look at it). It prints how many calls each process made.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "callee.h"

/* Set when all is set up. watcher.c looks at it. */
volatile int own_phase;

static long calls;

static void *make_calls(void *unused)
{
	struct bench_box box = {1, 2, 3, 4};

	for (long i = 0; i < calls; i++)
		i % 2 ? bench_four((uint64_t)i, 2, -3, 4) : bench_pointer((uint64_t)i, &box);
	return unused;
}

static void late(void)
{
	make_calls(NULL);
}

static void leave(const char *way, char **argv)
{
	char *again[] = {argv[0], "0", "1", NULL};

	if (!strcmp(way, "exit"))
		exit(0);
	if (!strcmp(way, "_exit"))
		_exit(0);
	if (!strcmp(way, "quick_exit"))
		quick_exit(0);
	if (!strcmp(way, "exec"))
		execv(argv[0], again);
	if (!strcmp(way, "pthread_exit"))
		pthread_exit(NULL);
	if (!strcmp(way, "wait"))
		while (getchar() != EOF)
			;
}

int main(int argc, char **argv)
{
	const char *way = argc > 3 ? argv[3] : "return";
	int count = argc > 2 ? atoi(argv[2]) : 1, status = 0;
	pthread_t threads[64];

	calls = argc > 1 ? atol(argv[1]) : 1;
	if (!strcmp(way, "late"))
		atexit(late);
	if (calls) {
		/* Each function once: from here on everything is known. */
		struct bench_box box = {1, 2, 3, 4};
		bench_four(1, 2, -3, 4);
		bench_pointer(1, &box);
	}
	if (count == 1)
		own_phase = 1;
	for (int i = 1; i < count; i++)
		pthread_create(&threads[i], NULL, make_calls, NULL);
	make_calls(NULL);
	for (int i = 1; i < count; i++)
		pthread_join(threads[i], NULL);
	own_phase = 1;
	if (!strcmp(way, "fork")) {
		own_phase = 0;
		fflush(NULL);
		pid_t child = fork();
		own_phase = child != 0;
		make_calls(NULL);
		own_phase = 1;
		if (child)
			waitpid(child, &status, 0);
	}
	printf("%ld calls in each of %d threads\n", calls, count);
	fflush(stdout);
	leave(way, argv);
	return status != 0;
}
