/* SPDX-License-Identifier: MIT */
/*
 * trace_sum.h: the sum of a trace: what RANK.sum has. Kinds of files: .tlt, Chrome's JSON, sums
 * that were saved, and folders of jobs.
 */
#ifndef TL_CLI_SUMMARY_TRACE_SUM_H
#define TL_CLI_SUMMARY_TRACE_SUM_H

#include "cli/tally/tally.h"

struct filter;
struct flat_sums;
struct history;

/* Adds what the .tlt file has to the sum. An exit code, after messages. */
int trace_sum(struct rank_sum *sum, const char *path);

/*
 * The same of a file of any kind, or of a job's folder. `filter`: what counts; NULL: all. A sum or a job
 * has all calls: a filter is refused.
 */
int any_sum(struct rank_sum *sum, const char *path, struct filter *filter);

/* The same of what has been read: sums by any grouping; a history, after history_resolve. */
void flat_sum_add(struct rank_sum *sum, const struct flat_sums *sums);
void history_sum_add(struct rank_sum *sum, const struct history *history);

#endif
