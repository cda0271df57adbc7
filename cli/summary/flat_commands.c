/* SPDX-License-Identifier: MIT */
/*
 * flat_commands.c: device commands are summed up, and the calls that submitted them are looked for: see flat.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/summary/flat_work.h"

/* ---- commands of a stretch of time ---- */

static bool run_has_commands(const void *user, const struct scan_run *run)
{
	const struct flat_search *search = &((const struct flat_worker *)user)->flat->search;

	return run->ncommands && run->first_command < search->until &&
	       run->last_command >= search->from;
}

static void worker_find_command(void *user, const struct scan_command *command)
{
	struct flat_worker *worker = user;
	struct flat_search *search = &worker->flat->search;

	if (command->start < search->from || command->start >= search->until ||
	    !flat_search_count(search))
		return;
	if (worker->ncommands == worker->commands_room) {
		worker->commands_room = worker->commands_room ? 2 * worker->commands_room : 256;
		worker->commands = need(reallocarray(worker->commands, worker->commands_room,
						     sizeof(*worker->commands)));
	}
	worker->commands[worker->ncommands++] = *command;
}

/* As the files have them. */
static int compare_places(const void *a, const void *b)
{
	const struct scan_command *x = a, *y = b;

	if (x->file != y->file)
		return x->file > y->file ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

static void history_take_commands(struct flat *flat)
{
	struct history *history = flat->history;
	size_t count = 0, at = 0;

	for (unsigned i = 0; i < flat->nworkers; i++)
		count += flat->workers[i].ncommands;
	struct scan_command *all = need(calloc(count + 1, sizeof(*all)));

	for (unsigned i = 0; i < flat->nworkers; i++) {
		if (flat->workers[i].ncommands)
			memcpy(&all[at], flat->workers[i].commands,
			       flat->workers[i].ncommands * sizeof(*all));
		at += flat->workers[i].ncommands;
	}
	qsort(all, count, sizeof(*all), compare_places);
	if (count > history->commands_room) {
		history->commands_room = count;
		history->commands =
			need(reallocarray(history->commands, count, sizeof(*history->commands)));
	}
	for (size_t i = 0; i < count; i++) {
		history->commands[i] = record_scan_command(flat->scan, &all[i]);
		history->unfinished += history->commands[i].unfinished;
	}
	history->ncommands = count;
	free(all);
}

/* ---- the calls that submitted them ---- */

static uint64_t submission_key(uint32_t process, uint32_t correlation)
{
	return (uint64_t)process << 32 | correlation;
}

static bool run_has_submissions(const void *user, const struct scan_run *run)
{
	const struct flat_search *search = &((const struct flat_worker *)user)->flat->search;

	return run->least && run->least <= search->most && run->most >= search->least;
}

static void worker_find_submission(void *user, const struct host_call *call)
{
	struct flat_worker *worker = user;
	const struct flat_search *search = &worker->flat->search;

	if (call->correlation < search->least || call->correlation > search->most)
		return;
	uint32_t process = worker->flat->history->lanes[call->thread].process;

	if (numbers_find(&search->submitted, submission_key(process, call->correlation)) !=
	    NO_NUMBER)
		flat_worker_keep(worker, call);
}

static void history_take_submissions(struct flat *flat)
{
	struct history *history = flat->history;

	flat_take_calls(flat);
	free(history->submissions);
	history->nsubmissions = history->submissions_room = history->ncalls;
	history->submissions = need(calloc(history->ncalls + 1, sizeof(*history->submissions)));
	for (size_t i = 0; i < history->ncalls; i++) {
		const struct host_call *call = &history->calls[i];

		history->submissions[i] = (struct submission){
			.start = call->start,
			.end = call->start + call->duration,
			.process = history->lanes[call->thread].process,
			.correlation = call->correlation,
			.thread = call->thread,
			.name = call->name,
			.request = call->request,
			.queue = NOBODY,
		};
	}
	history->ncalls = 0;
}

static void commands_find_submissions(struct flat *flat)
{
	static const struct scan_visitor visitor = {.wants = run_has_submissions,
						    .call = worker_find_submission};
	const struct history *history = flat->history;
	struct flat_search *search = &flat->search;

	flat_search_begin(flat, 0, 1, 0);
	search->least = UINT32_MAX;
	search->most = 0;
	for (size_t i = 0; i < history->ncommands; i++) {
		uint32_t correlation = history->commands[i].correlation,
			 process = history->queues[history->commands[i].queue].process;

		if (!correlation)
			continue;
		numbers_add(&search->submitted, submission_key(process, correlation));
		search->least = correlation < search->least ? correlation : search->least;
		search->most = correlation > search->most ? correlation : search->most;
	}
	if (search->submitted.count)
		record_scan_all(flat->scan, &visitor, flat->users, &search->stop);
	history_take_submissions(flat);
	history_resolve(flat->history);
	numbers_free(&search->submitted);
	search->submitted = (struct numbers){.count = 0};
}

/* ---- the queues that calls submitted to ---- */

static void flat_note_queues(struct flat *flat)
{
	const struct history *history = flat->history;

	for (size_t i = 0; i < history->ncommands; i++) {
		const struct device_command *command = &history->commands[i];

		if (command->correlation && command->submit != NOBODY)
			queue_map_add(&flat->queues, history, command->queue, command->correlation);
	}
}

static void worker_sum_submission(void *user, const struct host_call *call)
{
	struct flat_worker *worker = user;
	const struct flat *flat = worker->flat;

	if (!call->correlation || !flat_worker_counts(worker, call))
		return;
	uint32_t process = flat->history->lanes[call->thread].process,
		 queue = queue_map_find(&flat->queues, process, call->correlation);

	flat_worker_sum_in(worker, call, queue == NOBODY ? 0 : queue + 1);
}

static bool run_submits(const void *user, const struct scan_run *run)
{
	(void)user;
	return run->least != 0;
}

/* The calls that submitted, by their queues, when all commands have been gone through. */
void flat_sum_submissions(struct flat *flat)
{
	static const struct scan_visitor visitor = {.wants = run_submits,
						    .call = worker_sum_submission};

	if (flat->by != BY_QUEUE)
		return;
	record_scan_all(flat->scan, &visitor, flat->users, NULL);
	flat_merge(flat);
	queue_map_free(&flat->queues);
}

/* ---- all commands ---- */

struct command_grouping {
	const struct history *history;
	enum grouping by;
};

static uint32_t group_of_wait(const void *context, const struct device_command *command)
{
	const struct command_grouping *of = context;

	return group_of_idling(of->history, of->by, command);
}

static void tally_command(struct flat *flat, const struct device_command *command)
{
	struct flat_sums *sums = flat->sums;
	uint32_t group = group_of_command(flat->history, flat->by, command);
	enum tally_kind kind =
		(enum tally_kind)((int)TALLY_KERNELS + (int)commands_table_of(command->kind));
	struct tally_row *row = tally_row(&sums->tally, kind, group, command->row);
	struct group_sum *sum = flat_group_sum(&sums->groups, &sums->ngroups, group);
	int64_t duration = command->end - command->start;

	histogram_add(&row->times, duration);
	flat_keep_time(flat, &flat->times, row, duration);
	sum->row.commands++;
	sum->row.commands_time += duration;
	extent_add(&sum->extent, command->start, command->end);
	if (!command->has_bytes)
		return;
	double rate = duration > 0 ? (double)command->bytes / (double)duration : 0;

	row->bytes += command->bytes;
	row->bytes_time += duration;
	row->best = rate > row->best ? rate : row->best;
	sum->row.bytes += command->bytes;
}

static void flat_filter_commands(struct flat *flat)
{
	struct history *history = flat->history;
	size_t count = 0;

	for (size_t i = 0; i < history->ncommands; i++)
		if (filter_takes_command(flat->filter, &flat->filtered, history,
					 &history->commands[i]))
			history->commands[count++] = history->commands[i];
		else
			history->unfinished -= history->commands[i].unfinished;
	flat->sums->ncommands -= history->ncommands - count;
	history->ncommands = count;
}

/* The history has the commands of the next stretch of time. */
static void flat_take_commands(struct flat *flat)
{
	const struct command_grouping grouping = {flat->history, flat->by};

	commands_find_submissions(flat);
	if (flat->filter)
		flat_filter_commands(flat);
	if (flat->by == BY_QUEUE)
		flat_note_queues(flat);
	for (size_t i = 0; i < flat->history->ncommands; i++)
		tally_command(flat, &flat->history->commands[i]);
	wait_search_commands(&flat->waits, group_of_wait, &grouping);
	if (flat->waits.nparts)
		flat_find_calls(flat);
}

void flat_sum_commands(struct flat *flat)
{
	static const struct scan_visitor visitor = {.wants = run_has_commands,
						    .command = worker_find_command};
	int64_t at = 0, last = 0;
	uint64_t count = flat->sums->ncommands = record_scan_commands(flat->scan, &at, &last);

	wait_search_begin(&flat->waits, &flat->sums->waits, flat->history);
	if (!count)
		return;
	int64_t step = last - at + 1;

	flat->step = LATEST;
	step = step / (int64_t)(count / COMMANDS_AT_ONCE + 1) + 1;
	while (at <= last) {
		flat_search_begin(flat, at, at + step, COMMANDS_AT_ONCE);
		record_scan_all(flat->scan, &visitor, flat->users, &flat->search.stop);
		if (atomic_load(&flat->search.stop)) {
			step = (step + 1) / 2;
			continue;
		}
		history_take_commands(flat);
		flat_take_commands(flat);
		at += step;
		step += flat->history->ncommands < COMMANDS_AT_ONCE / 4 && step < LATEST ? step : 0;
	}
	free(flat->waits.parts);
}
