/* SPDX-License-Identifier: MIT */
/*
 * any_sum.h: the sum of what a user names: a trace of any format, a sum that was saved, or the folder of
 * a job.
 */
#ifndef TL_CLI_SUMMARY_ANY_SUM_H
#define TL_CLI_SUMMARY_ANY_SUM_H

#include "cli/tally/tally.h"

struct filter;

/*
 * Adds what is there to the sum. `filter`: what counts; NULL: all. A saved sum or a job has all calls: a
 * filter is refused. An exit code, after messages.
 */
int any_sum(struct rank_sum *sum, const char *path, struct filter *filter);

#endif
