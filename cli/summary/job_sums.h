/* SPDX-License-Identifier: MIT */
/*
 * job_sums.h: what all ranks of a job did: all calls and commands in one tally, and of each rank how
 * long it took for each row of it. Made from the RANK.sum and NODE.sum files of the job's folder;
 * where such a file is missing, or older than its trace, it is made first.
 */
#ifndef TL_CLI_SUMMARY_JOB_SUMS_H
#define TL_CLI_SUMMARY_JOB_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/job/job.h"
#include "cli/tally/tally.h"

/* One rank, with all its processes; or a process without a rank. Times are nanoseconds. */
struct job_rank {
	int64_t rank;  /* -1: none */
	uint32_t host; /* number of its name in .hosts */
	uint32_t files;
	int64_t begin, end; /* of all files, on the host's clock; 0: not known */
	int64_t calls, failed, calls_time;
	int64_t commands, commands_time, bytes;
	int64_t busy, span; /* of all its queues; an idle device's count as 0 */
	uint32_t nqueues;
	char *devices; /* addresses on the bus or UUIDs, with commas between them; NULL: not known */
	uint64_t lost;
};

/* The time that each rank took for one row of the tally; by rank's place. */
struct job_row {
	int64_t *times;
	uint32_t room;
	uint32_t ranks; /* that have it */
};

struct job_sums {
	struct rank_sum all;
	struct job_row *rows; /* as .all.tally.rows */
	uint32_t rows_room;
	struct job_rank *ranks;
	uint32_t nranks, ranks_room;
	struct names hosts;
	struct numbers places; /* of ranks, by their number */
	size_t broken, made;   /* files that can't be read; sums that were missing */
};

/* Which part of the work this process does: `number` of `count`. */
struct job_part {
	int64_t number, count;
};

/*
 * Reads the sums of a folder, of the ranks of `set` (common/rank_set.h; NULL: all). An exit code.
 * job_sums_free frees it.
 */
int job_sums_read(struct job_sums *sums, const struct job_folder *folder, const char *set);
void job_sums_free(struct job_sums *sums);

/*
 * For a sum that was read: calls get the names of their functions as they are shown (cli/read/shown_names.h).
 * Rows of the same name become one when the sum is merged into another.
 */
void sum_show_names(struct rank_sum *sum);

/* Makes the missing sums of a part of the job: RANK.sum, and NODE.sum of whole hosts. An exit code. */
int job_sums_make(const struct job_folder *folder, const struct job_part *part);

/*
 * Makes the sum of one trace file beside it, for `tracelayer run`. After the last of `local_size`
 * ranks of a large job's host also NODE.sum. 0, or an exit code; nothing is printed unless the
 * trace is damaged.
 */
int job_sum_trace(const char *trace, const char *host, int64_t rank);
/* The sum of a rank that has recorded nothing, so that the job's tables know of it. */
void job_sum_nothing(const char *sum, const char *host, int64_t rank);
void job_sum_node(const char *host_folder, int64_t local_size);

#endif
