/*
 * bench_threads: recording by two threads on two cores at once, against one of them alone. Prints one line:
 *
 *	both one		million calls a second: of both together, and of the one alone
 *
 *	bench_threads TURNS COUNT
 *
 * Turns begin at set times: alone in every other turn, the two together in those between. In the pauses what was recorded gets written.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/callee.h"
#include "bench/harness.h"
#include "tracelayer/shim.h"

#define TURNS_MAX 512
#define TURN_NS 5000000
#define SPIN_NS 300000		/* before a turn: awake, so that both begin together */

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
	struct timespec at = { (time_t)(early / 1000000000), (long)(early % 1000000000) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	while (now_ns() < ns)
		;
}

static void calls(uint64_t number)
{
	for (uint64_t i = 0; i < number; i++)
		bench_none();
}

static void *play(void *which)
{
	size_t me = which ? 1 : 0;

	calls(20000);
	bench_pin_to((int)me);
	for (unsigned turn = 0; turn < turns; turn++) {
		wait_until(first_turn_ns + (uint64_t)turn * TURN_NS);
		if (me && turn % 2 == 0)
			continue;
		calls(100);
		uint64_t start = now_ns();
		calls(count);
		taken[me][turn] = (double)(now_ns() - start);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static double alone[TURNS_MAX], both[TURNS_MAX];
	pthread_t other;
	unsigned pairs = argc == 3 ? (unsigned)atoi(argv[1]) : 0;

	if (pairs < 1 || pairs > TURNS_MAX / 2) {
		fprintf(stderr, "usage: bench_threads TURNS COUNT\n");
		return 2;
	}
	turns = 2 * pairs;
	count = strtoull(argv[2], NULL, 10);
	first_turn_ns = now_ns() + 50000000;
	if (pthread_create(&other, NULL, play, taken[1]) != 0) {
		perror("bench_threads: no second thread");
		return 1;
	}
	play(NULL);
	pthread_join(other, NULL);
	for (unsigned i = 0; i < pairs; i++) {
		const double mine = taken[0][2 * i + 1], its = taken[1][2 * i + 1];
		alone[i] = taken[0][2 * i];
		both[i] = mine > its ? mine : its;
	}
	printf("%.3f %.3f\n", 2e3 * (double)count / bench_median(both, pairs), 1e3 * (double)count / bench_median(alone, pairs));
	return 0;
}
