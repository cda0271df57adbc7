/* SPDX-License-Identifier: MIT */
/*
 * trace_sum.c: see trace_sum.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/job/job.h"
#include "cli/read/read.h"
#include "cli/summary/filter.h"
#include "cli/summary/flat.h"
#include "cli/summary/job_sums.h"
#include "cli/summary/trace_sum.h"

static void take_rows(struct rank_sum *sum, const struct flat_sums *sums)
{
	const struct names *names = &sums->history->names;
	uint32_t *numbers = need(calloc(names->count + 1, sizeof(*numbers)));
	uint32_t *none = need(calloc((size_t)sums->ngroups + 1, sizeof(*none)));

	for (uint32_t i = 0; i < names->count; i++)
		numbers[i] = names_number(&sum->names, names->list[i]);
	/* All groups, which are processes, become group 0. */
	tally_merge(&sum->tally, &sums->tally, none, numbers);
	free(numbers);
	free(none);
}

static void take_queues(struct rank_sum *sum, const struct flat_sums *sums)
{
	const struct history *history = sums->history;

	sum->queues = need(reallocarray(sum->queues, (size_t)sum->nqueues + history->nqueues + 1,
					sizeof(*sum->queues)));
	for (uint32_t i = 0; i < history->nqueues && sums->waits.queues; i++) {
		const struct queue_time *time = &sums->waits.queues[i];
		const char *device = history->queues[i].device;
		const char *hardware = history->queues[i].hardware;

		if (!time->commands)
			continue;
		sum->queues[sum->nqueues++] = (struct queue_sum){
			.name = names_number(&sum->names, device ? device : ""),
			.hardware = names_number(&sum->names, hardware ? hardware : ""),
			.commands = time->commands,
			.busy = time->busy,
			.span = time->end - time->first,
		};
	}
}

static void take_times(struct rank_sum *sum, const struct flat_sums *sums)
{
	for (uint32_t i = 0; i < sums->ngroups; i++) {
		const struct extent *extent = &sums->groups[i].extent;

		if (!extent->any)
			continue;
		if (!sum->end || extent->first < sum->begin)
			sum->begin = extent->first;
		if (extent->last > sum->end)
			sum->end = extent->last;
	}
}

void flat_sum_add(struct rank_sum *sum, const struct flat_sums *sums)
{
	take_rows(sum, sums);
	take_queues(sum, sums);
	take_times(sum, sums);
	sum->files++;
	sum->lost += sums->history->lost;
}

int trace_sum(struct rank_sum *sum, const char *path, struct filter *filter)
{
	struct history history = {0};
	struct flat_sums sums = {.history = &history};
	char *paths[] = {need(strdup(path))};
	int code = flat_sum(&sums, paths, 1, BY_PROCESS, filter);

	if (code != EXIT_BROKEN)
		flat_sum_add(sum, &sums);
	flat_free(&sums);
	history_free(&history);
	free(paths[0]);
	return code;
}

/* ---- events ---- */

static struct tally_row *row_named(struct rank_sum *sum, enum tally_kind kind,
				   const struct history *history, uint32_t name)
{
	return tally_row(&sum->tally, kind, 0,
			 names_number(&sum->names, history->names.list[name]));
}

static void take_call(struct rank_sum *sum, const struct history *history,
		      const struct host_call *call)
{
	struct tally_row *row =
		row_named(sum, call->own ? TALLY_EVENTS : TALLY_CALLS, history, call->name);

	row->failed += call->failed;
	histogram_add(&row->times, call->duration);
}

static void take_command(struct rank_sum *sum, const struct history *history,
			 const struct device_command *command)
{
	int64_t time = command->end - command->start;
	struct tally_row *row = row_named(
		sum,
		(enum tally_kind)(TALLY_KERNELS +
				  (int)commands_table_of((enum tl_device_kind)command->kind)),
		history, command->row);

	histogram_add(&row->times, time);
	if (!command->has_bytes)
		return;
	row->bytes = tally_add(row->bytes, command->bytes);
	row->bytes_time = tally_add(row->bytes_time, time);
	if (time > 0 && (double)command->bytes / (double)time > row->best)
		row->best = (double)command->bytes / (double)time;
}

void history_sum_add(struct rank_sum *sum, const struct history *history)
{
	for (size_t i = 0; i < history->ncalls; i++)
		take_call(sum, history, &history->calls[i]);
	for (size_t i = 0; i < history->ncommands; i++)
		take_command(sum, history, &history->commands[i]);
	sum->files++;
	sum->lost += history->lost;
}

int trace_events_sum(struct rank_sum *sum, const char *path, struct filter *filter)
{
	struct history history = {0};
	struct flat_sums sums = {.history = &history};
	char *paths[] = {need(strdup(path))};
	bool kept;
	int code = flat_sum_any(&sums, paths, 1, BY_PROCESS, filter, &kept);

	if (code != EXIT_BROKEN && kept) {
		history_resolve(&history);
		if (filter)
			filter_history(filter, &history);
		history_sum_add(sum, &history);
	}
	if (code != EXIT_BROKEN && !kept)
		flat_sum_add(sum, &sums);
	flat_free(&sums);
	history_free(&history);
	free(paths[0]);
	return code;
}
