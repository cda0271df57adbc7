/* SPDX-License-Identifier: MIT */
/*
 * flat.c: see flat.h. The first scan of the files sums up the calls, in several threads. What a
 * device did needs more: commands in the order of time, the calls that submitted them, and what the
 * submitting threads did while a queue was idle. These are looked up in further scans: for one stretch
 * of time after another, each so short that what is in it fits into a list of fixed size. Runs of
 * records that have nothing of a stretch are not looked at. flat_work.h has the parts.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/read/read.h"
#include "cli/summary/flat_work.h"

void flat_begin(struct flat *flat)
{
	flat->nworkers = SCAN_WORKERS;
	flat->workers = need(calloc(flat->nworkers, sizeof(*flat->workers)));
	flat->users = need(calloc(flat->nworkers, sizeof(*flat->users)));
	for (unsigned i = 0; i < flat->nworkers; i++) {
		flat->workers[i].flat = flat;
		flat->users[i] = &flat->workers[i];
	}
}

void flat_end(struct flat *flat)
{
	for (unsigned i = 0; i < flat->nworkers; i++) {
		tally_free(&flat->workers[i].tally);
		kept_times_free(&flat->workers[i].times);
		self_calls_free(&flat->workers[i].self);
		free(flat->workers[i].groups);
		free(flat->workers[i].calls);
		free(flat->workers[i].commands);
		free(flat->workers[i].selected);
		filter_memory_free(&flat->workers[i].filtered);
	}
	filter_memory_free(&flat->filtered);
	free(flat->workers);
	free(flat->users);
	if (flat->scan)
		record_scan_close(flat->scan);
	progress_hide();
	flat->history->ncalls = flat->history->ncommands = 0;
	kept_times_free(&flat->times);
}

int flat_sum(struct flat_sums *sums, char **paths, int count, enum grouping by,
	     struct filter *filter)
{
	struct flat flat = {.sums = sums, .history = sums->history, .by = by, .filter = filter};
	int code = record_scan_open(&flat.scan, sums->history, paths, count);

	if (code == EXIT_DONE && filter)
		filter_start(filter, flat.history->start);

	flat.rough = !sums->wants_exact;
	if (code == EXIT_DONE) {
		flat_begin(&flat);
		flat_sum_calls(&flat);
		flat_sum_commands(&flat);
		flat_sum_submissions(&flat);
		if (!atomic_load(&flat.rough))
			sums->exact = kept_times_exact(&flat.times, &sums->tally);
		code = record_scan_judge(flat.scan, paths,
					 sums->damage_is_said ? NULL : "the table");
	}
	flat_end(&flat);
	return code;
}

void flat_free(struct flat_sums *sums)
{
	tally_free(&sums->tally);
	free(sums->exact);
	free(sums->groups);
	if (sums->waits.queues)
		waits_free(&sums->waits);
}
