/* SPDX-License-Identifier: MIT */
/*
 * sum_save.c: see sum_save.h.
 */
#include "config.h"

#include <string.h>

#include "cli/basics/basics.h"
#include "cli/outputs/outputs.h"
#include "cli/summary/sum_save.h"
#include "cli/tally/tally.h"

bool sum_save(const struct save *save, const struct rank_sum *sum)
{
	struct output_file file;

	if (!save->path)
		return true;
	int error = output_file_open(&file, save->path, save->force);

	if (error) {
		say("--save=%s: %s; %s", save->path, output_file_trouble(error),
		    output_file_remedy(error, "give another place"));
		return false;
	}
	int failed = rank_sums_put(file.fd, sum, 1, true);

	error = output_file_close(&file, !failed);
	error = failed ? failed : error;
	if (error)
		say("--save=%s: %s; no file was left there; %s", save->path, strerror(error),
		    output_file_remedy(error, "free some space, or give another place"));
	else
		output_file_say(&file);
	return !error;
}
