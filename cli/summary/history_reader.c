/* SPDX-License-Identifier: MIT */
/*
 * history_reader.c: see history_reader.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/basics/basics.h"
#include "cli/read/read.h"
#include "cli/summary/history_reader.h"
#include "cli/summary/plain_history.h"

#if !HAVE_JANSSON

int history_read(struct history_reader *reader, const char *path, int file)
{
	(void)reader, (void)file;
	return say_without_json(record_file_is(path) ? "--exact" : path);
}

#else

#define PROGRESS_EVENTS 65536u /* between two looks at the time */

/* A file that is being read. */
struct reading {
	struct history_reader *reader;
	int file;
	bool failed; /* to be poured */
	struct plain_memory *memory;
};

/* False: reading has to end. */
static bool reading_goes_on(struct reading *reading)
{
	struct history_reader *reader = reading->reader;
	const struct history *history = reader->history;

	if (++reader->events % PROGRESS_EVENTS == 0)
		progress_show("%.1f million events read", (double)reader->events / 1e6);
	if (reader->pour && history->ncalls + history->ncommands >= reader->most)
		reading->failed = !reader->pour(reader->user);
	return !reading->failed;
}

/* ---- records ---- */

static void take_event(void *user, const json_t *event)
{
	struct reading *reading = user;

	if (reading->failed)
		return;
	history_event(reading->reader->history, event, reading->file);
	reading_goes_on(reading);
}

static void take_stacks(void *user, const struct tl_trace *trace)
{
	struct reading *reading = user;
	struct history *history = reading->reader->history;

	if (history->symbols && history->tell_stacks)
		history->tell_stacks(&history->stacks, reading->file, trace, history->symbols);
}

static int records_read(struct reading *reading, const char *path)
{
	static const struct trace_listener listener = {.each = take_event, .stacks = take_stacks};
	struct history_reader *reader = reading->reader;
	struct trace_totals totals;
	int code = trace_listen(path, reader->where, &listener, reading, &totals);

	reader->history->bytes += totals.bytes;
	reader->history->lost += totals.lost;
	return code;
}

/* ---- JSON ---- */

static bool plain_visit(void *user, struct plain_event *event)
{
	struct reading *reading = user;

	history_plain(reading->reader->history, reading->memory, event);
	return reading_goes_on(reading);
}

static bool parsed_visit(void *user, const json_t *event)
{
	struct reading *reading = user;

	history_event(reading->reader->history, event, reading->file);
	plain_memory_forget(reading->memory, reading->file);
	return reading_goes_on(reading);
}

static void frame_visit(void *user, const char *id, const json_t *frame)
{
	struct reading *reading = user;

	event_stacks_frame(&reading->reader->history->stacks, reading->file, id, frame);
}

static int json_read(struct reading *reading, const char *path)
{
	const struct trace_visitor visitor = {
		.plain = plain_visit,
		.parsed = parsed_visit,
		.frame = reading->reader->history->symbols ? frame_visit : NULL,
	};

	reading->memory = need(calloc(1, sizeof(*reading->memory)));
	plain_memory_forget(reading->memory, reading->file);
	int code = trace_walk(path, &visitor, reading);

	free(reading->memory);
	return code;
}

int history_read(struct history_reader *reader, const char *path, int file)
{
	struct reading reading = {.reader = reader, .file = file};
	int code = record_file_is(path) ? records_read(&reading, path) : json_read(&reading, path);

	progress_hide();
	return reading.failed ? EXIT_BROKEN : code;
}

#endif
