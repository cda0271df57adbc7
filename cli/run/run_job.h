/* SPDX-License-Identifier: MIT */
/*
 * run_job.h: `tracelayer run` as a part of a job: what a launcher told this process, and the job's
 * folder (--job).
 */
#ifndef TL_CLI_RUN_RUN_JOB_H
#define TL_CLI_RUN_RUN_JOB_H

#include <stdbool.h>

#include "cli/run/program_path.h"
#include "common/launcher.h"
#include "common/output.h"
#include "common/settings.h"

struct run_job {
	struct tl_launched launched;
	/* of the step; set where --job is given, and the program is no launcher */
	char folder[PATH_MAX];
	char host[TL_OUTPUT_HOST]; /* as it stands in files' names */
	bool summary;		   /* --job with --summary */
};

/* The path from / on, in memory of its own; NULL: it can't be found. */
char *run_folder_absolute(const char *folder);

/*
 * Reads what the launcher told, and makes the folders of --job and --buffers. With --job, settles
 * config->output. False after a message: a folder can't be made.
 */
bool run_job_prepare(struct run_job *job, struct tl_config *config, const struct program *program);

/* --ranks leaves this process out: the program is to run untouched. */
bool run_job_leaves_out(const struct run_job *job, const struct tl_config *config);

/*
 * The program has ended and its traces are whole: with --job, makes the sum of each beside it, and
 * with --summary, in one process of the job, prints the job's tables on standard error.
 */
void run_job_sum(const struct run_job *job, const char *trace);
void run_job_end(const struct run_job *job, const char *step);

/* The same where the program has recorded nothing. */
void run_job_nothing(const struct run_job *job);

/* Whether this process tells the user that all went well: one of a job's does. */
bool run_job_speaks(const struct run_job *job, const struct tl_config *config);

#endif
