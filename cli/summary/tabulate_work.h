/* SPDX-License-Identifier: MIT */
/*
 * tabulate_work.h: what the parts of making tables (tabulate.h) call of each other: tabulate.c makes those
 * of a history, tabulate_sums.c those of sums, tabulate_queues.c those of queues, of either.
 * tabulate_groups.c knows the groups. Of no use to others.
 */
#ifndef TL_CLI_SUMMARY_TABULATE_WORK_H
#define TL_CLI_SUMMARY_TABULATE_WORK_H

#include "cli/summary/tabulate.h"

struct tabulation {
	struct history *history;
	enum grouping by;
	bool several; /* processes */
};

/*
 * Whether there is a table of the events' memory. What is known of that is of the whole trace: no
 * part of it has one.
 */
bool tabulated_has_memory(const struct tabulation *of);
bool tabulated_several(const struct history *history);

/* ---- groups ---- */

/* The column of kernels; NULL: rows are not grouped. */
const struct table_column *tabulated_group_column(const struct tabulation *of);

/* The column of calls, queues and waits, and of commands that are no kernels. */
const struct table_column *tabulated_other_column(const struct tabulation *of);
const struct table_column *tabulated_commands_column(const struct tabulation *of,
						     enum commands_table which);

/* What several groups are called; "": there is no table of groups. */
const char *tabulated_plural(const struct tabulation *of);

uint32_t tabulated_groups(const struct tabulation *of);
uint32_t tabulated_call_group(const struct tabulation *of, const struct host_call *call);
uint32_t tabulated_command_group(const struct tabulation *of, const struct device_command *command);

#define LABEL 4096 /* of a stack; others are short */

void tabulated_queue_label(char *to, size_t room, const struct tabulation *of, uint32_t number);

/* NULL: rows are not grouped. */
const char *tabulated_group_label(char to[LABEL], const struct tabulation *of, uint32_t group);

/* The same of a table with that column of groups; NULL: it has none. */
const char *tabulated_row_label(char to[LABEL], const struct tabulation *of,
				const struct table_column *column, uint32_t group);

struct table *tabulate_sums_of_groups(const struct tabulation *of, const struct group_sum *sums,
				      uint32_t count);

/* ---- calls and commands ---- */

void tabulated_calls_heading(struct table *table, const struct tabulation *of, size_t count,
			     size_t functions, int files);
/* A table of calls: TABLE_CALLS or TABLE_EVENTS; and a row's self time, where that is wanted. */
struct table *tabulated_calls_table(const struct tabulation *of, int which);
long long tabulated_self(const struct tabulation *of, bool own, uint32_t group, uint32_t name);
struct table *tabulated_commands_table(const struct tabulation *of, enum commands_table which);

/* What the driver knows of the kernel. NULL: the table does not have that. */
const struct kernel_needs *tabulated_kernel_needs(const struct tabulation *of,
						  enum commands_table which, uint32_t row,
						  struct kernel_needs *needs);

/* ---- queues ---- */

/* Queues without a command that is selected are left out. */
void tabulate_queues(struct table *tables[TABLES], const struct tabulation *of,
		     const struct waits *waits);

#endif
