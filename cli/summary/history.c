/* SPDX-License-Identifier: MIT */
/*
 * history.c: see history.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/summary/history.h"
#include "common/command_kinds.h"

/* ---- times ---- */

int64_t history_time(long long ns)
{
	return time_within(ns, -LATEST, LATEST);
}

int64_t history_duration(long long ns)
{
	return time_within(ns, 0, LONGEST);
}

/* ---- processes, threads, queues, requests ---- */

static uint32_t new_process(struct history *history, const char *number)
{
	history->processes = need(
		reallocarray(history->processes, history->nprocesses + 1, sizeof(struct process)));
	history->processes[history->nprocesses] = (struct process){.number = need(strdup(number))};
	return history->nprocesses++;
}

/*
 * The number in .lane_keys of the process with this number in the file; .process_of has its
 * process.
 */
static uint32_t process_key_of(struct history *history, const char *number, int file)
{
	uint32_t known;

	if (lane_keys_process(&history->lane_keys, (size_t)file, number, &known)) {
		history->process_of =
			need(reallocarray(history->process_of, known + 1, sizeof(uint32_t)));
		history->process_of[known] = new_process(history, number);
	}
	return known;
}

uint32_t history_process(struct history *history, int file, const char *number)
{
	uint32_t key = process_key_of(history, number, file);

	return history->process_of[key];
}

void history_identify(struct history *history, int file, const char *number,
		      const struct process_identity *of)
{
	uint32_t key = process_key_of(history, number, file), count = history->identities.count;
	char *identity;

	if (!of->host || !of->executable)
		return;
	if (asprintf(&identity, "%s %s %s %s", history->processes[history->process_of[key]].number,
		     of->host, of->rank, of->executable) < 0)
		need(NULL);
	uint32_t known = names_number(&history->identities, identity);

	if (known == count) {
		history->identity_of =
			need(reallocarray(history->identity_of, count + 1, sizeof(uint32_t)));
		history->identity_of[known] = history->process_of[key];
	} else {
		history->process_of[key] = history->identity_of[known];
	}
	free(identity);
}

void history_text(char **text, const char *value)
{
	if (!value || !*value)
		return;
	free(*text);
	*text = need(strdup(value));
}

void history_note_start(struct history *history, int64_t start)
{
	if (start && (!history->start || start < history->start))
		history->start = start;
}

uint32_t history_lane(struct history *history, int file, const char *of, const char *number)
{
	uint32_t key = process_key_of(history, of, file), process = history->process_of[key], lane;

	if (lane_keys_lane(&history->lane_keys, process, number, &lane)) {
		history->lanes = need(reallocarray(history->lanes, lane + 1, sizeof(struct lane)));
		history->lanes[lane] =
			(struct lane){.process = process, .number = need(strdup(number))};
		history->nlanes++;
	}
	return lane;
}

/* A queue has a number in its process; a queue without a number is known by its lane. */
uint32_t history_queue(struct history *history, uint32_t lane, uint32_t number, const char *device)
{
	uint32_t process = history->lanes[lane].process, count = history->queue_keys.count;
	char key[64];

	snprintf(key, sizeof(key), "%u %c %u", process, number ? 'q' : 'l', number ? number : lane);
	uint32_t queue = names_number(&history->queue_keys, key);

	if (queue == count) {
		history->queues =
			need(reallocarray(history->queues, count + 1, sizeof(struct queue)));
		history->queues[queue] = (struct queue){
			.process = process,
			.number = number,
			.lane = lane,
			.device = device ? need(strdup(device)) : NULL,
		};
		history->nqueues++;
	}
	return queue;
}

void history_queue_hardware(struct history *history, uint32_t queue, const char *pci,
			    const char *uuid)
{
	char **hardware = &history->queues[queue].hardware;

	if (!*hardware && (pci || uuid))
		*hardware = need(strdup(pci ? pci : uuid));
}

uint32_t history_request(struct history *history, uint32_t id)
{
	char text[16];

	if (!history->requests.count)
		names_number(&history->requests, "-");
	if (!id)
		return 0;
	snprintf(text, sizeof(text), "%u", id);
	return names_number(&history->requests, text);
}

/* ---- host calls ---- */

static void add_call(struct history *history, uint32_t thread, const struct begun *begun,
		     int64_t duration, uint32_t correlation)
{
	LIST_ROOM(history->calls, history->ncalls, history->calls_room);
	history->calls[history->ncalls++] = (struct host_call){
		.start = begun->start,
		.duration = duration,
		.thread = thread,
		.name = begun->name & 0x3fffffff,
		.failed = begun->failed,
		.own = begun->own,
		.request = begun->request,
		.correlation = correlation,
	};
	history->lanes[thread].calls |= !begun->own;
	history->processes[history->lanes[thread].process].events = true;
	if (!correlation)
		return;
	LIST_ROOM(history->submissions, history->nsubmissions, history->submissions_room);
	history->submissions[history->nsubmissions++] = (struct submission){
		.start = begun->start,
		.end = begun->start + duration,
		.process = history->lanes[thread].process,
		.correlation = correlation,
		.thread = thread,
		.name = begun->name,
		.request = begun->request,
		.queue = NOBODY,
	};
}

static struct begun begun_by(struct history *history, const struct slice *slice)
{
	return (struct begun){
		.start = slice->start,
		.name = slice->name_number,
		.request =
			history->symbols ? slice->stack : history_request(history, slice->request),
		.failed = slice->category.failed,
		.own = slice->category.own,
	};
}

static void call_begin(struct history *history, const struct slice *slice)
{
	struct lane *lane = &history->lanes[slice->lane];

	LIST_ROOM(lane->stack, lane->depth, lane->room);
	lane->stack[lane->depth++] = begun_by(history, slice);
}

static void call_end(struct history *history, const struct slice *slice)
{
	struct lane *lane = &history->lanes[slice->lane];

	if (!lane->depth)
		return; /* begun before the trace was */
	struct begun begun = lane->stack[--lane->depth];

	begun.failed |= slice->category.failed;
	history->cut += slice->cut;
	add_call(history, slice->lane, &begun, time_within(slice->start - begun.start, 0, LONGEST),
		 0);
}

/* ---- device commands ---- */

static uint32_t queue_of(struct history *history, const struct slice *slice)
{
	uint32_t queue = history_queue(history, slice->lane, slice->queue, slice->device);

	history_queue_hardware(history, queue, slice->pci, slice->uuid);
	return queue;
}

uint32_t history_size(struct history *history, const char *global, const char *local)
{
	char text[256];

	if (!history->wants_sizes)
		return 0;
	if (!history->sizes.count)
		names_number(&history->sizes, "-");
	if (!global || !*global)
		return 0;
	snprintf(text, sizeof(text), "%s%s%s", global, local && *local ? " in " : "",
		 local ? local : "");
	return names_number(&history->sizes, text);
}

void history_kernel(struct history *history, uint32_t row, const struct event_kernel *kernel)
{
	if (!history->wants_sizes || !kernel->has)
		return;
	if (row >= history->nkernels) {
		uint32_t count = row + row / 2 + 64;

		history->kernels =
			need(reallocarray(history->kernels, count, sizeof(*history->kernels)));
		memset(history->kernels + history->nkernels, 0,
		       (count - history->nkernels) * sizeof(*history->kernels));
		history->nkernels = count;
	}
	if (!history->kernels[row].has)
		history->kernels[row] = *kernel;
}

static void add_command(struct history *history, const struct slice *slice)
{
	/*
	 * The program and the driver may both report a command. The program's event does not
	 * count as a second kernel, whatever arguments it has.
	 */
	const char *kind_word = slice->category.context ? NULL : slice->kind;
	enum tl_device_kind kind = tl_kind_named(kind_word ? kind_word : "");
	char row[1024];

	command_row_name(row, sizeof(row), kind, slice->name, slice->peer);
	LIST_ROOM(history->commands, history->ncommands, history->commands_room);
	history->commands[history->ncommands++] = (struct device_command){
		.start = slice->start,
		.end = slice->start + slice->duration,
		.bytes = slice->bytes > 0 && slice->bytes < (double)LONGEST ? (int64_t)slice->bytes
									    : 0,
		.has_bytes = slice->has_bytes,
		.queue = queue_of(history, slice),
		.row = names_number(&history->names, row),
		.correlation = slice->correlation,
		.request = history->symbols ? 0 : history_request(history, slice->request),
		.thread = NOBODY,
		.submit = NOBODY,
		.size = history_size(history, slice->global, slice->local),
		.kind = (uint8_t)kind,
		.unfinished = slice->unfinished,
	};
	history->processes[history->lanes[slice->lane].process].events = true;
	history->unfinished += slice->unfinished;
	history_kernel(history, history->commands[history->ncommands - 1].row, &slice->kernel);
}

/*
 * A device command's slice has its kind. A command that the program itself reports has none; it is
 * on a lane that the program made.
 */
static bool is_command(const struct history *history, const struct slice *slice)
{
	return slice->category.device
		       ? slice->kind != NULL
		       : history->lanes[slice->lane].no_thread && slice->category.context;
}

void history_slice(struct history *history, const struct slice *slice)
{
	if (slice->phase == 'B') {
		call_begin(history, slice);
	} else if (slice->phase == 'E') {
		call_end(history, slice);
	} else if (is_command(history, slice)) {
		add_command(history, slice);
	} else {
		struct begun begun = begun_by(history, slice);

		add_call(history, slice->lane, &begun, slice->duration, slice->correlation);
	}
}

/* ---- when all are in ---- */

static int compare_submissions(const void *a, const void *b)
{
	const struct submission *x = a, *y = b;

	if (x->process != y->process)
		return x->process > y->process ? 1 : -1;
	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

static struct submission *submission_of(const struct history *history, uint32_t process,
					uint32_t correlation)
{
	const struct submission wanted = {.process = process, .correlation = correlation};

	return correlation && history->nsubmissions
		       ? bsearch(&wanted, history->submissions, history->nsubmissions,
				 sizeof(wanted), compare_submissions)
		       : NULL;
}

void history_resolve_command(const struct history *history, struct device_command *command)
{
	struct submission *submission = submission_of(
		history, history->queues[command->queue].process, command->correlation);

	if (!submission)
		return;
	/* Of one that went to several queues the first one counts. */
	if (submission->queue == NOBODY ||
	    history->queues[command->queue].number < history->queues[submission->queue].number)
		submission->queue = command->queue;
	command->submit_start = submission->start;
	command->submit_end = submission->end;
	command->submit = submission->name;
	command->thread = submission->thread;
	if (!command->request)
		command->request = submission->request;
}

void history_resolve(struct history *history)
{
	if (history->nsubmissions)
		qsort(history->submissions, history->nsubmissions, sizeof(struct submission),
		      compare_submissions);
	for (size_t i = 0; i < history->ncommands; i++)
		history_resolve_command(history, &history->commands[i]);
	for (size_t i = 0; i < history->ncalls; i++) {
		struct host_call *call = &history->calls[i];
		const struct submission *submission = submission_of(
			history, history->lanes[call->thread].process, call->correlation);

		call->correlation =
			submission && submission->queue != NOBODY ? submission->queue + 1 : 0;
	}
}

size_t history_unended(const struct history *history)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < history->nlanes; i++)
		sum += history->lanes[i].depth;
	return sum;
}

void history_free(struct history *history)
{
	for (uint32_t i = 0; i < history->nlanes; i++) {
		free(history->lanes[i].stack);
		free(history->lanes[i].name);
		free(history->lanes[i].number);
	}
	for (uint32_t i = 0; i < history->nprocesses; i++) {
		free(history->processes[i].name);
		free(history->processes[i].labels);
		free(history->processes[i].number);
	}
	for (uint32_t i = 0; i < history->nqueues; i++) {
		free(history->queues[i].device);
		free(history->queues[i].hardware);
	}
	free(history->calls);
	free(history->commands);
	free(history->submissions);
	free(history->lanes);
	free(history->processes);
	free(history->queues);
	free(history->process_of);
	free(history->identity_of);
	names_free(&history->names);
	lane_keys_free(&history->lane_keys);
	names_free(&history->queue_keys);
	names_free(&history->requests);
	names_free(&history->sizes);
	free(history->kernels);
	names_free(&history->identities);
	event_stacks_free(&history->stacks);
	free(history->stack_groups);
}

void history_restart(struct history *history)
{
	const struct history fresh = {
		.symbols = history->symbols,
		.frame_name = history->frame_name,
		.tell_stacks = history->tell_stacks,
		.frames = history->frames,
		.wants_sizes = history->wants_sizes,
		.self = history->self,
	};

	history_free(history);
	*history = fresh;
}
