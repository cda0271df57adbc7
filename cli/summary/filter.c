/* SPDX-License-Identifier: MIT */
/*
 * filter.c: see filter.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/read/read.h"
#include "cli/summary/filter.h"
#include "common/settings.h"

bool filter_is_any(const struct filter *filter)
{
	return selection_is_any(&filter->selection);
}

static int64_t time_add(int64_t start, uint64_t more)
{
	int64_t sum;

	return __builtin_add_overflow(start, (int64_t)(more & INT64_MAX), &sum) ? INT64_MAX : sum;
}

void filter_start(struct filter *filter, int64_t start)
{
	filter->from = time_add(start, filter->selection.from);
	filter->to = time_add(start, filter->selection.to);
}

/* ---- names and threads ---- */

enum verdict { VERDICT_NONE, VERDICT_TAKE, VERDICT_LEAVE };

static unsigned char *verdict_of(struct verdicts *verdicts, uint32_t number)
{
	if (number >= verdicts->room) {
		uint32_t room = number + number / 2 + 64;

		verdicts->list = need(realloc(verdicts->list, room));
		memset(verdicts->list + verdicts->room, VERDICT_NONE, room - verdicts->room);
		verdicts->room = room;
	}
	return &verdicts->list[number];
}

void filter_memory_free(struct filter_memory *memory)
{
	free(memory->names.list);
	free(memory->lanes.list);
	free(memory->queues.list);
	free(memory->requests.list);
}

static bool process_is_taken(const struct filter *filter, const struct process *process)
{
	const char *globs = filter->selection.process;

	return !globs || (process->name && tl_glob_any(globs, process->name)) ||
	       (process->number && tl_glob_any(globs, process->number));
}

static bool name_is_taken(const struct filter *filter, const struct history *history,
			  uint32_t number)
{
	return !filter->selection.name ||
	       name_matches(filter->selection.name, history->names.list[number]);
}

static bool lane_is_taken(const struct filter *filter, const struct history *history,
			  uint32_t number)
{
	const struct lane *lane = &history->lanes[number];
	const struct selected_lane about = {.name = lane->name, .number = lane->number};

	return process_is_taken(filter, &history->processes[lane->process]) &&
	       selection_has_lane(&filter->selection, &about);
}

static bool queue_is_taken(const struct filter *filter, const struct history *history,
			   uint32_t number)
{
	const struct queue *queue = &history->queues[number];
	const struct lane *lane = &history->lanes[queue->lane];
	char digits[16];
	const struct selected_lane about = {.name = lane->name,
					    .number = lane->number,
					    .is_queue = true,
					    .queue = queue->number ? digits : NULL,
					    .device = queue->device,
					    .hardware = queue->hardware};

	snprintf(digits, sizeof(digits), "%u", queue->number);
	return process_is_taken(filter, &history->processes[queue->process]) &&
	       selection_has_lane(&filter->selection, &about);
}

static bool request_is_taken(const struct filter *filter, const struct history *history,
			     uint32_t number)
{
	return selection_has_request(&filter->selection, number < history->requests.count
								 ? history->requests.list[number]
								 : NULL);
}

typedef bool (*verdict_maker)(const struct filter *filter, const struct history *history,
			      uint32_t number);

/* `make` looks at texts, once for each number. */
static bool is_taken(const struct filter *filter, struct verdicts *verdicts, verdict_maker make,
		     const struct history *history, pthread_mutex_t *lock, uint32_t number)
{
	unsigned char *verdict = verdict_of(verdicts, number);

	if (*verdict != VERDICT_NONE)
		return *verdict == VERDICT_TAKE;
	if (lock)
		pthread_mutex_lock(lock);
	*verdict = make(filter, history, number) ? VERDICT_TAKE : VERDICT_LEAVE;
	if (lock)
		pthread_mutex_unlock(lock);
	return *verdict == VERDICT_TAKE;
}

/* ---- calls and commands ---- */

/* A part of it lies in the time that is selected, as in `tracelayer export`. */
static bool times_are_taken(const struct filter *filter, int64_t start, int64_t duration)
{
	if (duration < filter->selection.longer)
		return false;
	return !filter->selection.has_time ||
	       (start <= filter->to && start + duration >= filter->from);
}

bool filter_takes_call(const struct filter *filter, struct filter_memory *memory,
		       const struct history *history, pthread_mutex_t *lock,
		       const struct host_call *call)
{
	return (call->failed || !filter->selection.failed) &&
	       times_are_taken(filter, call->start, call->duration) &&
	       is_taken(filter, &memory->names, name_is_taken, history, lock, call->name) &&
	       is_taken(filter, &memory->lanes, lane_is_taken, history, lock, call->thread) &&
	       (!filter->selection.request || is_taken(filter, &memory->requests, request_is_taken,
						       history, lock, call->request));
}

bool filter_takes_command(const struct filter *filter, struct filter_memory *memory,
			  const struct history *history, const struct device_command *command)
{
	return !filter->selection.failed &&
	       times_are_taken(filter, command->start, command->end - command->start) &&
	       is_taken(filter, &memory->names, name_is_taken, history, NULL, command->row) &&
	       is_taken(filter, &memory->queues, queue_is_taken, history, NULL, command->queue) &&
	       (!filter->selection.request || is_taken(filter, &memory->requests, request_is_taken,
						       history, NULL, command->request));
}

/* Traces of other tools begin with their first event. */
int64_t filter_start_of(const struct history *history)
{
	int64_t start = INT64_MAX;

	if (history->start)
		return history->start;
	for (size_t i = 0; i < history->ncalls; i++)
		start = history->calls[i].start < start ? history->calls[i].start : start;
	for (size_t i = 0; i < history->ncommands; i++)
		start = history->commands[i].start < start ? history->commands[i].start : start;
	return start == INT64_MAX ? 0 : start;
}

void filter_history(struct filter *filter, struct history *history)
{
	struct filter_memory memory = {.names = {NULL, 0}};
	size_t calls = 0, commands = 0;

	filter_start(filter, filter_start_of(history));
	history->filtered = true;
	history->unfinished = 0;
	for (size_t i = 0; i < history->ncalls; i++) {
		const struct host_call call = history->calls[i];

		if (!filter_takes_call(filter, &memory, history, NULL, &call))
			continue;
		history->lanes[call.thread].selected |= !call.own;
		history->calls[i] = history->calls[calls];
		history->calls[calls++] = call;
	}
	history->nothers = history->ncalls - calls;
	for (size_t i = 0; i < history->ncommands; i++)
		if (filter_takes_command(filter, &memory, history, &history->commands[i])) {
			history->unfinished += history->commands[i].unfinished;
			history->commands[commands++] = history->commands[i];
		}
	history->ncalls = calls;
	history->ncommands = commands;
	filter_memory_free(&memory);
}
