/* SPDX-License-Identifier: MIT */
/*
 * tabulate.h: the tables of a history.
 */
#ifndef TL_CLI_SUMMARY_TABULATE_H
#define TL_CLI_SUMMARY_TABULATE_H

#include "cli/summary/history.h"
#include "cli/summary/waits.h"
#include "cli/tally/tally.h"
#include "tables/table.h"

/* How rows are grouped, besides by name. */
enum grouping {
	BY_FUNCTION,
	BY_THREAD,
	BY_QUEUE,
	BY_PROCESS,
	BY_REQUEST,
	BY_STACK,
	BY_SIZE,
	GROUPINGS
};

/* -1: no such word. */
int grouping_named(const char *word);

/* The tables, in the order in which they are shown. TABLE_GROUPS has a row for each group. */
enum {
	TABLE_GROUPS,
	TABLE_CALLS,
	TABLE_EVENTS,
	TABLE_KERNELS,
	TABLE_TRANSFERS,
	TABLE_OTHERS,
	TABLE_QUEUES,
	TABLE_WAITS,
	TABLE_MEMORY,
	TABLES
};

/*
 * Make them, after history_resolve; the caller frees them. NULL: nothing of the kind. `files` is
 * how many the history is from. Sorts the history's calls and commands anew.
 */
void tabulate(struct table *tables[TABLES], struct history *history, enum grouping by, int files);

/* ---- the same from sums (flat.h) ---- */

/* From when to when something was. */
struct extent {
	int64_t first, last;
	bool any;
};

void extent_add(struct extent *extent, int64_t start, int64_t end);

/* What one group has in all. */
struct group_sum {
	struct group_row row; /* without its name */
	struct extent extent;
};

/* Groups are numbered from 0, which is none. */
uint32_t group_of_call(const struct history *history, enum grouping by,
		       const struct host_call *call);
uint32_t group_of_command(const struct history *history, enum grouping by,
			  const struct device_command *command);

/* The same of what a queue waited for before the command. */
uint32_t group_of_idling(const struct history *history, enum grouping by,
			 const struct device_command *command);

/* The nearest rank: that of the least of `count` which at least `percent` of all do not exceed. */
size_t nearest_rank(size_t count, unsigned percent);

struct exact_times {
	int64_t median, p99;
};

/* All that files have, summed up. */
struct flat_sums {
	struct history *history;   /* names, threads, queues; without calls and commands */
	struct tally tally;	   /* groups are those of the grouping */
	struct exact_times *exact; /* by row of the tally; NULL: its histograms tell */
	bool wants_exact;	   /* as long as there are few calls and commands */
	bool damage_is_said;	   /* by another reading of the files */
	struct group_sum *groups;
	uint32_t ngroups;
	struct waits waits;
	uint64_t ncommands;
};

void tabulate_sums(struct table *tables[TABLES], struct flat_sums *sums, enum grouping by,
		   int files);

#endif
