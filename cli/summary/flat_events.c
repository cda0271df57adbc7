/* SPDX-License-Identifier: MIT */
/*
 * flat_events.c: files that are not in the record format are summed up as they are read, and device work is packed:
 * see flat.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/read/read.h"
#include "cli/summary/event_runs.h"
#include "cli/summary/flat_work.h"
#include "cli/summary/stack_groups.h"

enum flat_state {
	FLAT_SUMMED,
	FLAT_KEPT,  /* everything is in the history */
	FLAT_AGAIN, /* calls are missing that should have been packed */
};

static void history_empty(struct history *history)
{
	history->ncalls = history->ncommands = history->nsubmissions = 0;
}

/* Sums up the calls that were read. The device commands come later. */
static void calls_pour(struct flat *flat)
{
	const struct history *history = flat->history;

	for (size_t i = 0; i < history->ncalls; i++) {
		const struct host_call *call = &history->calls[i];
		int64_t end = call->start + call->duration;

		flat_worker_sum(&flat->workers[0], call);
		if (!flat->packs && end > flat->unpacked_end)
			flat->unpacked_end = end;
	}
}

/*
 * Takes what was read out of the history. Calls are packed only if they may be asked for: commands are
 * there, or calls that submitted some; or it is not known yet which calls count.
 */
static bool flat_pour(void *user)
{
	struct flat *flat = user;
	struct history *history = flat->history;

	flat->packs |=
		flat->packs_all || flat->filter || history->ncommands || history->nsubmissions;
	if (!flat->filter)
		calls_pour(flat);
	if (flat->packs) {
		if (!flat->events && !(flat->events = event_runs_new()))
			return false;
		if (!event_runs_add(flat->events, history))
			return false;
	}
	history_empty(history);
	if (!flat->poured) {
		/* From now on it is small. */
		free(history->calls);
		free(history->commands);
		free(history->submissions);
		history->calls = NULL;
		history->commands = NULL;
		history->submissions = NULL;
		history->calls_room = history->commands_room = history->submissions_room = 0;
	}
	flat->poured = true;
	flat->reader.most = EVENTS_AT_ONCE;
	return true;
}

static int flat_read(struct flat *flat, char **paths, int count)
{
	int code = EXIT_DONE;

	flat->unpacked_end = INT64_MIN;
	flat->reader = (struct history_reader){.history = flat->history,
					       .where = "the table",
					       .most = EVENTS_KEPT,
					       .pour = flat_pour,
					       .user = flat};
	for (int i = 0; i < count && code != EXIT_BROKEN; i++) {
		int state = history_read(&flat->reader, paths[i], i);

		code = state == EXIT_DONE ? code : state;
	}
	if (flat->history->symbols)
		history_group_stacks(flat->history);
	if (flat->poured && code != EXIT_BROKEN && !flat_pour(flat))
		code = EXIT_BROKEN;
	return code;
}

/* When the first of all events began. */
static int64_t flat_start(const struct flat *flat)
{
	size_t count;
	const struct scan_run *runs = event_runs_list(flat->events, &count);
	int64_t start = INT64_MAX;

	if (flat->history->start)
		return flat->history->start;
	for (size_t i = 0; i < count; i++) {
		if (runs[i].first < start)
			start = runs[i].first;
		if (runs[i].ncommands && runs[i].first_command < start)
			start = runs[i].first_command;
	}
	return start == INT64_MAX ? 0 : start;
}

/*
 * Commands came after calls that were taken for such as nobody asks for. They are indeed such if they
 * had ended before.
 */
static bool calls_are_missing(const struct flat *flat)
{
	int64_t first, last;

	return record_scan_commands(flat->scan, &first, &last) && flat->unpacked_end > first;
}

static enum flat_state flat_sum_events(struct flat *flat, struct filter *filter)
{
	if (!flat->events) {
		flat_merge(flat);
		return FLAT_SUMMED;
	}
	record_scan_events(&flat->scan, flat->history, flat->events);
	if (calls_are_missing(flat))
		return FLAT_AGAIN;
	if (filter) {
		filter_start(filter, flat_start(flat));
		flat_sum_calls(flat);
	} else {
		flat_merge(flat);
	}
	/* They are counted when the commands are gone through. */
	flat->history->unfinished = 0;
	flat_sum_commands(flat);
	flat_sum_submissions(flat);
	return FLAT_SUMMED;
}

/* Input that can't be read again. */
static bool is_stream(char **paths, int count)
{
	struct stat status;

	for (int i = 0; i < count; i++)
		if (!strcmp(paths[i], "-") ||
		    (!stat(paths[i], &status) && !S_ISREG(status.st_mode)))
			return true;
	return false;
}

static enum flat_state flat_take_files(struct flat *flat, char **paths, int count,
				       struct filter *filter, int *code)
{
	flat->rough = true;
	flat_begin(flat);
	*code = flat_read(flat, paths, count);
	enum flat_state state = FLAT_SUMMED;

	if (*code == EXIT_BROKEN)
		event_runs_free(flat->events);
	else
		state = flat->poured ? flat_sum_events(flat, filter) : FLAT_KEPT;
	if (flat->scan && record_scan_judge(flat->scan, NULL, "the table") != EXIT_DONE)
		*code = EXIT_BROKEN;
	size_t ncalls = flat->history->ncalls, ncommands = flat->history->ncommands;

	flat_end(flat);
	if (state == FLAT_KEPT) {
		flat->history->ncalls = ncalls;
		flat->history->ncommands = ncommands;
	}
	return state;
}

int flat_sum_any(struct flat_sums *sums, char **paths, int count, enum grouping by,
		 struct filter *filter, bool *kept)
{
	struct history *history = sums->history;
	struct flat flat = {.sums = sums, .history = history, .by = by, .filter = filter};
	int code;

	flat.packs_all = is_stream(paths, count);
	enum flat_state state = flat_take_files(&flat, paths, count, filter, &code);

	if (state == FLAT_AGAIN) {
		flat_free(sums);
		history_restart(history);
		*sums = (struct flat_sums){.history = history};
		flat = (struct flat){.sums = sums, .history = history, .by = by, .filter = filter};
		flat.packs_all = true;
		state = flat_take_files(&flat, paths, count, filter, &code);
	}
	*kept = state == FLAT_KEPT;
	return code;
}
