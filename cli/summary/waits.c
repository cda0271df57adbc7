/* SPDX-License-Identifier: MIT */
/*
 * waits.c: see waits.h.
 *
 * First all gaps of all queues are found. Then each thread's calls are laid flat, as stretches one
 * after the other, and each gap looks up the stretches that it overlaps.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/summary/waits.h"

/* From here on, up to the next stretch, a thread was in this call. */
struct stretch {
	int64_t start;
	uint32_t name;
};

static void add_wait(struct wait_search *search, const struct part *part, uint32_t cause,
		     int64_t time)
{
	struct waits *waits = search->waits;
	uint32_t count = waits->keys.count;
	char key[48];

	if (time <= 0)
		return;
	snprintf(key, sizeof(key), "%u %u %u", part->group, part->queue, cause);
	uint32_t number = names_number(&waits->keys, key);

	if (number == count) {
		waits->list = need(reallocarray(waits->list, count + 1, sizeof(struct wait)));
		waits->list[number] =
			(struct wait){.group = part->group, .queue = part->queue, .cause = cause};
	}
	struct wait *wait = &waits->list[number];

	if (wait->gap != part->gap) {
		wait->gap = part->gap;
		wait->in_gap = 0;
		wait->gaps++;
	}
	wait->in_gap += time;
	wait->total += time;
	wait->longest = wait->in_gap > wait->longest ? wait->in_gap : wait->longest;
}

/* ---- the gaps ---- */

static void add_gap(struct wait_search *search, const struct device_command *command, int64_t idle,
		    uint32_t group)
{
	const struct gap gap = {command->start - idle, command->start, command->submit_start,
				command->submit_end};
	const struct gap_parts ends = gap_parts(&gap);
	struct part part = {gap.from,	     ends.host, ends.call,	command->thread,
			    command->submit, group,	command->queue, ++search->ngaps};

	if (command->submit == NOBODY) {
		add_wait(search, &part, search->unknown, idle);
		return;
	}
	add_wait(search, &part, search->device, gap.to - ends.call);
	if (ends.call == gap.from)
		return;
	if (search->nparts == search->room) {
		search->room = search->room ? 2 * search->room : 256;
		search->parts =
			need(reallocarray(search->parts, search->room, sizeof(struct part)));
	}
	search->parts[search->nparts++] = part;
}

static int compare_commands(const void *a, const void *b)
{
	const struct device_command *x = a, *y = b;

	if (x->queue != y->queue)
		return x->queue > y->queue ? 1 : -1;
	if (x->start != y->start)
		return x->start > y->start ? 1 : -1;
	if (x->end != y->end)
		return x->end > y->end ? 1 : -1;
	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* The history may have more queues than before. */
static void search_make_queues(struct wait_search *search)
{
	uint32_t count = search->history->nqueues, had = search->nqueues;
	struct queue_time *queues;

	queues = need(reallocarray(search->waits->queues, count + 1, sizeof(*queues)));
	if (count > had)
		memset(&queues[had], 0, (count - had) * sizeof(*queues));
	search->waits->queues = queues;
	search->nqueues = count;
}

void wait_search_commands(struct wait_search *search, wait_group group, const void *context)
{
	struct history *history = search->history;

	search_make_queues(search);

	if (history->ncommands)
		qsort(history->commands, history->ncommands, sizeof(struct device_command),
		      compare_commands);
	for (size_t i = 0; i < history->ncommands; i++) {
		const struct device_command *command = &history->commands[i];
		int64_t idle = queue_time_add(&search->waits->queues[command->queue],
					      command->start, command->end);

		if (idle)
			add_gap(search, command, idle, group(context, command));
	}
}

/* ---- the threads ---- */

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread > y->thread ? 1 : -1;
	return (x->gap > y->gap) - (x->gap < y->gap);
}

/* Calls inside others behind them. */
static int compare_calls(const void *a, const void *b)
{
	const struct host_call *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread > y->thread ? 1 : -1;
	if (x->start != y->start)
		return x->start > y->start ? 1 : -1;
	return (x->duration < y->duration) - (x->duration > y->duration);
}

static size_t add_stretch(struct stretch *flat, size_t count, int64_t start, uint32_t name)
{
	if (count && start <= flat[count - 1].start)
		count--; /* nothing was in that one */
	else if (count && flat[count - 1].name == name)
		return count;
	flat[count] = (struct stretch){
		count && start < flat[count - 1].start ? flat[count - 1].start : start, name};
	return count + 1;
}

/*
 * Lays `count` calls of one thread flat. `flat` has room for 2 * count + 1 stretches. Returns their
 * number.
 */
static size_t lay_flat(struct stretch *flat, const struct host_call *calls, size_t count,
		       uint32_t program)
{
	const struct host_call **open = need(calloc(count + 1, sizeof(*open)));
	size_t depth = 0, n = add_stretch(flat, 0, INT64_MIN, program);

	for (size_t i = 0; i <= count; i++) {
		while (depth && (i == count || open[depth - 1]->start + open[depth - 1]->duration <=
						       calls[i].start)) {
			const struct host_call *over = open[--depth];

			n = add_stretch(flat, n, over->start + over->duration,
					depth ? open[depth - 1]->name : program);
		}
		if (i == count)
			break;
		n = add_stretch(flat, n, calls[i].start, calls[i].name);
		open[depth++] = &calls[i];
	}
	free(open);
	return n;
}

/* The last stretch that starts at or before that time; the first one always does. */
static size_t stretch_at(const struct stretch *flat, size_t count, int64_t time)
{
	size_t low = 0, high = count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (flat[middle].start <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void tell_part(struct wait_search *search, const struct part *part,
		      const struct stretch *flat, size_t count)
{
	int64_t at = part->from;

	for (size_t i = stretch_at(flat, count, at); at < part->host; i++) {
		int64_t end = i + 1 < count && flat[i + 1].start < part->host ? flat[i + 1].start
									      : part->host;

		add_wait(search, part, flat[i].name, end - at);
		at = end;
	}
	add_wait(search, part, part->submit, part->call - part->host);
}

static size_t first_call_of(const struct host_call *calls, size_t count, uint32_t thread)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (calls[middle].thread < thread)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void ask_threads(struct wait_search *search)
{
	const struct history *history = search->history;
	size_t ncalls = history->ncalls + history->nothers;
	struct host_call *calls = history->calls, *copy = NULL;

	if (!search->nparts)
		return;
	if (history->nothers)
		calls = copy = memcpy(need(calloc(ncalls, sizeof(*calls))), history->calls,
				      ncalls * sizeof(*calls));
	qsort(search->parts, search->nparts, sizeof(struct part), compare_parts);
	qsort(calls, ncalls, sizeof(*calls), compare_calls);
	for (size_t i = 0, end; i < search->nparts; i = end) {
		uint32_t thread = search->parts[i].thread;
		size_t first = first_call_of(calls, ncalls, thread),
		       count = first_call_of(calls, ncalls, thread + 1) - first;
		struct stretch *flat = need(calloc(2 * count + 1, sizeof(*flat)));
		size_t nflat = lay_flat(flat, &calls[first], count, search->program);

		for (end = i; end < search->nparts && search->parts[end].thread == thread; end++)
			tell_part(search, &search->parts[end], flat, nflat);
		free(flat);
	}
	free(copy);
}

/* ---- in portions ---- */

/* Gaps one after another, whatever their threads: what belongs to one gap must come together. */
static int compare_gaps(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->gap > y->gap) - (x->gap < y->gap);
}

/* What one thread's calls are when they are laid flat: its part of a list. */
struct flat_thread {
	size_t first, count;
};

static struct stretch *threads_lay_flat(const struct wait_search *search,
					struct flat_thread *threads)
{
	const struct history *history = search->history;
	struct stretch *flat =
		need(calloc(2 * history->ncalls + history->nlanes + 1, sizeof(*flat)));
	size_t used = 0;

	for (uint32_t thread = 0; thread < history->nlanes; thread++) {
		size_t first = first_call_of(history->calls, history->ncalls, thread),
		       count = first_call_of(history->calls, history->ncalls, thread + 1) - first;

		threads[thread].first = used;
		threads[thread].count =
			lay_flat(&flat[used], &history->calls[first], count, search->program);
		used += threads[thread].count;
	}
	return flat;
}

void wait_search_calls(struct wait_search *search, int64_t from, int64_t until)
{
	struct history *history = search->history;
	struct flat_thread *threads = need(calloc(history->nlanes + 1, sizeof(*threads)));

	if (history->ncalls)
		qsort(history->calls, history->ncalls, sizeof(struct host_call), compare_calls);
	struct stretch *flat = threads_lay_flat(search, threads);

	if (search->nparts)
		qsort(search->parts, search->nparts, sizeof(struct part), compare_gaps);
	for (size_t i = 0; i < search->nparts; i++) {
		struct part part = search->parts[i];
		const struct flat_thread *thread = &threads[part.thread];

		if (part.from >= until || part.host <= from)
			continue;
		part.from = time_within(part.from, from, until);
		if (part.host > until)
			part.host = part.call = until; /* goes on */
		tell_part(search, &part, &flat[thread->first], thread->count);
	}
	free(flat);
	free(threads);
}

/* ---- at once ---- */

void wait_search_begin(struct wait_search *search, struct waits *waits, struct history *history)
{
	*waits = (struct waits){.queues = need(calloc(1, sizeof(struct queue_time)))};
	*search = (struct wait_search){
		.waits = waits,
		.history = history,
		.program = names_number(&history->names, GAP_PROGRAM),
		.device = names_number(&history->names, GAP_DEVICE),
		.unknown = names_number(&history->names, GAP_UNKNOWN),
	};
}

void waits_of(struct waits *waits, struct history *history, wait_group group, const void *context)
{
	struct wait_search search;

	wait_search_begin(&search, waits, history);
	wait_search_commands(&search, group, context);
	ask_threads(&search);
	free(search.parts);
}

void waits_free(struct waits *waits)
{
	free(waits->list);
	free(waits->queues);
	names_free(&waits->keys);
}
