/* SPDX-License-Identifier: MIT */
/*
 * xpti_bench.h: the parts of tracelayer-xpti-bench.
 *
 * Each dispatcher is loaded into processes of its own, one for every number of threads and round:
 * its tables are empty there, and if it dies, only that process does. In such a process one of the
 * two functions at the end runs, and what it puts into its result goes back through a pipe.
 */
#ifndef TL_XPTI_BENCH_XPTI_BENCH_H
#define TL_XPTI_BENCH_XPTI_BENCH_H

#include <stdbool.h>
#include <stdint.h>

enum bench_row {
	BENCH_INSERT,
	BENCH_LOOKUP,
	BENCH_INSERT_LOOKUP,
	BENCH_CREATE,
	BENCH_RECREATE,
	BENCH_FIND,
	BENCH_NOTIFY_OFF,
	BENCH_NOTIFY_1,
	BENCH_NOTIFY_4,
	BENCH_COMPOSITE_OFF,
	BENCH_COMPOSITE_ON,
	BENCH_PROBE,
	BENCH_ROWS,
};

enum { BENCH_STRINGS = 1000 };
enum { BENCH_TESTS = 3 }; /* that there are of a type, at most; from 1 */

struct bench_plan {
	const char *dispatcher;
	unsigned threads; /* 0: the process's own thread does it */
	/* trace points, and how often any of them is visited in all */
	uint32_t points, visits;
	bool tests[BENCH_TESTS + 1];
};

struct bench_times {
	double ns[BENCH_ROWS]; /* of an operation; 0: not measured */
};

struct bench_verdict {
	uint32_t checked, wrong;
	char first[100]; /* what was wrong first */
};

struct bench_verdicts {
	struct bench_verdict tests[BENCH_TESTS + 1];
};

/* ---- bench_work.c: what is worked with, and by how many ---- */

struct bench_work {
	uint32_t points, visits;
	char **inserted; /* as many different names as points, but at least BENCH_STRINGS */
	char **inserted_later, **functions; /* as many as points, each */
	uint32_t *order;		    /* visits times a random point */
};

/* Always the same for the same numbers. Exits where there is no memory. */
void bench_work_make(struct bench_work *work, uint32_t points, uint32_t visits);

/* The part of a task that one thread does. */
typedef void bench_part(void *context, uint32_t from, uint32_t to);

struct bench_team;

/* Of 0 threads: who calls does it all. Exits where threads can't be had. */
struct bench_team *bench_team_make(unsigned threads);

/*
 * Divide what is from 0 to `count` among the threads. Returns the nanoseconds from the first one's
 * start to the last one's end.
 */
double bench_team_do(struct bench_team *team, bench_part *part, void *context, uint32_t count);

/* ---- bench_speed.c, bench_semantic.c ---- */

/* NULL, or why the dispatcher could not be used. */
const char *bench_speed(const struct bench_plan *plan, struct bench_times *times);
const char *bench_semantic(const struct bench_plan *plan, struct bench_verdicts *verdicts);

#endif
