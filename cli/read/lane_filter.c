/* SPDX-License-Identifier: MIT */
/*
 * lane_filter.c: see lane_filter.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/read/chrome_reader.h"
#include "cli/read/event_category.h"
#include "cli/read/lane_filter.h"
#include "cli/read/event_members.h"
#include "cli/read/record_file.h"
#include "cli/read/trace_events.h"
#include "common/settings.h"

#if !HAVE_JANSSON

int lane_filter_read(struct lane_filter *filter, char *const *paths, size_t count)
{
	(void)filter;
	return count ? say_without_json(*paths) : EXIT_DONE;
}

bool lane_filter_has_thread(struct lane_filter *filter, const char *pid, const char *tid)
{
	(void)filter, (void)pid, (void)tid;
	return true;
}

void lane_filter_free(struct lane_filter *filter)
{
	(void)filter;
}

#else

struct event_process {
	char *name, *number;
	bool is_judged, is_taken;
};

struct event_lane {
	uint32_t process;
	char *name, *number, *device, *hardware, *queue;
	bool is_queue, is_judged, is_taken;
};

/* ---- who ---- */

static void text_keep(char **to, const char *text)
{
	if (*to || !text)
		return;
	*to = need(strdup(text));
}

static uint32_t process_known(struct lane_filter *filter, const char *number)
{
	uint32_t process;

	if (lane_keys_process(&filter->keys, filter->file, number, &process)) {
		filter->processes = need(
			reallocarray(filter->processes, process + 1, sizeof(*filter->processes)));
		filter->processes[process] = (struct event_process){.number = need(strdup(number))};
	}
	return process;
}

static uint32_t lane_known(struct lane_filter *filter, const char *pid, const char *tid)
{
	uint32_t process = process_known(filter, pid), lane;

	if (lane_keys_lane(&filter->keys, process, tid, &lane)) {
		filter->lanes = need(reallocarray(filter->lanes, lane + 1, sizeof(*filter->lanes)));
		filter->lanes[lane] =
			(struct event_lane){.process = process, .number = need(strdup(tid))};
	}
	return lane;
}

/* Processes and lanes may move: an old place must not be used after this. */
static struct event_process *process_at(struct lane_filter *filter, uint32_t process)
{
	return &filter->processes[process];
}

static struct event_lane *lane_at(struct lane_filter *filter, uint32_t lane)
{
	return &filter->lanes[lane];
}

uint32_t lane_filter_process(struct lane_filter *filter, const json_t *event)
{
	char pid[LANE_NUMBER_ROOM];

	lane_number_print(pid, event, "pid");
	return process_known(filter, pid);
}

uint32_t lane_filter_lane(struct lane_filter *filter, const json_t *event)
{
	char pid[LANE_NUMBER_ROOM], tid[LANE_NUMBER_ROOM];

	lane_number_print(pid, event, "pid");
	lane_number_print(tid, event, "tid");
	return lane_known(filter, pid, tid);
}

uint32_t lane_filter_numbered(struct lane_filter *filter, uint32_t process, uint32_t thread)
{
	char pid[16], tid[16];

	if (filter->last.is_known && filter->last.file == filter->file &&
	    filter->last.process == process && filter->last.thread == thread)
		return filter->last.lane;
	snprintf(pid, sizeof(pid), "%u", process);
	snprintf(tid, sizeof(tid), "%u", thread);
	filter->last.lane = lane_known(filter, pid, tid);
	filter->last.is_known = true;
	filter->last.file = filter->file;
	filter->last.process = process;
	filter->last.thread = thread;
	return filter->last.lane;
}

/* ---- the first reading ---- */

static void note_start(struct lane_filter *filter, const json_t *event)
{
	double start = json_number_value(event_arg(event, "monotonic_ns"));

	if (!(start > 0 && start < 1e18) || (filter->has_start && (double)filter->start <= start))
		return;
	filter->has_start = true;
	filter->start = (int64_t)start;
	filter->date = (int64_t)json_number_value(event_arg(event, "realtime_ns"));
}

static void note_metadata(struct lane_filter *filter, const json_t *event)
{
	const char *what = event_text(event, "name");

	if (!strcmp(what, "tracelayer"))
		note_start(filter, event);
	else if (!strcmp(what, "process_name"))
		text_keep(&process_at(filter, lane_filter_process(filter, event))->name,
			  json_string_value(event_arg(event, "name")));
	else if (!strcmp(what, "thread_name"))
		text_keep(&lane_at(filter, lane_filter_lane(filter, event))->name,
			  json_string_value(event_arg(event, "name")));
}

static void note_time(struct lane_filter *filter, int64_t time)
{
	if (time < filter->first_event)
		filter->first_event = time;
}

static void note_event(void *user, const json_t *event)
{
	struct lane_filter *filter = user;
	char queue[LANE_NUMBER_ROOM];

	if (*event_text(event, "ph") == 'M') {
		note_metadata(filter, event);
		return;
	}
	note_time(filter, event_nanoseconds(event, "ts", INT64_MAX));
	if (*event_text(event, "ph") != 'X' || !category_of(event_text(event, "cat")).device)
		return;
	struct event_lane *lane = lane_at(filter, lane_filter_lane(filter, event));
	const char *pci = json_string_value(event_arg(event, "pci"));

	lane->is_queue = true;
	text_keep(&lane->device, json_string_value(event_arg(event, "device")));
	text_keep(&lane->hardware, pci ? pci : json_string_value(event_arg(event, "uuid")));
	if (lane->queue || !event_arg(event, "queue"))
		return;
	trace_number_print(queue, sizeof(queue), event_arg(event, "queue"));
	text_keep(&lane->queue, queue);
}

static bool note_plain(void *user, struct plain_event *event)
{
	struct lane_filter *filter = user;
	char queue[16];

	note_time(filter, event->start);
	if (event->phase != 'X' || !category_of(plain_text_end(&event->category)).device)
		return true;
	struct event_lane *lane =
		lane_at(filter, lane_filter_numbered(filter, event->process, event->thread));

	lane->is_queue = true;
	text_keep(&lane->device, plain_text_end(&event->device));
	text_keep(&lane->hardware, plain_text_end(event->pci.at ? &event->pci : &event->uuid));
	if (!event->queue || lane->queue)
		return true;
	snprintf(queue, sizeof(queue), "%u", event->queue);
	text_keep(&lane->queue, queue);
	return true;
}

static bool note_parsed(void *user, const json_t *event)
{
	note_event(user, event);
	return true;
}

/* Events of a .tlt file, as text: only those of devices say more than the file's beginning. */
static bool pass_over(void *user, char *text, size_t size)
{
	(void)user;
	return !memmem(text, size, "\"ph\":\"M\"", 8) &&
	       !memmem(text, size, "\"cat\":\"device", 13);
}

static int records_note(struct lane_filter *filter, const char *path)
{
	static const struct trace_listener listener = {.each = note_event, .text = pass_over};
	struct trace_totals totals;

	if (selection_wants_queues(filter->selection))
		return trace_listen(path, "the selection", &listener, filter, &totals);
	return trace_metadata_read(path, note_event, filter);
}

int lane_filter_read(struct lane_filter *filter, char *const *paths, size_t count)
{
	static const struct trace_visitor visitor = {.plain = note_plain, .parsed = note_parsed};

	filter->first_event = INT64_MAX;
	for (filter->file = 0; filter->file < count; filter->file++) {
		const char *path = paths[filter->file];
		int code = record_file_is(path) ? records_note(filter, path)
						: trace_walk(path, &visitor, filter);

		if (code == EXIT_BROKEN)
			return code;
	}
	if (!filter->has_start)
		filter->start = filter->first_event == INT64_MAX ? 0 : filter->first_event;
	return EXIT_DONE;
}

/* ---- verdicts ---- */

bool lane_filter_has_process(struct lane_filter *filter, uint32_t number)
{
	struct event_process *process = &filter->processes[number];
	const char *list = filter->selection->process;

	if (!process->is_judged) {
		process->is_judged = true;
		process->is_taken = !list || (process->name && tl_glob_any(list, process->name)) ||
				    tl_glob_any(list, process->number);
	}
	return process->is_taken;
}

bool lane_filter_has_lane(struct lane_filter *filter, uint32_t number)
{
	struct event_lane *lane = &filter->lanes[number];
	const struct selected_lane about = {.name = lane->name,
					    .number = lane->number,
					    .is_queue = lane->is_queue,
					    .queue = lane->queue,
					    .device = lane->device,
					    .hardware = lane->hardware};

	if (!lane->is_judged) {
		lane->is_judged = true;
		lane->is_taken = lane_filter_has_process(filter, lane->process) &&
				 selection_has_lane(filter->selection, &about);
	}
	return lane->is_taken;
}

bool lane_filter_has_thread(struct lane_filter *filter, const char *pid, const char *tid)
{
	filter->file = 0;
	return lane_filter_has_lane(filter, lane_known(filter, pid, tid));
}

void lane_filter_free(struct lane_filter *filter)
{
	for (uint32_t i = 0; i < filter->keys.processes.count; i++) {
		free(filter->processes[i].name);
		free(filter->processes[i].number);
	}
	for (uint32_t i = 0; i < filter->keys.lanes.count; i++) {
		struct event_lane *lane = &filter->lanes[i];

		free(lane->name);
		free(lane->number);
		free(lane->device);
		free(lane->hardware);
		free(lane->queue);
	}
	free(filter->processes);
	free(filter->lanes);
	lane_keys_free(&filter->keys);
}

#endif
