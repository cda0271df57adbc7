/* SPDX-License-Identifier: MIT */
/*
 * scan_files.c: the files of a scan, from opening them to judging them: see record_scan.h.
 */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/read/read.h"
#include "cli/summary/scan_worker.h"

/* ---- what a file says of its process, threads and lanes ---- */

static void text_take(char **to, const char *bytes, size_t size)
{
	size_t room = 3 * size + 1; /* a byte that is no UTF-8 becomes three */
	char *sound = need(malloc(room));
	struct tl_text text = {sound, sound + room - 1, false};

	tl_text_utf8(&text, bytes, size);
	*text.at = 0;
	history_text(to, sound);
	free(sound);
}

static void process_take(struct history *history, int file, const char *number,
			 const struct tl_facts *facts)
{
	uint32_t taken = history_process(history, file, number);
	struct process *process = &history->processes[taken];
	char rank[24] = "", labels[sizeof(facts->host) + 32], executable[PATH_MAX];

	text_take(&process->name, facts->program, strnlen(facts->program, sizeof(facts->program)));
	if (facts->has_rank)
		snprintf(rank, sizeof(rank), "%lld", (long long)facts->rank);
	snprintf(labels, sizeof(labels), "%s%s%s%.*s", *rank ? "rank " : "", rank,
		 *rank ? ", " : "", (int)sizeof(facts->host), facts->host);
	text_take(&process->labels, labels, strlen(labels));
	bool known = tl_facts_text(facts, "executable", executable, sizeof(executable));

	history_identify(history, file, number,
			 &(struct process_identity){.host = facts->host,
						    .rank = rank,
						    .executable = known ? executable : NULL});
}

static struct lane *lane_take(struct history *history, int file, const char *process,
			      uint32_t shown)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", shown);
	uint32_t lane = history_lane(history, file, process, number);

	return &history->lanes[lane];
}

/* As the metadata events of a trace in JSON say it. */
static void metadata_take(struct history *history, int file, const char *process,
			  const struct tl_trace *trace)
{
	history_request(history, 0);
	if (trace->has_facts)
		process_take(history, file, process, &trace->facts);
	for (size_t i = 0; i < trace->nlanes; i++) {
		const struct tl_trace_lane *lane = &trace->lanes[i];

		text_take(&lane_take(history, file, process, lane->shown)->name, lane->name,
			  strnlen(lane->name, sizeof(lane->name)));
	}
	for (size_t i = 0; i < trace->nnamed; i++) {
		const struct tl_trace_named_lane *named = &trace->named[i];
		struct lane *lane = lane_take(history, file, process, named->shown);
		size_t size = 0;
		const char *name = tl_trace_string(trace, named->name, &size);

		text_take(&lane->name, name ? name : "", size);
		lane->no_thread = true;
	}
}

/* ---- files ---- */

static unsigned workers_for(const struct record_scan *scan)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = cores < 1 ? 1 : (size_t)cores;

	count = count < SCAN_WORKERS ? count : SCAN_WORKERS;
	return (unsigned)(count < scan->nruns ? count : scan->nruns ? scan->nruns : 1);
}

static bool some_calls_are_open(const struct tl_trace *trace)
{
	for (size_t i = 0; i < trace->nlanes; i++)
		if (trace->lanes[i].nopens)
			return true;
	return false;
}

/* Calls that had not returned are a run of their own, behind the others. */
static void runs_add(struct record_scan *scan, uint32_t file)
{
	const struct tl_trace *trace = scan->files[file].trace;
	size_t nruns = trace->nruns + some_calls_are_open(trace);

	scan->runs = need(reallocarray(scan->runs, scan->nruns + nruns + 1, sizeof(*scan->runs)));
	for (size_t i = 0; i < nruns; i++)
		scan->runs[scan->nruns++] = (struct scan_run){
			.file = file, .run = (uint32_t)i, .first = INT64_MAX, .last = INT64_MIN};
}

int record_scan_open(struct record_scan **to, struct history *history, char **paths, int count)
{
	struct record_scan *scan = *to = need(calloc(1, sizeof(*scan)));

	pthread_mutex_init(&scan->lock, NULL);
	scan->history = history;
	scan->files = need(calloc((size_t)count + 1, sizeof(*scan->files)));
	for (int i = 0; i < count; i++) {
		struct scan_file *file = &scan->files[i];

		file->trace = record_file_open(paths[i]);
		if (!file->trace)
			return EXIT_BROKEN;
		scan->nfiles++;
		snprintf(file->process, sizeof(file->process), "%u", file->trace->facts.pid);
		metadata_take(history, i, file->process, file->trace);
		history_note_start(history, scan_time(file->trace->facts.monotonic_ns));
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

int record_scan_judge(const struct record_scan *scan, char **paths, const char *where)
{
	int code = scan->unread ? EXIT_BROKEN : EXIT_DONE;

	for (uint32_t i = 0; i < scan->nfiles; i++) {
		struct scan_file *file = &scan->files[i];

		if (file->unsound)
			file_find_damage(file);
		int state = record_file_judge(file->trace, paths[i], file->unknown, where);
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
