/* SPDX-License-Identifier: MIT */
/*
 * job_summary.h: `tracelayer summary` of a job's folder.
 */
#ifndef TL_CLI_SUMMARY_JOB_SUMMARY_H
#define TL_CLI_SUMMARY_JOB_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/summary/sum_save.h"
#include "cli/summary/table_options.h"

struct job_wishes {
	const char *ranks; /* a set; NULL: all */
	int table;	   /* only this one; -1: those of .by_rank, .by_host and all others */
	bool by_rank, by_host;
	struct table_options tables;
	struct save save;
	bool is_end; /* the job ends: ranks that are missing may come yet */
	bool part;   /* make this task's part of the sums, and print nothing */
};

/* Arranges tables before they are printed. False, after a message: no table has such a column. */
bool summary_arrange(struct table **tables, size_t count, const struct table_wishes *wishes);

/* The number of a table's word; -1: no such table. */
int job_table_named(const char *word);

/* Prints the tables of a job's folder. An exit code. */
int job_summary(const char *path, const struct job_wishes *wishes, FILE *to);

#endif
