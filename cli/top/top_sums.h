/* SPDX-License-Identifier: MIT */
/*
 * top_sums.h: what processes did in an interval, by function, queue and thread.
 *
 * Where records were overwritten before they could be read, calls and times are estimated from those
 * of the same thread that were read, by their bytes.
 */
#ifndef TL_CLI_TOP_TOP_SUMS_H
#define TL_CLI_TOP_TOP_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/live/live.h"

/* A process that is looked at. */
struct top_process {
	struct live_records *records;
	uint32_t pid;
	uint64_t since; /* the interval's begin, by its clock */
	struct top_lane *lanes;
	size_t nlanes, last; /* last: the one that was asked for last */
	struct top_busy *busy;
	size_t nbusy;
	bool estimated; /* records were overwritten before they were read */
	bool ended;
};

struct top_function {
	const char *name;
	double calls, failed;
	double time;  /* nanoseconds in it, also of calls that began before or have not ended */
	double ended; /* nanoseconds that the ended calls took in all */
};

struct top_queue {
	const struct top_process *process;
	uint32_t lane;
	const char *name;
	double commands, busy, pending; /* pending: nanoseconds from submission to end, of all */
};

struct top_thread {
	const struct top_process *process;
	uint32_t tid;
	char name[16];
	double calls;
	double inside;	    /* nanoseconds in calls */
	const char *now;    /* the innermost open call; NULL: none */
	uint64_t now_since; /* how long it has been open, ns */
};

struct top_sums {
	double seconds; /* the interval */
	size_t processes;
	struct top_function *functions;
	size_t nfunctions;
	struct top_queue *queues;
	size_t nqueues;
	struct top_thread *threads;
	size_t nthreads;
	double calls, failed;
	bool estimated; /* records were overwritten before they were read */
};

/* Adds to the process's counts what it has recorded since the last look. */
void top_process_look(struct top_process *process);
void top_process_free(struct top_process *process);

/*
 * What the processes did since they were asked last; begins the next interval. Names are the
 * processes' records', which must stay open.
 */
void top_sums_take(struct top_sums *sums, struct top_process *processes, size_t count);
void top_sums_free(struct top_sums *sums);

#endif
