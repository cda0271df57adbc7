/* SPDX-License-Identifier: MIT */
/*
 * bench_plan.h: what one process of the benchmark has to do, and what it returns.
 *
 * Each dispatcher is loaded into processes of its own: one for each number of threads and each
 * round. So its tables are empty, and if it crashes, only that process dies. The process runs one of
 * the two functions at the end; its result goes back through a pipe.
 */
#ifndef TL_XPTI_BENCH_BENCH_PLAN_H
#define TL_XPTI_BENCH_BENCH_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/* The rows of the tables; the tables say what each is. */
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

enum { BENCH_TESTS = 3 }; /* tests of a type; numbered from 1 */

struct bench_plan {
	const char *dispatcher;
	unsigned threads; /* 0: serially, in the process's only thread */
	/* how many trace points, and how many visits to all of them */
	uint32_t points, visits;
	bool tests[BENCH_TESTS + 1];
};

struct bench_times {
	double ns[BENCH_ROWS]; /* of one operation; 0: not measured */
};

struct bench_verdict {
	uint32_t checked, wrong;
	char first[100]; /* the first check that failed */
};

struct bench_verdicts {
	struct bench_verdict tests[BENCH_TESTS + 1];
};

/* Run the tests of the plan. Returns NULL, or why the dispatcher can't be used. */
const char *bench_speed(const struct bench_plan *plan, struct bench_times *times);
const char *bench_semantic(const struct bench_plan *plan, struct bench_verdicts *verdicts);

#endif
