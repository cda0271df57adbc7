/* SPDX-License-Identifier: MIT */
/*
 * job.h: the contract of cli/job: the folder in which `tracelayer run --job` puts the files of a
 * job. summary, export and recover call it.
 *
 * The room uses basics. One thread at a time.
 */
#ifndef TL_CLI_JOB_JOB_H
#define TL_CLI_JOB_JOB_H

#include "cli/job/job_folder.h"
#include "cli/job/job_ranks.h"

#endif
