/* SPDX-License-Identifier: MIT */
/*
 * flat.c: see flat.h. The first scan of the files sums up the calls, in several threads. What a
 * device did needs more: commands in the order of time, the calls that submitted them, and what the
 * submitting threads did while a queue was idle. These are looked up in further scans: for one stretch
 * of time after another, each so short that what is in it fits into a list of fixed size. Runs of
 * records that have nothing of a stretch are not looked at.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/basics/basics.h"
#include "cli/read/read.h"
#include "cli/summary/event_runs.h"
#include "cli/summary/flat.h"
#include "cli/summary/history_reader.h"
#include "cli/summary/kept_times.h"
#include "cli/summary/queue_map.h"
#include "cli/summary/record_scan.h"

/* Tests make them small. */
#ifndef COMMANDS_AT_ONCE
#define COMMANDS_AT_ONCE (64u << 10)
#define CALLS_AT_ONCE	 (192u << 10)
#endif

/*
 * So many durations are kept; of files that are not in the record format, so many events. Of these, a
 * smaller number is read at once later.
 */
#ifndef EVENTS_KEPT
#define EVENTS_KEPT    (1u << 20)
#define EVENTS_AT_ONCE (64u << 10)
#endif

#define NEAR 256u

/* A time in which a thread's calls matter. */
struct stay {
	uint32_t thread;
	int64_t from, to;
};

/* What the workers look for in a scan. */
struct search {
	int64_t from, until;
	struct numbers submitted; /* process << 32 | correlation */
	uint32_t least, most;	  /* correlations */
	struct stay *stays;	  /* sorted, and apart */
	size_t nstays;
	_Atomic size_t found;
	size_t most_found;
	atomic_bool stop; /* more were found */
};

struct flat_worker {
	struct flat *flat;
	struct tally tally;
	uint32_t near[NEAR]; /* rows that were found lately, by their names */
	struct group_sum *groups;
	uint32_t ngroups;
	struct filter_memory filtered;
	struct kept_times times;
	struct host_call *calls;
	struct scan_command *commands;
	size_t ncalls, calls_room, ncommands, commands_room;
};

struct flat {
	struct flat_sums *sums;
	struct history *history;
	struct record_scan *scan;
	enum grouping by;
	const struct filter *filter;   /* NULL: all counts */
	struct filter_memory filtered; /* commands */
	struct flat_worker *workers;
	void **users;
	unsigned nworkers;
	struct search search;
	struct wait_search waits;
	int64_t step; /* of the last search for calls */
	struct queue_map queues;
	struct kept_times times;
	_Atomic size_t ntimes; /* of all workers */
	atomic_bool rough;     /* there are too many */
	/* of files that are not in the record format */
	struct history_reader reader;
	struct event_runs *events;
	bool poured;	       /* there were more events than are kept */
	bool packs, packs_all; /* calls are packed; from the first one on */
	int64_t unpacked_end;  /* of the last call that was not */
};

enum flat_state {
	FLAT_SUMMED,
	FLAT_KEPT,  /* everything is in the history */
	FLAT_AGAIN, /* calls are missing that should have been packed */
};

/* ---- sums ---- */

static struct group_sum *group_sum_of(struct group_sum **groups, uint32_t *count, uint32_t group)
{
	if (group >= *count) {
		uint32_t more = group + group / 2 + 16;

		*groups = need(reallocarray(*groups, more, sizeof(**groups)));
		memset(*groups + *count, 0, (more - *count) * sizeof(**groups));
		*count = more;
	}
	return &(*groups)[group];
}

/*
 * While workers run, a thread's process is not to be asked for: they count by thread. groups_map tells
 * the rest.
 */
static uint32_t worker_group(const struct flat_worker *worker, const struct host_call *call)
{
	enum grouping by = worker->flat->by;

	return group_of_call(worker->flat->history, by == BY_PROCESS ? BY_THREAD : by, call);
}

static struct tally_row *worker_row(struct flat_worker *worker, enum tally_kind kind,
				    uint32_t group, uint32_t name)
{
	struct tally *tally = &worker->tally;
	uint32_t *near = &worker->near[name % NEAR];

	if (*near < tally->nrows) {
		struct tally_row *row = &tally->rows[*near];

		if (row->name == name && row->group == group && row->kind == kind)
			return row;
	}
	struct tally_row *row = tally_row(tally, kind, group, name);

	*near = (uint32_t)(row - tally->rows);
	return row;
}

static bool worker_counts(struct flat_worker *worker, const struct host_call *call)
{
	const struct flat *flat = worker->flat;

	return !flat->filter || filter_takes_call(flat->filter, &worker->filtered, flat->history,
						  record_scan_lock(flat->scan), call);
}

/* Safe in several threads, for different lists. */
static void flat_keep_time(struct flat *flat, struct kept_times *times, const struct tally_row *row,
			   int64_t duration)
{
	if (atomic_load_explicit(&flat->rough, memory_order_relaxed))
		return;
	if (atomic_fetch_add_explicit(&flat->ntimes, 1, memory_order_relaxed) >= EVENTS_KEPT) {
		atomic_store_explicit(&flat->rough, true, memory_order_relaxed);
		return;
	}
	kept_times_add(times, &(struct kept_time){.duration = duration,
						  .kind = row->kind,
						  .group = row->group,
						  .name = row->name});
}

static void worker_sum_call_in(struct flat_worker *worker, const struct host_call *call,
			       uint32_t group)
{
	struct tally_row *row =
		worker_row(worker, call->own ? TALLY_EVENTS : TALLY_CALLS, group, call->name);

	row->failed += call->failed;
	histogram_add(&row->times, call->duration);
	flat_keep_time(worker->flat, &worker->times, row, call->duration);
	if (worker->flat->by == BY_FUNCTION)
		return;
	struct group_sum *sum = group_sum_of(&worker->groups, &worker->ngroups, group);

	sum->row.calls += !call->own;
	sum->row.failed += call->failed;
	sum->row.calls_time += call->own ? 0 : call->duration;
	extent_add(&sum->extent, call->start, call->start + call->duration);
}

static void worker_sum_call(void *user, const struct host_call *call)
{
	struct flat_worker *worker = user;

	/* Queues are known when all commands are. */
	if (worker->flat->by == BY_QUEUE && call->correlation)
		return;
	if (worker_counts(worker, call))
		worker_sum_call_in(worker, call, worker_group(worker, call));
}

static void group_sum_merge(struct group_sum *to, const struct group_sum *from)
{
	to->row.calls += from->row.calls;
	to->row.failed += from->row.failed;
	to->row.calls_time += from->row.calls_time;
	if (from->extent.any)
		extent_add(&to->extent, from->extent.first, from->extent.last);
}

/* Threads to their processes; NULL: groups are what they are. */
static uint32_t *groups_map(const struct flat *flat)
{
	const struct history *history = flat->history;
	uint32_t *map;

	if (flat->by != BY_PROCESS)
		return NULL;
	map = need(calloc(history->nlanes + 1, sizeof(*map)));
	for (uint32_t i = 0; i < history->nlanes; i++)
		map[i + 1] = history->lanes[i].process + 1;
	return map;
}

static void flat_merge(struct flat *flat)
{
	uint32_t *map = groups_map(flat);
	struct flat_sums *sums = flat->sums;

	for (unsigned i = 0; i < flat->nworkers; i++) {
		struct flat_worker *worker = &flat->workers[i];

		tally_merge(&sums->tally, &worker->tally, map, NULL);
		tally_free(&worker->tally);
		if (!atomic_load(&flat->rough))
			kept_times_merge(&flat->times, &worker->times, map);
		kept_times_free(&worker->times);
		for (uint32_t group = 0; group < worker->ngroups; group++)
			if (worker->groups[group].extent.any)
				group_sum_merge(group_sum_of(&sums->groups, &sums->ngroups,
							     map ? map[group] : group),
						&worker->groups[group]);
		free(worker->groups);
		worker->groups = NULL;
		worker->ngroups = 0;
	}
	free(map);
}

/* All calls that the runs have. */
static void flat_sum_calls(struct flat *flat)
{
	static const struct scan_visitor visitor = {.call = worker_sum_call};

	record_scan_all(flat->scan, &visitor, flat->users, NULL);
	if (record_scan_has_marks(flat->scan))
		record_scan_marks(flat->scan, &visitor, flat->users[0]);
	flat_merge(flat);
}

/* ---- searches ---- */

/* Another one was found. False: there were too many before. */
static bool search_count(struct search *search)
{
	if (atomic_load_explicit(&search->stop, memory_order_relaxed))
		return false;
	if (atomic_fetch_add_explicit(&search->found, 1, memory_order_relaxed) < search->most_found)
		return true;
	atomic_store_explicit(&search->stop, true, memory_order_relaxed);
	return false;
}

static void search_begin(struct flat *flat, int64_t from, int64_t until, size_t most)
{
	struct search *search = &flat->search;

	search->from = from;
	search->until = until;
	search->most_found = until - from > 1 ? most : SIZE_MAX;
	atomic_store(&search->found, 0);
	atomic_store(&search->stop, false);
	for (unsigned i = 0; i < flat->nworkers; i++)
		flat->workers[i].ncalls = flat->workers[i].ncommands = 0;
}

static void worker_keep_call(struct flat_worker *worker, const struct host_call *call)
{
	if (!search_count(&worker->flat->search))
		return;
	if (worker->ncalls == worker->calls_room) {
		worker->calls_room = worker->calls_room ? 2 * worker->calls_room : 1024;
		worker->calls = need(
			reallocarray(worker->calls, worker->calls_room, sizeof(*worker->calls)));
	}
	worker->calls[worker->ncalls++] = *call;
}

/* All calls that the workers kept become the history's. */
static void history_take_calls(struct flat *flat)
{
	struct history *history = flat->history;

	history->ncalls = 0;
	for (unsigned i = 0; i < flat->nworkers; i++) {
		const struct flat_worker *worker = &flat->workers[i];
		size_t count = history->ncalls + worker->ncalls;

		if (count > history->calls_room) {
			history->calls_room = count;
			history->calls =
				need(reallocarray(history->calls, count, sizeof(*history->calls)));
		}
		if (worker->ncalls)
			memcpy(&history->calls[history->ncalls], worker->calls,
			       worker->ncalls * sizeof(*worker->calls));
		history->ncalls = count;
	}
}

/* ---- commands of a stretch of time ---- */

static bool run_has_commands(const void *user, const struct scan_run *run)
{
	const struct search *search = &((const struct flat_worker *)user)->flat->search;

	return run->ncommands && run->first_command < search->until &&
	       run->last_command >= search->from;
}

static void worker_find_command(void *user, const struct scan_command *command)
{
	struct flat_worker *worker = user;
	struct search *search = &worker->flat->search;

	if (command->start < search->from || command->start >= search->until ||
	    !search_count(search))
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
	const struct search *search = &((const struct flat_worker *)user)->flat->search;

	return run->least && run->least <= search->most && run->most >= search->least;
}

static void worker_find_submission(void *user, const struct host_call *call)
{
	struct flat_worker *worker = user;
	const struct search *search = &worker->flat->search;

	if (call->correlation < search->least || call->correlation > search->most)
		return;
	uint32_t process = worker->flat->history->lanes[call->thread].process;

	if (numbers_find(&search->submitted, submission_key(process, call->correlation)) !=
	    NO_NUMBER)
		worker_keep_call(worker, call);
}

static void history_take_submissions(struct flat *flat)
{
	struct history *history = flat->history;

	history_take_calls(flat);
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
	struct search *search = &flat->search;

	search_begin(flat, 0, 1, 0);
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

	if (!call->correlation || !worker_counts(worker, call))
		return;
	uint32_t process = flat->history->lanes[call->thread].process,
		 queue = queue_map_find(&flat->queues, process, call->correlation);

	worker_sum_call_in(worker, call, queue == NOBODY ? 0 : queue + 1);
}

static bool run_submits(const void *user, const struct scan_run *run)
{
	(void)user;
	return run->least != 0;
}

/* The calls that submitted, by their queues, when all commands have been gone through. */
static void flat_sum_submissions(struct flat *flat)
{
	static const struct scan_visitor visitor = {.wants = run_submits,
						    .call = worker_sum_submission};

	if (flat->by != BY_QUEUE)
		return;
	record_scan_all(flat->scan, &visitor, flat->users, NULL);
	flat_merge(flat);
	queue_map_free(&flat->queues);
}

/* ---- what threads did while queues waited ---- */

static int compare_stays(const void *a, const void *b)
{
	const struct stay *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread > y->thread ? 1 : -1;
	return (x->from > y->from) - (x->from < y->from);
}

/* The times of all parts that lie in the search's; those of a thread that overlap become one. */
static void search_find_stays(struct flat *flat)
{
	const struct wait_search *waits = &flat->waits;
	struct search *search = &flat->search;
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < waits->nparts; i++) {
		const struct part *part = &waits->parts[i];
		if (part->from < search->until && part->host > search->from)
			search->stays[count++] = (struct stay){
				.thread = part->thread,
				.from = time_within(part->from, search->from, search->until),
				.to = time_within(part->host, search->from, search->until)};
	}
	qsort(search->stays, count, sizeof(*search->stays), compare_stays);
	for (size_t i = 0; i < count; i++) {
		struct stay *last = kept ? &search->stays[kept - 1] : NULL;

		if (!last || last->thread != search->stays[i].thread ||
		    last->to < search->stays[i].from)
			search->stays[kept++] = search->stays[i];
		else if (search->stays[i].to > last->to)
			last->to = search->stays[i].to;
	}
	search->nstays = kept;
}

/* Whether a call takes some of a stay: of the last one that begins before the call ends. */
static bool search_wants_call(const struct search *search, const struct host_call *call)
{
	int64_t end = call->start + call->duration;
	size_t low = 0, high = search->nstays;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct stay *stay = &search->stays[middle];

		if (stay->thread < call->thread ||
		    (stay->thread == call->thread && stay->from < end))
			low = middle + 1;
		else
			high = middle;
	}
	return low && search->stays[low - 1].thread == call->thread &&
	       search->stays[low - 1].to > call->start;
}

static bool run_has_calls(const void *user, const struct scan_run *run)
{
	const struct search *search = &((const struct flat_worker *)user)->flat->search;

	return run->first < search->until && run->last > search->from;
}

static void worker_find_call(void *user, const struct host_call *call)
{
	struct flat_worker *worker = user;

	if (search_wants_call(&worker->flat->search, call) && worker_counts(worker, call))
		worker_keep_call(worker, call);
}

/* The calls between two times. False: there are too many. */
static bool search_find_calls(struct flat *flat, int64_t from, int64_t until)
{
	static const struct scan_visitor visitor = {.wants = run_has_calls,
						    .call = worker_find_call};
	struct search *search = &flat->search;

	search_begin(flat, from, until, CALLS_AT_ONCE);
	search_find_stays(flat);
	if (!search->nstays)
		return true;
	record_scan_all(flat->scan, &visitor, flat->users, &search->stop);
	if (record_scan_has_marks(flat->scan) && !atomic_load(&search->stop))
		record_scan_marks(flat->scan, &visitor, flat->users[0]);
	return !atomic_load(&search->stop);
}

static void parts_find_calls(struct flat *flat)
{
	struct wait_search *waits = &flat->waits;
	int64_t from = INT64_MAX, end = INT64_MIN;

	for (size_t i = 0; i < waits->nparts; i++) {
		from = waits->parts[i].from < from ? waits->parts[i].from : from;
		end = waits->parts[i].host > end ? waits->parts[i].host : end;
	}
	flat->search.stays = need(calloc(waits->nparts + 1, sizeof(struct stay)));
	while (from < end) {
		int64_t until = end - from <= flat->step ? end : from + flat->step;

		if (!search_find_calls(flat, from, until)) {
			flat->step = (until - from) / 2;
			continue;
		}
		history_take_calls(flat);
		wait_search_calls(waits, from, until);
		from = until;
		flat->step += flat->step < LATEST ? flat->step : 0;
	}
	free(flat->search.stays);
	flat->search.stays = NULL;
	waits->nparts = 0;
}

/* ---- all commands ---- */

struct command_grouping {
	const struct history *history;
	enum grouping by;
};

static uint32_t group_of_wait(const void *context, const struct device_command *command)
{
	const struct command_grouping *of = context;

	return of->by == BY_QUEUE ? 0 : group_of_command(of->history, of->by, command);
}

static void tally_command(struct flat *flat, const struct device_command *command)
{
	struct flat_sums *sums = flat->sums;
	uint32_t group = group_of_command(flat->history, flat->by, command);
	enum tally_kind kind =
		(enum tally_kind)((int)TALLY_KERNELS + (int)commands_table_of(command->kind));
	struct tally_row *row = tally_row(&sums->tally, kind, group, command->row);
	struct group_sum *sum = group_sum_of(&sums->groups, &sums->ngroups, group);
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
		parts_find_calls(flat);
}

static void flat_sum_commands(struct flat *flat)
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
		search_begin(flat, at, at + step, COMMANDS_AT_ONCE);
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

/* ---- the whole ---- */

static void flat_begin(struct flat *flat)
{
	flat->nworkers = SCAN_WORKERS;
	flat->workers = need(calloc(flat->nworkers, sizeof(*flat->workers)));
	flat->users = need(calloc(flat->nworkers, sizeof(*flat->users)));
	for (unsigned i = 0; i < flat->nworkers; i++) {
		flat->workers[i].flat = flat;
		flat->users[i] = &flat->workers[i];
	}
}

static void flat_end(struct flat *flat)
{
	for (unsigned i = 0; i < flat->nworkers; i++) {
		tally_free(&flat->workers[i].tally);
		kept_times_free(&flat->workers[i].times);
		free(flat->workers[i].groups);
		free(flat->workers[i].calls);
		free(flat->workers[i].commands);
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
		code = record_scan_judge(flat.scan, paths);
	}
	flat_end(&flat);
	return code;
}

/* ---- files of other formats ---- */

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

		worker_sum_call(&flat->workers[0], call);
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
	if (flat->scan && record_scan_judge(flat->scan, NULL) != EXIT_DONE)
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
		history_free(history);
		*history = (struct history){0};
		*sums = (struct flat_sums){.history = history};
		flat = (struct flat){.sums = sums, .history = history, .by = by, .filter = filter};
		flat.packs_all = true;
		state = flat_take_files(&flat, paths, count, filter, &code);
	}
	*kept = state == FLAT_KEPT;
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
