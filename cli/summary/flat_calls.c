/* SPDX-License-Identifier: MIT */
/*
 * flat_calls.c: calls are summed up, in several threads: see flat.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/summary/flat_work.h"

struct group_sum *flat_group_sum(struct group_sum **groups, uint32_t *count, uint32_t group)
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
 * While workers run, a thread's process is not to be asked for: they count by thread. While events
 * are read, nor is a stack's group: its number counts. groups_map tells the rest.
 */
static uint32_t worker_group(const struct flat_worker *worker, const struct host_call *call)
{
	enum grouping by = worker->flat->by;

	if (by == BY_STACK)
		return call->request;
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

bool flat_worker_counts(struct flat_worker *worker, const struct host_call *call)
{
	const struct flat *flat = worker->flat;

	return !flat->filter || filter_takes_call(flat->filter, &worker->filtered, flat->history,
						  record_scan_lock(flat->scan), call);
}

void flat_keep_time(struct flat *flat, struct kept_times *times, const struct tally_row *row,
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

static void worker_select(struct flat_worker *worker, uint32_t thread)
{
	if (thread >= worker->nselected) {
		uint32_t more = thread + thread / 2 + 16;

		worker->selected =
			need(reallocarray(worker->selected, more, sizeof(*worker->selected)));
		memset(worker->selected + worker->nselected, 0, more - worker->nselected);
		worker->nselected = more;
	}
	worker->selected[thread] = true;
}

void flat_worker_sum_in(struct flat_worker *worker, const struct host_call *call, uint32_t group)
{
	struct tally_row *row =
		worker_row(worker, call->own ? TALLY_EVENTS : TALLY_CALLS, group, call->name);

	row->failed += call->failed;
	histogram_add(&row->times, call->duration);
	flat_keep_time(worker->flat, &worker->times, row, call->duration);
	if (worker->flat->filter && !call->own)
		worker_select(worker, call->thread);
	if (worker->flat->by == BY_FUNCTION)
		return;
	struct group_sum *sum = flat_group_sum(&worker->groups, &worker->ngroups, group);

	sum->row.calls += !call->own;
	sum->row.failed += call->failed;
	sum->row.calls_time += call->own ? 0 : call->duration;
	extent_add(&sum->extent, call->start, call->start + call->duration);
}

void flat_worker_sum(void *user, const struct host_call *call)
{
	struct flat_worker *worker = user;

	/* Queues are known when all commands are. */
	if (worker->flat->by == BY_QUEUE && call->correlation)
		return;
	bool counts = flat_worker_counts(worker, call);
	uint32_t group = counts ? worker_group(worker, call) : 0;

	if (counts)
		flat_worker_sum_in(worker, call, group);
	if (worker->flat->history->self)
		self_calls_add(&worker->self, call, worker->place++, group, counts);
}

static void worker_begin_run(void *user, size_t number)
{
	struct flat_worker *worker = user;

	worker->place = (uint64_t)number << 32;
}

static void group_sum_merge(struct group_sum *to, const struct group_sum *from)
{
	to->row.calls += from->row.calls;
	to->row.failed += from->row.failed;
	to->row.calls_time += from->row.calls_time;
	if (from->extent.any)
		extent_add(&to->extent, from->extent.first, from->extent.last);
}

/* Threads to their processes, stacks to their groups; NULL: groups are what they are. */
static uint32_t *groups_map(const struct flat *flat)
{
	const struct history *history = flat->history;
	uint32_t *map;

	if (flat->by == BY_STACK && history->stack_groups) {
		size_t size = (history->stacks.stacks.count + 1ul) * sizeof(*map);

		return memcpy(need(malloc(size)), history->stack_groups, size);
	}
	if (flat->by != BY_PROCESS)
		return NULL;
	map = need(calloc(history->nlanes + 1, sizeof(*map)));
	for (uint32_t i = 0; i < history->nlanes; i++)
		map[i + 1] = history->lanes[i].process + 1;
	return map;
}

static void flat_merge_self(struct flat *flat, const uint32_t *map)
{
	struct self_calls calls = {NULL, 0, 0};

	for (unsigned i = 0; i < flat->nworkers; i++)
		self_calls_merge(&calls, &flat->workers[i].self, map);
	self_sums_add(flat->history->self, &calls);
	self_calls_free(&calls);
}

void flat_merge(struct flat *flat)
{
	uint32_t *map = groups_map(flat);
	struct flat_sums *sums = flat->sums;

	flat->history->filtered = flat->filter;
	if (flat->history->self)
		flat_merge_self(flat, map);
	for (unsigned i = 0; i < flat->nworkers; i++) {
		struct flat_worker *worker = &flat->workers[i];

		tally_merge(&sums->tally, &worker->tally, map, NULL);
		tally_free(&worker->tally);
		if (!atomic_load(&flat->rough))
			kept_times_merge(&flat->times, &worker->times, map);
		kept_times_free(&worker->times);
		for (uint32_t group = 0; group < worker->ngroups; group++)
			if (worker->groups[group].extent.any)
				group_sum_merge(flat_group_sum(&sums->groups, &sums->ngroups,
							       map ? map[group] : group),
						&worker->groups[group]);
		free(worker->groups);
		worker->groups = NULL;
		worker->ngroups = 0;
		for (uint32_t thread = 0; thread < worker->nselected; thread++)
			if (worker->selected[thread])
				flat->history->lanes[thread].selected = true;
	}
	free(map);
}

void flat_sum_calls(struct flat *flat)
{
	static const struct scan_visitor visitor = {.run = worker_begin_run,
						    .call = flat_worker_sum};

	record_scan_all(flat->scan, &visitor, flat->users, NULL);
	/* Marks are around the calls that took the same time. */
	worker_begin_run(flat->users[0], UINT32_MAX);
	if (record_scan_has_marks(flat->scan))
		record_scan_marks(flat->scan, &visitor, flat->users[0]);
	flat_merge(flat);
}
