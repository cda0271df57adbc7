/* SPDX-License-Identifier: MIT */
/*
 * job_claim.h: which run of a job a host's folder belongs to, where the launcher may give two runs
 * the same step.
 */
#ifndef TL_CLI_RUN_JOB_CLAIM_H
#define TL_CLI_RUN_JOB_CLAIM_H

#include <stdbool.h>

#include "common/launcher.h"

/*
 * Takes the host's folder for this run, if no other run has it. False: another one does. True also
 * where that can't be told.
 */
bool job_claim(const char *host_folder, const struct tl_launched *launched);

#endif
