/* SPDX-License-Identifier: MIT */
/*
 * job_ranks.h: which ranks of a job left nothing: their node failed, a file is lost, or they ran
 * without tracelayer.
 */
#ifndef TL_CLI_JOB_JOB_RANKS_H
#define TL_CLI_JOB_JOB_RANKS_H

#include <stdint.h>

#include "cli/basics/basics.h"

/* Begins as zeros. */
struct job_ranks {
	char *path;	      /* of the job's folder, for the message */
	int64_t size;	      /* how many ranks the job has, as far as a file says; 0: none does */
	char *traced;	      /* the set that was to be traced; NULL: all */
	struct numbers there; /* the ranks that left something */
};

/* What a file says of its job. */
void job_ranks_told(struct job_ranks *ranks, const struct tl_facts *facts);

/* One line names those of the set `wanted` (NULL: of all) that left nothing. */
void job_ranks_say_missing(const struct job_ranks *ranks, const char *wanted);

void job_ranks_free(struct job_ranks *ranks);

#endif
