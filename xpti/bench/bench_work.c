/* SPDX-License-Identifier: MIT */
/*
 * bench_work.c: names, an order of visits, and a team of threads that work at the same time.
 */
#include "xpti/bench/bench_work.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- the work ---- */

static void *memory_or_exit(void *memory)
{
	if (memory)
		return memory;
	fputs("tracelayer: tracelayer-xpti-bench: out of memory; take fewer trace points or threads\n",
	      stderr);
	exit(1);
}

/* splitmix64. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Names of random letters and a number, like those of the original's benchmark. */
static char **names_make(uint32_t count, unsigned letters, uint64_t *random)
{
	size_t room = letters + sizeof("4294967295");
	char **names = memory_or_exit(malloc(count * sizeof(*names))),
	     *at = memory_or_exit(malloc(count * room));

	for (uint32_t i = 0; i < count; i++, at += room) {
		names[i] = at;
		for (unsigned k = 0; k < letters; k++)
			at[k] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				[next_random(random) % 52];
		sprintf(&at[letters], "%u", i);
	}
	return names;
}

void bench_work_make(struct bench_work *work, uint32_t points, uint32_t visits)
{
	uint64_t random = 1;

	work->points = points;
	work->visits = visits;
	work->inserted = names_make(points < BENCH_STRINGS ? BENCH_STRINGS : points, 8, &random);
	work->inserted_later = names_make(points, 8, &random);
	work->functions = names_make(points, 5, &random);
	work->order = memory_or_exit(malloc(visits * sizeof(*work->order)));
	for (uint32_t i = 0; i < visits; i++)
		work->order[i] = (uint32_t)(next_random(&random) % points);
}

/* ---- the team ---- */

struct member {
	_Alignas(64) struct bench_team *team;
	unsigned number;
	uint64_t start, end;
};

struct bench_team {
	unsigned threads;
	struct member *members;
	pthread_barrier_t begin,
		done; /* they also order the caller's writes to the members below */
	bench_part *part;
	void *context;
	uint32_t count;
	_Alignas(64) _Atomic unsigned ready;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint32_t team_bound(const struct bench_team *team, unsigned number)
{
	return (uint32_t)((uint64_t)team->count * number / team->threads);
}

/* Threads that wake first wait here for the others, so that all start together. */
static void team_line_up(struct bench_team *team)
{
	unsigned tries = 0;

	atomic_fetch_add_explicit(&team->ready, 1, memory_order_relaxed);
	while (atomic_load_explicit(&team->ready, memory_order_relaxed) < team->threads)
		if (++tries % 256 == 0)
			sched_yield();
}

static void *member_works(void *member_)
{
	struct member *member = member_;
	struct bench_team *team = member->team;

	for (;;) {
		pthread_barrier_wait(&team->begin);
		uint32_t from = team_bound(team, member->number),
			 to = team_bound(team, member->number + 1);
		team_line_up(team);
		member->start = now_ns();
		team->part(team->context, from, to);
		member->end = now_ns();
		pthread_barrier_wait(&team->done);
	}
	return NULL;
}

struct bench_team *bench_team_make(unsigned threads)
{
	struct bench_team *team = memory_or_exit(aligned_alloc(64, sizeof(*team)));

	*team = (struct bench_team){.threads = threads};
	if (!threads)
		return team;
	team->members = memory_or_exit(aligned_alloc(64, threads * sizeof(*team->members)));
	pthread_barrier_init(&team->begin, NULL, threads + 1);
	pthread_barrier_init(&team->done, NULL, threads + 1);
	for (unsigned i = 0; i < threads; i++) {
		pthread_t thread;
		team->members[i] = (struct member){.team = team, .number = i};
		if (pthread_create(&thread, NULL, member_works, &team->members[i])) {
			fprintf(stderr,
				"tracelayer: tracelayer-xpti-bench: %u threads can't be started; take fewer\n",
				threads);
			exit(1);
		}
	}
	return team;
}

static double team_do_alone(bench_part *part, void *context, uint32_t count)
{
	uint64_t start = now_ns();

	part(context, 0, count);
	return (double)(now_ns() - start);
}

double bench_team_do(struct bench_team *team, bench_part *part, void *context, uint32_t count)
{
	uint64_t start = UINT64_MAX, end = 0;

	if (!team->threads)
		return team_do_alone(part, context, count);
	team->part = part;
	team->context = context;
	team->count = count;
	atomic_store_explicit(&team->ready, 0, memory_order_relaxed);
	pthread_barrier_wait(&team->begin);
	pthread_barrier_wait(&team->done);
	for (unsigned i = 0; i < team->threads; i++) {
		if (team->members[i].start < start)
			start = team->members[i].start;
		if (team->members[i].end > end)
			end = team->members[i].end;
	}
	return (double)(end - start);
}
