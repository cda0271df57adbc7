/* SPDX-License-Identifier: MIT */
/*
 * job_folder.h: the files of one step of a job: DIR/JOB.STEP/HOST/RANK.tlt, RANK.N.tlt of a rank's
 * further processes, none.PID.tlt of a process without a rank, and the .sum beside each.
 */
#ifndef TL_CLI_JOB_JOB_FOLDER_H
#define TL_CLI_JOB_JOB_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the job's folder: a line for each folder that its processes' buffers may lie in. */
#define JOB_BUFFERS ".buffers"

/* In a host's folder, under some launchers: a link whose target names the run that made it. */
#define JOB_STARTER ".starter"

struct job_file {
	char *path; /* of the .tlt, also where there is only the .sum */
	const char *host;
	size_t host_number; /* in .hosts */
	int64_t rank;	    /* -1: none */
	uint32_t child;	    /* N of RANK.N.tlt; 0: the rank's first */
	uint32_t pid;	    /* of none.PID.tlt */
	bool trace, sum;    /* there is the .tlt; the .sum */
};

struct job_host {
	char *name, *path;
	bool sum; /* there is a NODE.sum */
};

struct job_folder {
	char *path;		/* of the step */
	char *name;		/* JOB.STEP */
	bool is_host;		/* only one host of the step is read */
	struct job_file *files; /* by rank, host and child; those without a rank at the end */
	size_t nfiles;
	struct job_host *hosts; /* by name */
	size_t nhosts;
};

/* The path is a folder of a job, of a step or of a host, with files in it. */
bool job_folder_is(const char *path);

/*
 * Reads it. If there are several steps, takes the newest, and says so in a line on standard error.
 * False after a message: it is no such folder. job_folder_close frees it.
 */
bool job_folder_open(struct job_folder *folder, const char *path);
void job_folder_close(struct job_folder *folder);

#endif
