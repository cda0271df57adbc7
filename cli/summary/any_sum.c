/* SPDX-License-Identifier: MIT */
/*
 * any_sum.c: see any_sum.h.
 */
#include "config.h"

#include <stdbool.h>

#include "cli/basics/basics.h"
#include "cli/job/job.h"
#include "cli/read/read.h"
#include "cli/summary/any_sum.h"
#include "cli/summary/filter.h"
#include "cli/summary/job_sums.h"
#include "cli/summary/trace_sum.h"

struct taken {
	struct rank_sum *sum;
	bool any;
};

/* The first sum of a file has all of it. */
static void take_first(void *user, struct rank_sum *sum)
{
	struct taken *taken = user;

	sum_show_names(sum);
	if (!taken->any)
		rank_sum_merge(taken->sum, sum, true);
	taken->any = true;
}

static int saved_sum(struct rank_sum *sum, const char *path)
{
	struct taken taken = {.sum = sum};
	char why[160];

	if (rank_sums_read(path, take_first, &taken, why, sizeof(why)))
		return EXIT_DONE;
	say("%s: %s; make the sum again with `tracelayer summary --save`", path, why);
	return EXIT_BROKEN;
}

static int job_sum(struct rank_sum *sum, const char *path)
{
	struct job_folder folder;
	struct job_sums sums;

	if (!job_folder_open(&folder, path))
		return EXIT_BROKEN;
	int code = job_sums_read(&sums, &folder, NULL);

	rank_sum_merge(sum, &sums.all, true);
	job_sums_free(&sums);
	job_folder_close(&folder);
	return code;
}

int any_sum(struct rank_sum *sum, const char *path, struct filter *filter)
{
	bool is_job = job_folder_is(path);

	if (filter && (is_job || rank_sums_is(path))) {
		say("%s: sums have all calls; to select some, give the trace itself", path);
		return EXIT_BROKEN;
	}
	if (is_job)
		return job_sum(sum, path);
	if (rank_sums_is(path))
		return saved_sum(sum, path);
	return record_file_is(path) ? trace_sum(sum, path, filter)
				    : trace_events_sum(sum, path, filter);
}
