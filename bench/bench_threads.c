/* SPDX-License-Identifier: MIT */
/*
 * bench_threads: recording by two threads on two cores at once, compared with each thread alone.
 * Prints one line:
 *
 *	both one		million calls a second: of both together, and of one alone
 *
 *	bench_threads TURNS COUNT
 *
 * Turns begin at set times: one thread alone, the other alone, both together. What was recorded is
 * written in the pauses. "Both" counts what each does in a second while the other works, too. It
 * does not count COUNT calls in the time of the slower thread: that would add the noise of both.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/callee.h"
#include "bench/harness.h"
#include "tracelayer/shim.h"

#define TURNS_MAX 512
enum turn { FIRST_ALONE, SECOND_ALONE, TOGETHER, TURN_KINDS };
#define TURN_NS 5000000
#define SPIN_NS 300000 /* before a turn: awake, so that both begin together */

static unsigned turns;
static uint64_t count, first_turn_ns;
static double taken[2][TURNS_MAX];

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void wait_until(uint64_t ns)
{
	uint64_t early = ns - SPIN_NS;
	struct timespec at = {(time_t)(early / 1000000000), (long)(early % 1000000000)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	while (now_ns() < ns)
		;
}

static void calls_make(uint64_t number)
{
	for (uint64_t i = 0; i < number; i++)
		bench_none();
}

static void *thread_play(void *which)
{
	size_t me = which ? 1 : 0;

	calls_make(20000);
	bench_pin_to((int)me);
	for (unsigned turn = 0; turn < turns; turn++) {
		wait_until(first_turn_ns + (uint64_t)turn * TURN_NS);
		if (turn % TURN_KINDS == (me ? FIRST_ALONE : SECOND_ALONE))
			continue;
		calls_make(100);
		uint64_t start = now_ns();
		calls_make(count);
		taken[me][turn] = (double)(now_ns() - start);
	}
	return NULL;
}

/* Million calls a second. */
static double calls_rate(int thread, enum turn kind)
{
	double times[TURNS_MAX];
	size_t number = 0;

	for (unsigned turn = kind; turn < turns; turn += TURN_KINDS)
		times[number++] = taken[thread][turn];
	return 1e3 * (double)count / bench_median(times, number);
}

int main(int argc, char **argv)
{
	pthread_t other;
	unsigned each = argc == 3 ? (unsigned)atoi(argv[1]) : 0;

	if (each < 1 || each > TURNS_MAX / TURN_KINDS) {
		fprintf(stderr, "usage: bench_threads TURNS COUNT\n");
		return 2;
	}
	turns = TURN_KINDS * each;
	count = strtoull(argv[2], NULL, 10);
	first_turn_ns = now_ns() + 50000000;
	if (pthread_create(&other, NULL, thread_play, taken[1]) != 0) {
		perror("bench_threads: no second thread");
		return 1;
	}
	thread_play(NULL);
	pthread_join(other, NULL);
	printf("%.3f %.3f\n", calls_rate(0, TOGETHER) + calls_rate(1, TOGETHER),
	       (calls_rate(0, FIRST_ALONE) + calls_rate(1, SECOND_ALONE)) / 2);
	return 0;
}
