/* SPDX-License-Identifier: MIT */
/*
 * kill_target: a program that gets killed. Its threads make calls and count those that have
 * returned, in memory that it shares with the test (tests/buffers/kill.py), so that the test knows
 * what a trace of it must have, whenever it dies.
 *
 *	kill_target COUNTS [-t THREADS] [-n CALLS] [-f CHILDREN] [-d DEPTH] [-x] [-s SIGNAL] [-l]
 *
 *	-t N	threads (4)
 *	-n N	calls in each; without it they never end
 *	-f N	children that do the same (forked before any call)
 *	-d N	afterwards each thread makes N calls, one inside the other, and stays in the
 *		innermost
 *	-x	afterwards the process becomes this program again, which goes on to count a while
 *	-s N	afterwards it dies by that signal, in the way that such a signal comes about
 *	-l	the first thread of the process ends, and the others go on
 *
 * COUNTS is a file of struct counts. Process p (0: the first, then the children; with -x, the
 * program that it becomes) has the threads from 4 p on.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kill_callee.h"

#define PROCESSES 16u
#define THREADS	  4u
#define AGAIN	  "20000" /* calls of a thread after -x */

struct count {
	_Alignas(64) _Atomic uint64_t returned;
};

struct counts {
	_Atomic uint32_t pid[PROCESSES];
	struct count thread[PROCESSES * THREADS];
};

static struct counts *counts;
static unsigned process, threads = THREADS;
static uint64_t calls = UINT64_MAX;
static uint32_t depth;
static pthread_barrier_t done;

static void call(uint64_t n, uint32_t thread)
{
	char text[64];

	if (n % 8 != 7) {
		kill_step(n, thread, -(int)thread, 3 * n);
		return;
	}
	snprintf(text, sizeof(text), "call %llu of thread %u", (unsigned long long)n, thread);
	kill_text(n, thread, text);
}

/* Release: whoever sees the count finds the call's record. */
static void tell_returned(uint32_t thread, uint64_t n)
{
	atomic_store_explicit(&counts->thread[thread].returned, n, memory_order_release);
}

static void go_deeper(uint32_t left, uint32_t thread)
{
	if (left)
		kill_within(left - 1, thread, go_deeper);
	else
		tell_returned(thread, calls);
	pthread_barrier_wait(&done);
	for (;;)
		pause();
}

static void *work(void *argument)
{
	uint32_t thread = process * THREADS + (uint32_t)(uintptr_t)argument;

	for (uint64_t n = 0; n < calls; n++) {
		call(n, thread);
		/* The last one is told of when the open calls are there, too. */
		if (n + 1 < calls || !depth)
			tell_returned(thread, n + 1);
	}
	if (depth)
		kill_within(depth - 1, thread, go_deeper);
	pthread_barrier_wait(&done);
	for (;;)
		pause();
	return NULL;
}

/* Dead by that signal, as programs die of it. */
static void die(int signal)
{
	int ends[2];

	switch (signal) {
	case SIGABRT:
		abort();
	case SIGSEGV:
		*(volatile int *)NULL = 0;
		break;
	case SIGPIPE:
		if (!pipe(ends) && !close(ends[0]))
			while (write(ends[1], "x", 1) > 0)
				;
		break;
	default:
		kill(getpid(), signal);
	}
}

static void fork_children(unsigned children)
{
	for (unsigned child = 1; child <= children; child++)
		if (!fork()) {
			process = child;
			return;
		}
}

static void start(pthread_t *thread)
{
	counts->pid[process] = (uint32_t)getpid();
	for (uintptr_t i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)i))
			exit(2);
}

int main(int argc, char **argv)
{
	int option, signal = 0, fd = argc > 1 ? open(argv[1], O_RDWR) : -1;
	pthread_t thread[THREADS];
	unsigned children = 0;
	bool again = false, leave = false;

	optind = 2;
	while ((option = getopt(argc, argv, "t:n:f:d:xs:lp:")) != -1) {
		switch (option) {
		case 't':
			threads = (unsigned)atoi(optarg);
			break;
		case 'n':
			calls = strtoull(optarg, NULL, 10);
			break;
		case 'f':
			children = (unsigned)atoi(optarg);
			break;
		case 'd':
			depth = (uint32_t)atoi(optarg);
			break;
		case 'x':
			again = true;
			break;
		case 's':
			signal = atoi(optarg);
			break;
		case 'l':
			leave = true;
			break;
		case 'p':
			process = (unsigned)atoi(optarg);
			break;
		default:
			return 2;
		}
	}
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED || threads > THREADS || children >= PROCESSES ||
	    process >= PROCESSES)
		return 2;
	fork_children(children);
	pthread_barrier_init(&done, NULL, threads + 1);
	start(thread);
	if (leave)
		pthread_exit(NULL);
	pthread_barrier_wait(&done);
	if (again) {
		char next[16];
		snprintf(next, sizeof(next), "%u", process + 1);
		execl("/proc/self/exe", argv[0], argv[1], "-p", next, "-n", AGAIN, NULL);
	}
	if (signal)
		die(signal);
	for (;;)
		pause();
}
