/* SPDX-License-Identifier: MIT */
/*
 * profile_sampler.h: takes samples of processes at a frequency, until they have ended or
 * .over is set.
 */
#ifndef TL_CLI_PROFILE_PROFILE_SAMPLER_H
#define TL_CLI_PROFILE_PROFILE_SAMPLER_H

#include <dirent.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/profile/profile.h"

/* The memory that launcher and sampler share. */
struct shared {
	_Atomic bool over; /* the program has ended */
};

struct sampler {
	unsigned hz;
	double seconds; /* 0: until the end */
	struct profiled profiled;
	struct watched **processes;
	size_t nprocesses, seen;
	struct watched *looked_at;
	DIR *reports;		     /* the folder; NULL: none */
	const struct shared *shared; /* NULL: no program was started */
	pid_t launcher;
	uint64_t periods; /* how many periods the current pass counts for */
	/*
	 * when these begin. Runs start there, not at the look, which may be late, so that a thread's
	 * runs do not overlap
	 */
	uint64_t first_period;
	uint64_t now, reports_read;
	bool orphan; /* the launcher was killed */
};

/* The sampler owns the process from now on. */
void sampler_add_process(struct sampler *sampler, struct watched *process);

/* Samples until the time is over, all processes have ended, or sampler_interrupt() was called. */
void sampler_run(struct sampler *sampler);

/* Ends sampler_run(). A signal handler. */
void sampler_interrupt(int number);

/*
 * Closes processes that still run. Deletes the buffers of those that are dead and have recorded
 * nothing.
 */
void sampler_close_processes(struct sampler *sampler);

void sampler_free(struct sampler *sampler);

#endif
