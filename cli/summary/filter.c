/* SPDX-License-Identifier: MIT */
/*
 * filter.c: see filter.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/summary/filter.h"
#include "common/settings.h"

bool filter_is_any(const struct filter *filter)
{
	return selection_is_within(&filter->selection) || filter->selection.process ||
	       filter->failed || filter->longer;
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
}

static bool globs_have(const char *globs, const char *name, const char *number)
{
	return !globs || (name && tl_glob_any(globs, name)) ||
	       (number && tl_glob_any(globs, number));
}

static bool lane_is_taken(const struct filter *filter, const struct history *history,
			  uint32_t number)
{
	const struct lane *lane = &history->lanes[number];
	const struct process *process = &history->processes[lane->process];

	return globs_have(filter->selection.thread, lane->name, lane->number) &&
	       globs_have(filter->selection.process, process->name, process->number);
}

static enum verdict verdict_make(bool takes)
{
	return takes ? VERDICT_TAKE : VERDICT_LEAVE;
}

/* Of texts that nobody has asked about before. */
static void texts_judge(const struct filter *filter, const struct history *history,
			pthread_mutex_t *lock, unsigned char *name, uint32_t name_number,
			unsigned char *lane, uint32_t lane_number)
{
	if (lock)
		pthread_mutex_lock(lock);
	if (*name == VERDICT_NONE)
		*name = verdict_make(
			globs_have(filter->selection.name, history->names.list[name_number], NULL));
	if (*lane == VERDICT_NONE)
		*lane = verdict_make(lane_is_taken(filter, history, lane_number));
	if (lock)
		pthread_mutex_unlock(lock);
}

static bool texts_are_taken(const struct filter *filter, struct filter_memory *memory,
			    const struct history *history, pthread_mutex_t *lock, uint32_t name,
			    uint32_t lane)
{
	unsigned char *of_name = verdict_of(&memory->names, name),
		      *of_lane = verdict_of(&memory->lanes, lane);

	if (*of_name == VERDICT_NONE || *of_lane == VERDICT_NONE)
		texts_judge(filter, history, lock, of_name, name, of_lane, lane);
	return *of_name == VERDICT_TAKE && *of_lane == VERDICT_TAKE;
}

/* ---- calls and commands ---- */

/* A part of it lies in the time that is selected, as in `tracelayer export`. */
static bool times_are_taken(const struct filter *filter, int64_t start, int64_t duration)
{
	if (duration < filter->longer)
		return false;
	return !filter->selection.has_time ||
	       (start <= filter->to && start + duration >= filter->from);
}

bool filter_takes_call(const struct filter *filter, struct filter_memory *memory,
		       const struct history *history, pthread_mutex_t *lock,
		       const struct host_call *call)
{
	return (call->failed || !filter->failed) &&
	       times_are_taken(filter, call->start, call->duration) &&
	       texts_are_taken(filter, memory, history, lock, call->name, call->thread);
}

bool filter_takes_command(const struct filter *filter, struct filter_memory *memory,
			  const struct history *history, const struct device_command *command)
{
	return !filter->failed &&
	       times_are_taken(filter, command->start, command->end - command->start) &&
	       texts_are_taken(filter, memory, history, NULL, command->row,
			       history->queues[command->queue].lane);
}

/* Traces of other tools begin with their first event. */
static int64_t history_start(const struct history *history)
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

	filter_start(filter, history_start(history));
	history->unfinished = 0;
	for (size_t i = 0; i < history->ncalls; i++)
		if (filter_takes_call(filter, &memory, history, NULL, &history->calls[i]))
			history->calls[calls++] = history->calls[i];
	for (size_t i = 0; i < history->ncommands; i++)
		if (filter_takes_command(filter, &memory, history, &history->commands[i])) {
			history->unfinished += history->commands[i].unfinished;
			history->commands[commands++] = history->commands[i];
		}
	history->ncalls = calls;
	history->ncommands = commands;
	filter_memory_free(&memory);
}
