/* SPDX-License-Identifier: MIT */
/*
 * phase_threads.h: the threads and processes of a trace, which the first pass finds. Which of them
 * are of interest is known only after the last row.
 */
#ifndef TL_CLI_PHASES_PHASE_THREADS_H
#define TL_CLI_PHASES_PHASE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/basics/basics.h"
#include "cli/systrace/systrace.h"

struct thread {
	/* of its last row; 0 while none is known. A text that is no number is here by its hash. */
	uint64_t process;
	uint64_t tracked_process; /* of its last mark of interest */
	char *task;		  /* the name in its last row; NULL: names are not kept */
	uint32_t tracker;	  /* 1 + its place among the tracked ones; 0: not tracked */
	bool is_lost;		  /* a row of it did not name its process, */
	uint64_t lost_offset;	  /* first here */
};

struct threads {
	struct numbers numbers;
	struct thread *list; /* by place */
	size_t room;
	/* threads whose marks are of interest, in the order in which they were found to be */
	struct numbers tracked;
	struct numbers drivers; /* processes */
	bool has_runtime;	/* some mark is of NNAPI's runtime */
	bool keeps_tasks;	/* names are wanted */
	/* the place of the last row's thread: the next row's is mostly the same */
	uint32_t last;
};

/* A row of the first pass. */
void threads_row(struct threads *threads, const struct row *row);

/* The place among the tracked ones; NO_NUMBER: it is none. */
uint32_t threads_tracked(struct threads *threads, uint64_t thread);

/* Call it between the passes. */
bool threads_is_driver(const struct threads *threads, uint32_t tracked);
const struct thread *threads_at(const struct threads *threads, uint32_t tracked);

/* The number of a tracked thread's process; 0: it is known by a text. */
uint64_t threads_process(const struct thread *thread);

/* The name of the thread of this number; NULL: not known. */
const char *threads_task(const struct threads *threads, uint64_t number);

void threads_free(struct threads *threads);

#endif
