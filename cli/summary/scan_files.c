/* SPDX-License-Identifier: MIT */
/*
 * scan_files.c: the files of a scan, from opening them to judging them: see record_scan.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/read/read.h"
#include "cli/summary/scan_worker.h"

struct metadata_of {
	struct history *history;
	int file;
};

static void take_metadata(void *user, const json_t *event)
{
	const struct metadata_of *of = user;

	history_event(of->history, event, of->file);
}

static unsigned workers_for(const struct record_scan *scan)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = cores < 1 ? 1 : (size_t)cores;

	count = count < SCAN_WORKERS ? count : SCAN_WORKERS;
	return (unsigned)(count < scan->nruns ? count : scan->nruns ? scan->nruns : 1);
}

static void runs_add(struct record_scan *scan, uint32_t file)
{
	const struct tl_trace *trace = scan->files[file].trace;

	scan->runs =
		need(reallocarray(scan->runs, scan->nruns + trace->nruns + 1, sizeof(*scan->runs)));
	for (size_t i = 0; i < trace->nruns; i++)
		scan->runs[scan->nruns++] = (struct scan_run){
			.file = file, .run = (uint32_t)i, .first = INT64_MAX, .last = INT64_MIN};
}

static void history_note_start(struct history *history, uint64_t ns)
{
	int64_t start = scan_time(ns);

	if (start && (!history->start || start < history->start))
		history->start = start;
}

int record_scan_open(struct record_scan **to, struct history *history, char **paths, int count)
{
	struct record_scan *scan = *to = need(calloc(1, sizeof(*scan)));

	pthread_mutex_init(&scan->lock, NULL);
	scan->history = history;
	scan->files = need(calloc((size_t)count + 1, sizeof(*scan->files)));
	for (int i = 0; i < count; i++) {
		struct scan_file *file = &scan->files[i];
		struct metadata_of of = {history, i};

		file->trace = record_file_open(paths[i]);
		if (!file->trace)
			return EXIT_BROKEN;
		scan->nfiles++;
		snprintf(file->process, sizeof(file->process), "%u", file->trace->facts.pid);
		trace_metadata(file->trace, take_metadata, &of);
		history_note_start(history, file->trace->facts.monotonic_ns);
		history->lost += record_file_lost(file->trace);
		runs_add(scan, (uint32_t)i);
	}
	scan->workers = workers_for(scan);
	return EXIT_DONE;
}

void record_scan_events(struct record_scan **to, struct history *history, struct event_runs *events)
{
	struct record_scan *scan = *to = need(calloc(1, sizeof(*scan)));
	const struct scan_run *list = event_runs_list(events, &scan->nruns);

	pthread_mutex_init(&scan->lock, NULL);
	scan->history = history;
	scan->events = events;
	scan->runs = need(calloc(scan->nruns + 1, sizeof(*scan->runs)));
	if (scan->nruns)
		memcpy(scan->runs, list, scan->nruns * sizeof(*list));
	scan->indexed = true;
	scan->workers = workers_for(scan);
}

/* Which runs could not be read to their ends is found once more: few files have such runs. */
static void file_find_damage(struct scan_file *file)
{
	for (size_t i = 0; i < file->trace->nruns; i++) {
		struct tl_trace_place place = {0};

		while (tl_trace_next(&file->trace->runs[i], &place))
			;
		if (place.unsound)
			record_file_damaged(file->trace,
					    file->trace->runs[i].offset + place.unsound - 1);
	}
}

int record_scan_judge(const struct record_scan *scan, char **paths)
{
	int code = scan->unread ? EXIT_BROKEN : EXIT_DONE;

	for (uint32_t i = 0; i < scan->nfiles; i++) {
		struct scan_file *file = &scan->files[i];

		if (file->unsound)
			file_find_damage(file);
		int state = record_file_judge(file->trace, paths[i], file->unknown, "the table");
		code = state == EXIT_DONE ? code : state;
	}
	return code;
}

pthread_mutex_t *record_scan_lock(struct record_scan *scan)
{
	return &scan->lock;
}

void record_scan_close(struct record_scan *scan)
{
	if (scan->maker)
		scan_worker_free(scan->maker);
	free(scan->maker);
	for (uint32_t i = 0; i < scan->nfiles; i++)
		tl_trace_close(scan->files[i].trace);
	free(scan->files);
	free(scan->runs);
	free(scan->unpacked.commands);
	event_runs_free(scan->events);
	pthread_mutex_destroy(&scan->lock);
	free(scan);
}
