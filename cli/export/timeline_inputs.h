/* SPDX-License-Identifier: MIT */
/*
 * timeline_inputs.h: the .tlt files that one output is made of: which processes wrote them, and by
 * which clock.
 *
 * A process may have several files, if its output was split. They follow each other.
 */
#ifndef TL_CLI_EXPORT_TIMELINE_INPUTS_H
#define TL_CLI_EXPORT_TIMELINE_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/basics/basics.h"
#include "cli/job/job.h"
#include "cli/read/selection.h"
#include "cli/export/timeline_clock.h"

/* A file. */
struct timeline_part {
	char *path;
	uint64_t last; /* tick of its last reading of the clock: the order of parts */
};

/* What tells processes apart: also those that were one process, before an exec. */
struct timeline_identity {
	char boot[sizeof(((struct tl_file_header *)NULL)->boot)];
	uint64_t pid_namespace, start_time, monotonic_ns, realtime_ns;
	uint32_t pid;
};

struct timeline_process {
	struct timeline_identity identity;
	char *program, *host;
	bool has_rank;
	int64_t rank;
	uint32_t world; /* of .worlds: whose ranks these are */
	size_t job;	/* 1 + the place of its folder in .jobs; 0: it lies in none */
	uint32_t pid;
	struct timeline_clock_name clock_name;
	struct timeline_pair begun, ended;
	bool has_ended;			    /* .ended is set */
	size_t clock_number;		    /* among all clocks */
	const struct timeline_clock *clock; /* NULL: its files do not say */
	int64_t shift;	 /* from its clock to the output's, in nanoseconds, but for the drift */
	bool is_resumed; /* it was paused: calls are missing */
	uint64_t events;
	uint64_t end; /* of its recording, by its clock */
	struct timeline_part *parts;
	size_t nparts;
};

/* Begins as zeros. */
struct timeline_inputs {
	struct timeline_process *list; /* by rank, host and pid */
	size_t count;
	struct numbers identities; /* hashes, while files are added; by place in .list */
	struct names
		worlds; /* each run of a program by a launcher, and each that MPI_Comm_spawn started */
	struct timeline_clocks clocks;
	struct job_ranks *jobs; /* one for each folder of a job */
	size_t njobs;
	uint64_t start;	 /* of the trace, by the output's clock: when the first process began */
	uint64_t events; /* of all that are selected */
	size_t unsound;	 /* files that can't be read */
};

/* From a process's clock to the output's, with its drift. Never goes backwards. */
uint64_t timeline_ns(const struct timeline_process *process, uint64_t ns);

/* The other way: the first time, by the process's clock, that is not before `ns`; 0 if that would be negative. */
uint64_t timeline_own_ns(const struct timeline_process *process, uint64_t ns);

/*
 * Adds a .tlt file, those of a step of a job (cli/job), or all of another folder. An exit code, after a message: EXIT_BROKEN if there is none
 * that can be read.
 */
int timeline_inputs_add(struct timeline_inputs *inputs, const char *path);

/* After all were added: sorts them, finds the output's clock, and leaves out what is not selected. */
void timeline_inputs_finish(struct timeline_inputs *inputs, const struct selection *selection);

void timeline_inputs_free(struct timeline_inputs *inputs);

#endif
