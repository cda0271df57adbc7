/* SPDX-License-Identifier: MIT */
/*
 * report_command.c: `tracelayer report`: reads traces and writes a page. See report.h.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/outputs/outputs.h"
#include "cli/read/read.h"
#include "cli/report/report.h"
#include "cli/report/report_page.h"
#include "cli/summary/summary.h"

struct wishes {
	const char *output;
	bool force;
	struct page_files files;
};

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "the page (default: report.html); - is standard output", 0},
	{"force", 'f', NULL, 0, "replace the file if it exists", 0},
	{0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;

	switch (key) {
	case 'o':
		wishes->output = argument;
		return 0;
	case 'f':
		wishes->force = true;
		return 0;
	case ARGP_KEY_ARGS:
		wishes->files.paths = state->argv + state->next;
		wishes->files.count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state,
			   "no trace file given; name the files that `tracelayer run` wrote");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "TRACE...",
	.doc = "Makes one page of trace files, with a timeline and the tables of `tracelayer summary`. A browser shows it without a network "
	       "or a server. TRACE is a .tlt file or Chrome JSON, plain or compressed; - is standard input.\v"
	       "Exit code: 0 done, 1 a file is broken, 2 usage, 3 a file ends early (the page shows what is there).",
};

/* What is read: for the timeline, and for the tables. */
struct reading {
	struct report_model model;
	struct history history;
	bool is_flat; /* all files are .tlt: the tables come from sums */
	struct flat_sums sums;
};

static bool take_text(void *user, const char *text, size_t size)
{
	struct reading *reading = user;

	return model_text(&reading->model, text, size);
}

static void take_event(void *user, const json_t *event)
{
	struct reading *reading = user;

	model_event(&reading->model, event);
	if (!reading->is_flat)
		history_event(&reading->history, event, reading->model.file);
}

/* Sums are a second look at the files, which standard input does not give. */
static bool files_are_records(const struct page_files *files)
{
	for (int i = 0; i < files->count; i++)
		if (!strcmp(files->paths[i], "-") || !record_file_is(files->paths[i]))
			return false;
	return true;
}

static int files_read(struct reading *reading, const struct page_files *files)
{
	int code = EXIT_DONE;

	reading->is_flat = files_are_records(files);
	reading->sums.history = &reading->history;
	for (int i = 0; i < files->count; i++) {
		struct trace_totals totals;

		reading->model.file = i;
		reading->model.has_lane = false;
		int state = trace_event_texts(files->paths[i], "the page",
					      reading->is_flat ? take_text : NULL, take_event,
					      reading, &totals);

		if (state == EXIT_BROKEN)
			return state;
		code = state == EXIT_DONE ? code : state;
		if (reading->is_flat)
			continue;
		reading->history.bytes += totals.bytes;
		reading->history.lost += totals.lost;
	}
	if (!reading->is_flat)
		history_resolve(&reading->history);
	else if (flat_sum(&reading->sums, files->paths, files->count, BY_FUNCTION, NULL) ==
		 EXIT_BROKEN)
		return EXIT_BROKEN;
	model_arrange(&reading->model);
	if (!reading->model.nslices)
		say("the trace%s no calls and no commands; the page is empty",
		    files->count == 1 ? " has" : "s have");
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

static int report_write(struct reading *reading, const struct wishes *wishes)
{
	struct output_file file;
	int error = output_file_open(&file, wishes->output, wishes->force);

	if (error) {
		say("%s: %s; give another place with -o", wishes->output,
		    output_file_trouble(error));
		return EXIT_BROKEN;
	}
	int trouble = page_fill(reading, &wishes->files, file.fd);

	error = output_file_close(&file, !trouble);
	if (trouble || error) {
		say("%s: %s; no page was left there; free some space, or give another place with -o",
		    wishes->output, strerror(trouble ? trouble : error));
		return EXIT_BROKEN;
	}
	output_file_say(&file);
	return EXIT_DONE;
}

int command_report(int argc, char **argv)
{
	struct wishes wishes = {.output = "report.html"};
	struct reading reading = {0};

	options_parse(&argp, argc, argv, 0, &wishes);
	int code = files_read(&reading, &wishes.files);

	if (code != EXIT_BROKEN) {
		int written = report_write(&reading, &wishes);

		code = written ? written : code;
	}
	model_free(&reading.model);
	flat_free(&reading.sums);
	history_free(&reading.history);
	return code;
}
