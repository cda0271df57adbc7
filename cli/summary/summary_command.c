/* SPDX-License-Identifier: MIT */
/*
 * summary_command.c: `tracelayer summary`: tables of the host calls and the device commands in
 * trace files. See summary.h. A call made inside another call counts in both.
 */
#include "config.h"

#include <argp.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables/call_tables.h"
#include "cli/basics/basics.h"
#include "cli/summary/summary.h"
#include "cli/summary/history.h"
#include "tables/table.h"
#include "cli/summary/tabulate.h"
#include "cli/read/read.h"

/* ---- files ---- */

struct file_history {
	struct history *history;
	int file;
};

static void take_event(void *user, const json_t *event)
{
	const struct file_history *of = user;

	history_event(of->history, event, of->file);
}

static int read_file(struct history *history, const char *path, int file)
{
	struct file_history of = {history, file};
	struct trace_totals totals;
	int code = trace_events(path, "the table", take_event, &of, &totals);

	history->bytes += totals.bytes;
	history->lost += totals.lost;
	return code;
}

/* ---- options ---- */

enum { OPTION_CSV = 256, OPTION_JSON, OPTION_BY, OPTION_FORMAT, OPTION_TABLE };

struct wishes {
	enum table_format format;
	enum grouping by;
	int table; /* only this one; -1: all */
	char **files;
	int nfiles;
};

static const struct argp_option options[] = {
	{"by", OPTION_BY, "WHAT", 0,
	 "group rows by function (the default), thread, queue, process or request", 0},
	{"table", OPTION_TABLE, "TABLE", 0,
	 "print only this table: groups, calls, events, kernels, transfers, others, queues, waits or memory",
	 0},
	{"format", OPTION_FORMAT, "FORMAT", 0, "output format: text (the default), csv or json", 0},
	{"csv", OPTION_CSV, NULL, 0, "the same as --format=csv", 0},
	{"json", OPTION_JSON, NULL, 0, "the same as --format=json", 0},
	{0},
};

static void wish_by(struct argp_state *state, struct wishes *wishes, const char *word)
{
	int by = grouping_named(word);

	if (by < 0)
		argp_error(
			state,
			"--by=%s: no such grouping; give function, thread, queue, process or request",
			word);
	wishes->by = (enum grouping)by;
}

static const char *const table_words[TABLES] = {
	"groups", "calls", "events", "kernels", "transfers", "others", "queues", "waits", "memory"};

static void wish_table(struct argp_state *state, struct wishes *wishes, const char *word)
{
	for (int i = 0; i < TABLES; i++)
		if (!strcmp(word, table_words[i])) {
			wishes->table = i;
			return;
		}
	argp_error(
		state,
		"--table=%s: no such table; give groups, calls, events, kernels, transfers, others, queues, waits or memory",
		word);
}

static void wish_format(struct argp_state *state, struct wishes *wishes, const char *name)
{
	int format = table_format_named(name);

	if (format < 0)
		argp_error(state, "--format=%s: no such format; give text, csv or json", name);
	wishes->format = (enum table_format)format;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;

	switch (key) {
	case OPTION_BY:
		wish_by(state, wishes, argument);
		return 0;
	case OPTION_TABLE:
		wish_table(state, wishes, argument);
		return 0;
	case OPTION_FORMAT:
		wish_format(state, wishes, argument);
		return 0;
	case OPTION_CSV:
		wishes->format = TABLE_AS_CSV;
		return 0;
	case OPTION_JSON:
		wishes->format = TABLE_AS_JSON;
		return 0;
	case ARGP_KEY_ARGS:
		wishes->files = state->argv + state->next;
		wishes->nfiles = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state,
			   "no trace file given; name the files that `tracelayer run` wrote");
		return 0;
	case ARGP_KEY_END:
		if (wishes->table == TABLE_GROUPS &&
		    (wishes->by == BY_FUNCTION || wishes->by == BY_QUEUE))
			argp_error(
				state,
				"--table=groups: no groups by default; add --by=thread, --by=process or --by=request");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE...",
	.doc = "Tables of the host calls and the device commands in trace files: Chrome JSON, plain or gzip-compressed, of tracelayer or another "
	       "tool, and .tlt files. FILE - is standard input.\v"
	       "Percentiles are nearest-rank: durations that really occurred. Exit code: 0 done, 1 a file is broken, "
	       "2 usage, 3 a file ends early (the tables show what is there).",
};

/* ---- the whole ---- */

static void say_missing(const struct history *history, enum grouping by)
{
	size_t unended = history_unended(history);

	if (unended)
		say("%zu call%s without an end; not in the table", unended,
		    unended == 1 ? "" : "s");
	if (history->unfinished)
		say("%zu device command%s had not ended when the trace did; counted up to there",
		    history->unfinished, history->unfinished == 1 ? "" : "s");
	if (history->cut)
		say("%zu mark%s cut short where events had been overwritten or lost; counted up to there",
		    history->cut, history->cut == 1 ? " was" : "s were");
	if (history->lost)
		say("%llu events were lost when the trace was made, and are not in the table; the trace's last lines say where",
		    history->lost);
	if (by == BY_QUEUE && !history->nqueues)
		say("--by=queue: the trace has no device commands; see --device in tracelayer-run(1)");
	if (by == BY_REQUEST && history->requests.count < 2)
		say("--by=request: the trace has no requests; a program sets them as tracelayer-contexts(7) says");
}

static int print_summary(struct history *history, const struct wishes *wishes)
{
	struct table *tables[TABLES];

	tabulate(tables, history, wishes->by, wishes->nfiles);
	if (wishes->table >= 0 && (!tables[wishes->table] || !table_rows(tables[wishes->table])))
		say("--table=%s: the trace%s nothing for it", table_words[wishes->table],
		    wishes->nfiles == 1 ? " has" : "s have");
	for (int i = 0; i < TABLES; i++)
		if (wishes->table >= 0 && i != wishes->table && tables[i]) {
			table_free(tables[i]);
			tables[i] = NULL;
		}
	if (!calls_print(tables, TABLES, tables[TABLE_CALLS], wishes->format, stdout))
		return EXIT_DONE;
	say_output_failed("the table");
	return EXIT_BROKEN;
}

int command_summary(int argc, char **argv)
{
	struct wishes wishes = {.format = TABLE_AS_TEXT, .by = BY_FUNCTION, .table = -1};
	struct history history = {0};
	int code = EXIT_DONE;

	setlocale(LC_CTYPE, "");
	argp_parse(&argp, argc, argv, 0, NULL, &wishes);
	for (int i = 0; i < wishes.nfiles && code != EXIT_BROKEN; i++) {
		int state = read_file(&history, wishes.files[i], i);

		if (state != EXIT_DONE)
			code = state;
	}
	if (code != EXIT_BROKEN) {
		history_resolve(&history);
		say_missing(&history, wishes.by);
		if (print_summary(&history, &wishes))
			code = EXIT_BROKEN;
	}
	history_free(&history);
	return code;
}
