/* SPDX-License-Identifier: MIT */
/*
 * tabulate.h: the tables of a history.
 */
#ifndef TL_CLI_SUMMARY_TABULATE_H
#define TL_CLI_SUMMARY_TABULATE_H

#include "cli/summary/history.h"
#include "tables/table.h"

/* How rows are grouped, besides by name. */
enum grouping { BY_FUNCTION, BY_THREAD, BY_QUEUE, BY_PROCESS, BY_REQUEST, GROUPINGS };

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

#endif
