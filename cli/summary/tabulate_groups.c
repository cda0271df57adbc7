/* SPDX-License-Identifier: MIT */
/*
 * tabulate_groups.c: how rows are grouped: the group of a call or a command, and what a
 * group is called. See tabulate_work.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/summary/tabulate_work.h"

static const struct {
	const char *word, *plural;
	struct table_column column;
} groupings[] = {
	[BY_FUNCTION] = {"function", "", {NULL, NULL, TABLE_NAME, false}},
	[BY_THREAD] = {"thread", "threads", {"thread", "thread", TABLE_NAME, false}},
	/* The tables of queues have such a column anyway. */
	[BY_QUEUE] = {"queue", "", {"of_queue", "queue", TABLE_NAME, false}},
	[BY_PROCESS] = {"process", "processes", {"process", "process", TABLE_NAME, false}},
	[BY_REQUEST] = {"request", "requests", {"request", "request", TABLE_NAME, false}},
	[BY_STACK] = {"stack", "stacks", {"stack", "stack", TABLE_NAME, false}},
	/* Only kernels have one. */
	[BY_SIZE] = {"size", "", {"work_size", "work size", TABLE_NAME, false}},
};

int grouping_named(const char *word)
{
	for (int i = 0; i < GROUPINGS; i++)
		if (!strcmp(word, groupings[i].word))
			return i;
	return -1;
}

const char *tabulated_plural(const struct tabulation *of)
{
	return groupings[of->by].plural;
}

const struct table_column *tabulated_group_column(const struct tabulation *of)
{
	return of->by == BY_FUNCTION ? NULL : &groupings[of->by].column;
}

const struct table_column *tabulated_other_column(const struct tabulation *of)
{
	return of->by == BY_SIZE ? NULL : tabulated_group_column(of);
}

const struct table_column *tabulated_commands_column(const struct tabulation *of,
						     enum commands_table which)
{
	return which == COMMANDS_KERNELS ? tabulated_group_column(of) : tabulated_other_column(of);
}

static uint32_t stack_group(const struct history *history, uint32_t stack)
{
	return history->stack_groups ? history->stack_groups[stack] : stack;
}

uint32_t group_of_call(const struct history *history, enum grouping by,
		       const struct host_call *call)
{
	switch (by) {
	case BY_THREAD:
		return call->thread + 1;
	case BY_QUEUE:
		return call->correlation;
	case BY_PROCESS:
		return history->lanes[call->thread].process + 1;
	case BY_REQUEST:
		return call->request;
	case BY_STACK:
		return stack_group(history, call->request);
	default:
		return 0;
	}
}

uint32_t group_of_command(const struct history *history, enum grouping by,
			  const struct device_command *command)
{
	switch (by) {
	case BY_THREAD:
		return command->thread == NOBODY ? 0 : command->thread + 1;
	case BY_QUEUE:
		return command->queue + 1;
	case BY_PROCESS:
		return history->queues[command->queue].process + 1;
	case BY_REQUEST:
		return command->request;
	case BY_SIZE:
		return commands_table_of(command->kind) == COMMANDS_KERNELS ? command->size : 0;
	case BY_STACK:
		return stack_group(history, command->request);
	default:
		return 0;
	}
}

uint32_t group_of_idling(const struct history *history, enum grouping by,
			 const struct device_command *command)
{
	return by == BY_QUEUE || by == BY_SIZE ? 0 : group_of_command(history, by, command);
}

uint32_t tabulated_call_group(const struct tabulation *of, const struct host_call *call)
{
	return group_of_call(of->history, of->by, call);
}

uint32_t tabulated_command_group(const struct tabulation *of, const struct device_command *command)
{
	return group_of_command(of->history, of->by, command);
}

uint32_t tabulated_groups(const struct tabulation *of)
{
	const struct history *history = of->history;
	const uint32_t counts[] = {1,
				   history->nlanes + 1,
				   history->nqueues + 1,
				   history->nprocesses + 1,
				   history->requests.count + 1,
				   history->requests.count + 1,
				   history->sizes.count + 1};

	return counts[of->by];
}

static void process_label(char *to, size_t room, const struct history *history, uint32_t number)
{
	const struct process *process = &history->processes[number];

	snprintf(to, room, "%s%s%s%s%s%s", process->number, process->name ? " " : "",
		 process->name ? process->name : "", process->labels ? " (" : "",
		 process->labels ? process->labels : "", process->labels ? ")" : "");
}

static const char *of_process(const struct tabulation *of, uint32_t process)
{
	return of->several ? of->history->processes[process].number : "";
}

/*
 * Overlapping work is on further lanes, "queue 1 (2), Device", or "... (2)" in traces of older
 * versions: what they have in common is the queue's name. Returns how much of it stands before the
 * number; *rest: what stands behind it.
 */
static size_t length_of_queue(const char *lane, const char **rest)
{
	for (const char *at = strstr(lane, " ("); at; at = strstr(at + 1, " (")) {
		size_t digits = strspn(at + 2, "0123456789");
		const char *behind = at + 2 + digits;

		if (!digits || *behind != ')' || (behind[1] && strncmp(behind + 1, ", ", 2)))
			continue;
		*rest = behind + 1;
		return (size_t)(at - lane);
	}
	*rest = "";
	return strlen(lane);
}

void tabulated_queue_label(char *to, size_t room, const struct tabulation *of, uint32_t number)
{
	const struct queue *queue = &of->history->queues[number];
	const struct lane *lane = &of->history->lanes[queue->lane];
	const char *process = of_process(of, queue->process);
	int length = snprintf(to, room, "%s%s", process, *process ? ": " : "");

	if (lane->name) {
		const char *rest;
		int size = (int)length_of_queue(lane->name, &rest);
		snprintf(to + length, room - (size_t)length, "%.*s%s", size, lane->name, rest);
	} else if (queue->number)
		snprintf(to + length, room - (size_t)length, "queue %u%s%s", queue->number,
			 queue->device ? ", " : "", queue->device ? queue->device : "");
	else
		snprintf(to + length, room - (size_t)length, "lane %s", lane->number);
}

static void thread_label(char *to, size_t room, const struct tabulation *of, uint32_t number)
{
	const struct lane *lane = &of->history->lanes[number];
	const char *process = of_process(of, lane->process);

	snprintf(to, room, "%s%s%s%s%s", process, *process ? ": " : "", lane->number,
		 lane->name ? " " : "", lane->name ? lane->name : "");
}

const char *tabulated_group_label(char to[LABEL], const struct tabulation *of, uint32_t group)
{
	if (of->by == BY_FUNCTION)
		return NULL;
	strcpy(to, "-");
	if (group && of->by == BY_THREAD)
		thread_label(to, LABEL, of, group - 1);
	else if (group && of->by == BY_QUEUE)
		tabulated_queue_label(to, LABEL, of, group - 1);
	else if (group && of->by == BY_PROCESS)
		process_label(to, LABEL, of->history, group - 1);
	else if (group && of->by == BY_SIZE)
		snprintf(to, LABEL, "%s", of->history->sizes.list[group]);
	else if (group)
		snprintf(to, LABEL, "%s", of->history->requests.list[group]);
	return to;
}

const char *tabulated_row_label(char to[LABEL], const struct tabulation *of,
				const struct table_column *column, uint32_t group)
{
	return column ? tabulated_group_label(to, of, group) : NULL;
}
