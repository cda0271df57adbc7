/* SPDX-License-Identifier: MIT */
/*
 * job_tables.h: the tables of a job: what each function, kernel and transfer took in all ranks, the
 * ranks that stand out, and how busy the devices of each host were.
 */
#ifndef TL_CLI_SUMMARY_JOB_TABLES_H
#define TL_CLI_SUMMARY_JOB_TABLES_H

#include "cli/summary/job_sums.h"
#include "tables/table.h"

/* In the order in which they are shown. */
enum {
	JOB_RANKS, /* a row for each rank: --by=rank */
	JOB_HOSTS, /* a row for each host: --by=host */
	JOB_CALLS,
	JOB_EVENTS,
	JOB_KERNELS,
	JOB_TRANSFERS,
	JOB_OTHERS,
	JOB_DEVICES, /* hosts by ranks: how busy devices were */
	JOB_TABLES
};

extern const char *const job_table_words[JOB_TABLES];

/* Makes all of them; the caller frees them. `name` is the step's. */
void job_tabulate(struct table *tables[JOB_TABLES], const struct job_sums *sums, const char *name);

#endif
