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

/*
 * A gap without the device's part: up to `host` the thread did something else, and up to `call` it
 * was in the call that submitted.
 */
struct part {
	int64_t from, host, call;
	uint32_t thread, submit, group, queue;
	size_t gap;
};

/* From here on, up to the next stretch, a thread was in this call. */
struct stretch {
	int64_t start;
	uint32_t name;
};

struct work {
	struct waits *waits;
	struct history *history;
	struct part *parts;
	size_t nparts, room, ngaps;
	uint32_t program, device, unknown; /* the causes that are no calls */
};

static void add_wait(struct work *work, const struct part *part, uint32_t cause, int64_t time)
{
	struct waits *waits = work->waits;
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

static void add_gap(struct work *work, const struct device_command *command, int64_t idle,
		    uint32_t group)
{
	const struct gap gap = {command->start - idle, command->start, command->submit_start,
				command->submit_end};
	const struct gap_parts ends = gap_parts(&gap);
	struct part part = {gap.from,	     ends.host, ends.call,	command->thread,
			    command->submit, group,	command->queue, ++work->ngaps};

	if (command->submit == NOBODY) {
		add_wait(work, &part, work->unknown, idle);
		return;
	}
	add_wait(work, &part, work->device, gap.to - ends.call);
	if (ends.call == gap.from)
		return;
	if (work->nparts == work->room) {
		work->room = work->room ? 2 * work->room : 256;
		work->parts = need(reallocarray(work->parts, work->room, sizeof(struct part)));
	}
	work->parts[work->nparts++] = part;
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

static void find_gaps(struct work *work, wait_group group, const void *context)
{
	struct history *history = work->history;

	if (history->ncommands)
		qsort(history->commands, history->ncommands, sizeof(struct device_command),
		      compare_commands);
	for (size_t i = 0; i < history->ncommands; i++) {
		const struct device_command *command = &history->commands[i];
		int64_t idle = queue_time_add(&work->waits->queues[command->queue], command->start,
					      command->end);

		if (idle)
			add_gap(work, command, idle, group(context, command));
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

static void tell_part(struct work *work, const struct part *part, const struct stretch *flat,
		      size_t count)
{
	int64_t at = part->from;

	for (size_t i = stretch_at(flat, count, at); at < part->host; i++) {
		int64_t end = i + 1 < count && flat[i + 1].start < part->host ? flat[i + 1].start
									      : part->host;

		add_wait(work, part, flat[i].name, end - at);
		at = end;
	}
	add_wait(work, part, part->submit, part->call - part->host);
}

static size_t first_call_of(const struct history *history, uint32_t thread)
{
	size_t low = 0, high = history->ncalls;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (history->calls[middle].thread < thread)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void ask_threads(struct work *work)
{
	struct history *history = work->history;

	if (!work->nparts)
		return;
	qsort(work->parts, work->nparts, sizeof(struct part), compare_parts);
	qsort(history->calls, history->ncalls, sizeof(struct host_call), compare_calls);
	for (size_t i = 0, end; i < work->nparts; i = end) {
		uint32_t thread = work->parts[i].thread;
		size_t first = first_call_of(history, thread),
		       count = first_call_of(history, thread + 1) - first;
		struct stretch *flat = need(calloc(2 * count + 1, sizeof(*flat)));
		size_t nflat = lay_flat(flat, &history->calls[first], count, work->program);

		for (end = i; end < work->nparts && work->parts[end].thread == thread; end++)
			tell_part(work, &work->parts[end], flat, nflat);
		free(flat);
	}
}

void waits_of(struct waits *waits, struct history *history, wait_group group, const void *context)
{
	struct work work = {
		.waits = waits,
		.history = history,
		.program = names_number(&history->names, GAP_PROGRAM),
		.device = names_number(&history->names, GAP_DEVICE),
		.unknown = names_number(&history->names, GAP_UNKNOWN),
	};

	*waits = (struct waits){
		.queues = need(calloc(history->nqueues + 1, sizeof(struct queue_time)))};
	find_gaps(&work, group, context);
	ask_threads(&work);
	free(work.parts);
}

void waits_free(struct waits *waits)
{
	free(waits->list);
	free(waits->queues);
	names_free(&waits->keys);
}
