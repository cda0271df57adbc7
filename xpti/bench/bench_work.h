/* SPDX-License-Identifier: MIT */
/*
 * bench_work.h: the work of the benchmark (names, and an order of visits), and a team of threads
 * that does it.
 */
#ifndef TL_XPTI_BENCH_BENCH_WORK_H
#define TL_XPTI_BENCH_BENCH_WORK_H

#include <stdint.h>

enum { BENCH_STRINGS = 1000 };

struct bench_work {
	uint32_t points, visits;
	char **inserted; /* as many different names as points, at least BENCH_STRINGS */
	char **inserted_later, **functions; /* each as many as points */
	uint32_t *order;		    /* a random point for each visit */
};

/* The same numbers always give the same work. Exits where memory is short. */
void bench_work_make(struct bench_work *work, uint32_t points, uint32_t visits);

/* The part of a task that one thread does: from `from` up to `to`, exclusive. */
typedef void bench_part(void *context, uint32_t from, uint32_t to);

struct bench_team;

/* `threads` 0: the caller does all the work. Exits where a thread can't be started. */
struct bench_team *bench_team_make(unsigned threads);

/*
 * Divide the range from 0 to `count` among the threads. Returns the nanoseconds from the start of
 * the first thread to the end of the last one.
 */
double bench_team_do(struct bench_team *team, bench_part *part, void *context, uint32_t count);

#endif
