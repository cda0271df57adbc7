/* SPDX-License-Identifier: MIT */
/*
 * flat.h: the tables of files without their history: calls and commands are summed up as they are
 * read, in memory that does not grow with their number. Counts, sums, least and largest are
 * exact. Percentiles are those of a histogram (tables/histogram.h), and with .wants_exact exact, too, as
 * long as there are few calls and commands.
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

/*
 * The same of files of any format, JSON among them, in one reading. *kept: there were at most a
 * million calls and commands. Then they are in the history, unfiltered, and there are no sums.
 * Otherwise they were summed up as they were read; what device work needs to be looked up again is in
 * a temporary file.
 */
int flat_sum_any(struct flat_sums *sums, char **paths, int count, enum grouping by,
		 struct filter *filter, bool *kept);

void flat_free(struct flat_sums *sums);

#endif
