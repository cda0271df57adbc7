/* SPDX-License-Identifier: MIT */
/*
 * trace_sum.h: the sum of a trace: what RANK.sum has.
 */
#ifndef TL_CLI_SUMMARY_TRACE_SUM_H
#define TL_CLI_SUMMARY_TRACE_SUM_H

#include "cli/tally/tally.h"

struct filter;
struct flat_sums;
struct history;

/* Add what a file has to the sum: a .tlt, or one that is not. `filter`: what counts; NULL: all. An exit code, after messages. */
int trace_sum(struct rank_sum *sum, const char *path, struct filter *filter);
int trace_events_sum(struct rank_sum *sum, const char *path, struct filter *filter);

/* The same of what has been read: sums by any grouping; a history, after history_resolve. */
void flat_sum_add(struct rank_sum *sum, const struct flat_sums *sums);
void history_sum_add(struct rank_sum *sum, const struct history *history);

#endif
