/* SPDX-License-Identifier: MIT */
/*
 * report_make.c: traces are read, and become a page. See report_make.h.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/outputs/outputs.h"
#include "cli/read/read.h"
#include "cli/report/report_make.h"
#include "cli/summary/summary.h"
#include "cli/symbols/symbols.h"

/* What is read: for the timeline, and for the tables. */
struct reading {
	struct report_model model;
	struct history history;
	struct plain_memory plain;
	bool is_flat; /* all files are .tlt, and all of them is wanted: the tables come from sums */
	struct event_filter *filter; /* NULL: all is wanted */
	struct flat_sums sums;
	struct symbols *symbols; /* of functions on stacks; NULL: none was asked for yet */
	const char *symbol_folders;
};

static bool take_text(void *user, char *text, size_t size)
{
	struct reading *reading = user;
	struct plain_event event;

	if (!reading->is_flat && !trace_text_plain(text, size, &event))
		return false;
	if (!model_text(&reading->model, text, size))
		return false;
	if (!reading->is_flat)
		history_plain(&reading->history, &reading->plain, &event);
	return true;
}

static void take_event(void *user, const json_t *event)
{
	struct reading *reading = user;

	model_event(&reading->model, event);
	if (reading->is_flat)
		return;
	history_event(&reading->history, event, reading->model.file);
	plain_memory_forget(&reading->plain, reading->model.file);
}

static void take_frame(void *user, const char *id, const json_t *frame)
{
	struct reading *reading = user;

	event_stacks_frame(&reading->model.stacks, reading->model.file, id, frame);
}

static void take_stacks(void *user, const struct tl_trace *trace)
{
	struct reading *reading = user;

	if (!reading->symbols)
		reading->symbols = symbols_open(reading->symbol_folders);
	trace_stacks_tell(&reading->model.stacks, reading->model.file, trace, reading->symbols);
}

/* Sums are a second look at the files, which standard input does not give. */
static bool files_are_records(const struct page_files *files)
{
	for (int i = 0; i < files->count; i++)
		if (!strcmp(files->paths[i], "-") || !record_file_is(files->paths[i]))
			return false;
	return true;
}

static int page_file_read(struct reading *reading, const struct page_files *files, int number)
{
	const struct trace_listener listener = {
		.each = take_event,
		.text = take_text,
		.frame = take_frame,
		.stacks = take_stacks,
	};
	struct trace_totals totals;
	int code;

	reading->model.file = number;
	reading->model.has_lane = false;
	plain_memory_forget(&reading->plain, number);
	if (reading->filter)
		code = event_filter_read(reading->filter, (size_t)number, "the page", &listener,
					 reading, &totals);
	else
		code = trace_listen(files->paths[number], "the page", &listener, reading, &totals);
	if (!reading->is_flat) {
		/* It is that of all events, also if some are selected. */
		reading->history.bytes += reading->filter ? 0 : totals.bytes;
		reading->history.lost += totals.lost;
	}
	return code;
}

static int files_read(struct reading *reading, struct page_files *files)
{
	int code = EXIT_DONE;

	if (selection_is_any(&files->selection)) {
		reading->filter =
			event_filter_new(&files->selection, (const char *const *)files->paths,
					 (size_t)files->count, &code);
		if (!reading->filter)
			return code;
	}
	reading->is_flat = !reading->filter && files_are_records(files);
	reading->sums.history = &reading->history;
	reading->sums.damage_is_said = true;
	reading->sums.wants_exact = true;
	for (int i = 0; i < files->count; i++) {
		int state = page_file_read(reading, files, i);

		if (state == EXIT_BROKEN)
			return state;
		code = state == EXIT_DONE ? code : state;
	}
	if (!reading->is_flat)
		history_resolve(&reading->history);
	else if (flat_sum(&reading->sums, files->paths, files->count, BY_FUNCTION, NULL) ==
		 EXIT_BROKEN)
		return EXIT_BROKEN;
	model_arrange(&reading->model);
	if (!reading->model.nslices)
		say("the trace%s no calls and no commands%s; the page is empty",
		    files->count == 1 ? " has" : "s have",
		    reading->filter ? " of what is selected" : "");
	return code;
}

/* Returns an errno. */
static int page_fill(struct reading *reading, const struct page_files *files, int descriptor)
{
	struct table *tables[TABLES], *made[TABLES];
	size_t count = 0;
	int copy = dup(descriptor);
	FILE *to = copy < 0 ? NULL : fdopen(copy, "w");

	if (!to)
		return errno;
	if (reading->is_flat)
		tabulate_sums(tables, &reading->sums, BY_FUNCTION, files->count);
	else
		tabulate(tables, &reading->history, BY_FUNCTION, files->count);
	for (int i = 0; i < TABLES; i++)
		if (tables[i]) {
			table_sort(tables[i]);
			made[count++] = tables[i];
		}
	errno = 0;
	bool written = page_write(to, &reading->model, made, count, files);
	int error = written ? 0 : errno ? errno : EIO;

	if (fclose(to) && !error)
		error = errno;
	for (size_t i = 0; i < count; i++)
		table_free(made[i]);
	return error;
}

static int report_write(struct reading *reading, const struct page_files *files, const char *path,
			bool force)
{
	struct output_file file;
	int error = output_file_open(&file, path, force);

	if (error) {
		say("%s: %s; %s", path, output_file_trouble(error),
		    output_file_remedy(error, "give another place with -o"));
		return EXIT_BROKEN;
	}
	int trouble = page_fill(reading, files, file.fd);

	error = output_file_close(&file, !trouble);
	error = trouble ? trouble : error;
	if (error) {
		say("%s: %s; no page was left there; %s", path, strerror(error),
		    output_file_remedy(error, "free some space, or give another place with -o"));
		return EXIT_BROKEN;
	}
	output_file_say(&file);
	return EXIT_DONE;
}

int report_make(struct page_files *files, const char *path, bool force)
{
	struct reading reading = {.symbol_folders = files->symbol_folders};
	int code = files_read(&reading, files);

	if (code != EXIT_BROKEN && code != EXIT_USAGE) {
		int written = report_write(&reading, files, path, force);

		code = written ? written : code;
	}
	if (reading.symbols && code != EXIT_BROKEN && code != EXIT_USAGE)
		symbols_say_missing(reading.symbols);
	symbols_close(reading.symbols);
	event_filter_free(reading.filter);
	model_free(&reading.model);
	flat_free(&reading.sums);
	history_free(&reading.history);
	return code;
}

/* ---- the traces of a command line ---- */

enum { OPTION_SYMBOLS = 256 };

static const struct argp_option files_options[] = {
	{"symbols", OPTION_SYMBOLS, "DIRS", 0,
	 "folders, separated by colons, where the files of the traced program and its libraries are looked for first, for the names of functions on stacks",
	 0},
	{0},
};

static error_t parse_files(int key, char *argument, struct argp_state *state)
{
	struct page_files *files = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &files->selection;
		return 0;
	case OPTION_SYMBOLS:
		files->symbol_folders = argument;
		return 0;
	case ARGP_KEY_ARGS:
		files->paths = state->argv + state->next;
		files->count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		option_refuse(state,
			      "no trace file given; name the files that `tracelayer run` wrote");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_child selection_child[] = {{&selection_argp, 0, "What is on the page:", 1},
						    {0}};
static const struct argp files_argp = {
	.options = files_options, .parser = parse_files, .children = selection_child};

const struct argp_child page_files_argp[] = {
	{&files_argp, 0, NULL, 0}, {&names_argp, 0, NULL, 0}, {0}};
