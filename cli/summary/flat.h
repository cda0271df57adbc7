/* SPDX-License-Identifier: MIT */
/*
 * flat.h: the tables of .tlt files without their history: calls and commands are summed up as they
 * are read, in memory that does not grow with their number. Counts, sums, least and largest are
 * exact; percentiles are those of a histogram (tables/histogram.h).
 */
#ifndef TL_CLI_SUMMARY_FLAT_H
#define TL_CLI_SUMMARY_FLAT_H

#include "cli/summary/filter.h"
#include "cli/summary/tabulate.h"

/*
 * Sums up all files, which are in the record format. .history is the caller's, empty at first; it
 * gets the threads, queues and losses. `filter`: what counts; NULL: all. An exit code; after
 * EXIT_BROKEN there are no sums.
 */
int flat_sum(struct flat_sums *sums, char **paths, int count, enum grouping by,
	     struct filter *filter);
void flat_free(struct flat_sums *sums);

#endif
