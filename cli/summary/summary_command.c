/* SPDX-License-Identifier: MIT */
/*
 * summary_command.c: `tracelayer summary`: tables of the host calls and the device commands in
 * trace files. See summary.h. A call made inside another call counts in both.
 */
#include "config.h"

#include <argp.h>
#include <dirent.h>
#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables/call_tables.h"
#include "cli/basics/basics.h"
#include "cli/summary/summary.h"
#include "cli/summary/flat.h"
#include "cli/summary/history_reader.h"
#include "cli/summary/job_summary.h"
#include "cli/summary/self_times.h"
#include "cli/summary/sum_save.h"
#include "cli/summary/trace_sum.h"
#include "cli/symbols/symbols.h"
#include "cli/job/job.h"
#include "tables/table.h"
#include "cli/summary/tabulate.h"
#include "cli/read/read.h"

/* ---- options ---- */

enum {
	OPTION_BY = 256,
	OPTION_TABLE,
	OPTION_EXACT,
	OPTION_RANK,
	OPTION_PART,
	OPTION_SAVE,
	OPTION_SYMBOLS
};

#define FRAMES_IN_TEXT 5 /* of a stack */

struct wishes {
	enum grouping by;
	int table; /* only this one; -1: all */
	bool exact;
	const char *by_word, *table_word; /* as given; NULL: not */
	bool folder;			  /* the only file is a job's folder */
	const char *symbol_folders;
	struct job_wishes job;
	struct save save;
	struct filter filter;
	char **files;
	int nfiles;
};

static const struct argp_option options[] = {
	{"by", OPTION_BY, "WHAT", 0,
	 "group rows by function (the default), thread, queue, process, request, size (kernels by their work size) or stack (who called, of a trace made with run --stack); of a job: by "
	 "host or rank",
	 2},
	{"table", OPTION_TABLE, "TABLE", 0,
	 "print only this table: groups, calls, events, kernels, transfers, others, queues, waits or memory; of a job: ranks, hosts, calls, "
	 "events, kernels, transfers, others or devices",
	 2},
	{"symbols", OPTION_SYMBOLS, "DIRS", 0,
	 "for --by=stack: folders, separated by colons, where the files of the traced program and its libraries are looked for first",
	 2},
	{"rank", OPTION_RANK, "SET", 0, "of a job: only these ranks, like 0,8-15,*/16", 2},
	{"part", OPTION_PART, NULL, 0,
	 "of a job: only make the sums of this task's part; for launchers that start several of this command",
	 3},
	{"save", OPTION_SAVE, "FILE", 0,
	 "also write the sum of all files to FILE, some 10 KB, for `tracelayer diff`", 3},
	{"force", 'f', NULL, 0,
	 "--save overwrites a file of that name; without this option, the new file's name gets a number",
	 3},
	{"exact", OPTION_EXACT, NULL, 0,
	 "keep each call in memory, so that percentiles are durations that occurred", 2},
	{0},
};

static void wish_by(struct argp_state *state, struct wishes *wishes, const char *word)
{
	int by = grouping_named(word);

	if (!strcmp(word, "rank") || !strcmp(word, "host"))
		option_refuse(state, "--by=%s: only for the folder of a job; name that", word);
	if (by < 0)
		option_refuse(
			state,
			"--by=%s: no such grouping; give function, thread, queue, process, request, size or stack",
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
	if (job_table_named(word) >= 0)
		option_refuse(state, "--table=%s: only for the folder of a job; name that", word);
	option_refuse(
		state,
		"--table=%s: no such table; give groups, calls, events, kernels, transfers, others, queues, waits or memory",
		word);
}

static bool wishes_want_self(const struct wishes *wishes)
{
	return table_wishes_name(&wishes->job.tables.wishes, &self_column);
}

/* What the sums of a job do not have, and what --part does not make. */
static void wish_job_alone(const struct argp_state *state, const struct wishes *wishes)
{
	const char *printed = wishes->by_word	   ? "--by"
			      : wishes->table_word ? "--table"
			      : wishes->save.path  ? "--save"
			      : wishes->job.ranks  ? "--rank"
						   : NULL;

	if (wishes->exact)
		option_refuse(
			state,
			"--exact: the sums of a job have no single calls; name .tlt files in it");
	if (wishes_want_self(wishes))
		option_refuse(
			state,
			"self: the sums of a job have no single calls; name .tlt files in it");
	if (wishes->job.part && printed)
		option_refuse(state, "--part and %s: --part prints nothing; leave one of them out",
			      printed);
}

static void wish_no_job(const struct argp_state *state, const struct wishes *wishes)
{
	for (int i = 0; i < wishes->nfiles; i++)
		if (job_folder_is(wishes->files[i]))
			option_refuse(
				state,
				"%s: the folder of a job has tables of its own; name it alone, or .tlt files in it",
				wishes->files[i]);
}

/* What the words mean depends on whether there are files or a job. */
static void wish_tables(struct argp_state *state, struct wishes *wishes)
{
	wishes->folder = wishes->nfiles == 1 && job_folder_is(wishes->files[0]);
	if (!wishes->folder) {
		wish_no_job(state, wishes);
		if (wishes->job.ranks || wishes->job.part)
			option_refuse(state, "%s: only for the folder of a job; name that",
				      wishes->job.part ? "--part" : "--rank");
		if (wishes->by_word)
			wish_by(state, wishes, wishes->by_word);
		if (wishes->table_word)
			wish_table(state, wishes, wishes->table_word);
		return;
	}
	if (filter_is_any(&wishes->filter))
		option_refuse(
			state,
			"%s: the sums of a job have all calls; name .tlt files in it to select some",
			wishes->files[0]);
	wish_job_alone(state, wishes);
	wishes->job.by_rank = wishes->by_word && !strcmp(wishes->by_word, "rank");
	wishes->job.by_host = wishes->by_word && !strcmp(wishes->by_word, "host");
	if (wishes->by_word && !wishes->job.by_rank && !wishes->job.by_host &&
	    strcmp(wishes->by_word, "function"))
		option_refuse(state,
			      "--by=%s: no such grouping of a job; give function, host or rank",
			      wishes->by_word);
	wishes->job.table = wishes->table_word ? job_table_named(wishes->table_word) : -1;
	if (wishes->table_word && wishes->job.table < 0)
		option_refuse(
			state,
			"--table=%s: no such table of a job; give ranks, hosts, calls, events, kernels, transfers, others or devices",
			wishes->table_word);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &wishes->filter.selection;
		state->child_inputs[1] = &wishes->job.tables;
		return 0;
	case OPTION_BY:
		wishes->by_word = argument;
		return 0;
	case OPTION_TABLE:
		wishes->table_word = argument;
		return 0;
	case OPTION_SYMBOLS:
		wishes->symbol_folders = argument;
		return 0;
	case OPTION_RANK:
		wishes->job.ranks = option_ranks(state, argument);
		return 0;
	case OPTION_PART:
		wishes->job.part = true;
		return 0;
	case OPTION_SAVE:
		wishes->save.path = argument;
		return 0;
	case 'f':
		wishes->save.force = true;
		return 0;
	case OPTION_EXACT:
		wishes->exact = true;
		return 0;
	case ARGP_KEY_ARGS:
		wishes->files = state->argv + state->next;
		wishes->nfiles = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		option_refuse(state,
			      "no trace file given; name the files that `tracelayer run` wrote");
		return 0;
	case ARGP_KEY_END:
		wish_tables(state, wishes);
		if (wishes->symbol_folders && (wishes->folder || wishes->by != BY_STACK))
			option_refuse(
				state,
				"--symbols: only stacks have symbols; add --by=stack, or leave it out");
		if (!wishes->folder && wishes->table == TABLE_GROUPS &&
		    (wishes->by == BY_FUNCTION || wishes->by == BY_QUEUE || wishes->by == BY_SIZE))
			option_refuse(
				state,
				"--table=groups: no groups by default; add --by=thread, --by=process or --by=request");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {{&selection_argp, 0, "What is counted:", 1},
					     {&table_argp, 0, NULL, 0},
					     {&names_argp, 0, NULL, 3},
					     {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.children = children,
	.args_doc = "FILE...\nDIR",
	.doc = "Tables of the host calls and the device commands in trace files: .tlt files, Chrome JSON of tracelayer or another tool, "
	       ".pftrace and .sqlite of tracelayer; plain or gzip-compressed. FILE - is standard input. DIR is the folder of a job, as `tracelayer run --job=DIR` fills it.\v"
	       "Percentiles are nearest-rank: durations that really occurred. A column more, self, is shown if --sort or --columns names it: calls without the calls inside of them. Exit code: 0 done, 1 a file is broken, "
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
	if (by == BY_SIZE && history->sizes.count < 2)
		say("--by=size: the trace has no kernels whose work size is known; see --device in tracelayer-run(1)");
	if (by == BY_STACK && history->requests.count < 2)
		say("--by=stack: the trace has no stacks; record them with `tracelayer run --stack`");
	if (by == BY_REQUEST && history->requests.count < 2)
		say("--by=request: the trace has no requests; a program sets them as tracelayer-contexts(7) says");
}

static bool tables_have_rows(struct table *const tables[TABLES])
{
	for (int i = 0; i < TABLES; i++)
		if (tables[i] && table_rows(tables[i]))
			return true;
	return false;
}

static int print_tables(struct table *tables[TABLES], const struct wishes *wishes)
{
	const char *traces = wishes->nfiles == 1 ? "the trace has" : "the traces have";

	if (wishes->table >= 0 && (!tables[wishes->table] || !table_rows(tables[wishes->table])))
		say("--table=%s: %s nothing for it", table_words[wishes->table], traces);
	else if (filter_is_any(&wishes->filter) && !tables_have_rows(tables))
		selection_say_empty(wishes->nfiles);
	for (int i = 0; i < TABLES; i++)
		if (wishes->table >= 0 && i != wishes->table && tables[i]) {
			table_free(tables[i]);
			tables[i] = NULL;
		}
	if (!summary_arrange(tables, TABLES, &wishes->job.tables.wishes))
		return EXIT_USAGE;
	if (!calls_print(tables, TABLES, tables[TABLE_CALLS], wishes->job.tables.format, stdout))
		return EXIT_DONE;
	say_output_failed("the table");
	return EXIT_BROKEN;
}

static bool history_save(const struct history *history, const struct save *save)
{
	struct rank_sum sum;

	rank_sum_begin(&sum, "", -1);
	if (save->path)
		history_sum_add(&sum, history);
	bool saved = sum_save(save, &sum);

	rank_sum_clear(&sum);
	return saved;
}

static bool flat_save(const struct flat_sums *sums, const struct save *save)
{
	struct rank_sum sum;

	rank_sum_begin(&sum, "", -1);
	if (save->path)
		flat_sum_add(&sum, sums);
	bool saved = sum_save(save, &sum);

	rank_sum_clear(&sum);
	return saved;
}

/* The history has every call and command. `code` is that of reading them. */
static int history_print(struct history *history, struct wishes *wishes, int code)
{
	struct table *tables[TABLES];

	if (code == EXIT_BROKEN)
		return code;
	/* Commands have the request of the call that submitted them. */
	history_resolve(history);
	bool filtered = filter_is_any(&wishes->filter);

	if (history->self)
		self_sums_add_history(history->self, history, wishes->by,
				      filtered ? &wishes->filter : NULL);
	if (filtered)
		filter_history(&wishes->filter, history);
	say_missing(history, wishes->by);
	if (!history_save(history, &wishes->save))
		return EXIT_BROKEN;
	tabulate(tables, history, wishes->by, wishes->nfiles);
	int printed = print_tables(tables, wishes);

	return printed ? printed : code;
}

/* Every call is kept. */
static int summary_exact(struct history *history, struct wishes *wishes)
{
	struct history_reader reader = {.history = history, .where = "the table"};
	int code = EXIT_DONE;

	for (int i = 0; i < wishes->nfiles && code != EXIT_BROKEN; i++) {
		int state = history_read(&reader, wishes->files[i], i);

		if (state != EXIT_DONE)
			code = state;
	}
	return history_print(history, wishes, code);
}

static int sums_print(struct flat_sums *sums, struct wishes *wishes, int code)
{
	struct table *tables[TABLES];

	if (code == EXIT_BROKEN)
		return code;
	say_missing(sums->history, wishes->by);
	if (!flat_save(sums, &wishes->save))
		code = EXIT_BROKEN;
	tabulate_sums(tables, sums, wishes->by, wishes->nfiles);
	int printed = print_tables(tables, wishes);

	return printed ? printed : code;
}

static bool files_are_records(const struct wishes *wishes)
{
	for (int i = 0; i < wishes->nfiles; i++)
		if (!record_file_is(wishes->files[i]))
			return false;
	return true;
}

/* No call is kept, or few are. */
static int summary_flat(struct history *history, struct wishes *wishes)
{
	struct filter *filter = filter_is_any(&wishes->filter) ? &wishes->filter : NULL;
	struct flat_sums sums = {.history = history, .wants_exact = true};
	bool kept = false;
	int code;

	if (files_are_records(wishes))
		code = flat_sum(&sums, wishes->files, wishes->nfiles, wishes->by, filter);
	else
		code = flat_sum_any(&sums, wishes->files, wishes->nfiles, wishes->by, filter,
				    &kept);
	code = kept ? history_print(history, wishes, code) : sums_print(&sums, wishes, code);
	flat_free(&sums);
	return code;
}

static bool folder_has_traces(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	bool has = false;

	while (folder && !has && (entry = readdir(folder))) {
		size_t size = strlen(entry->d_name);
		has = size > 4 && !strcmp(entry->d_name + size - 4, ".tlt");
	}
	if (folder)
		closedir(folder);
	return has;
}

/* False, after a message: one is a folder, which is no job's. */
static bool files_are_files(const struct wishes *wishes)
{
	for (int i = 0; i < wishes->nfiles; i++) {
		const char *path = wishes->files[i];
		if (!path_is_folder(path))
			continue;
		if (folder_has_traces(path))
			say("%s: it is a folder, and not a job's; name the traces in it: `tracelayer summary %s/*.tlt`",
			    path, path);
		else
			say("%s: it is a folder without .tlt files; name a trace, or, if its processes were killed, try `tracelayer recover %s`",
			    path, path);
		return false;
	}
	return true;
}

/* To find a time in standard input, it is made a file first. */
static int wishes_find_time(struct wishes *wishes)
{
	if (!selection_time_is_open(&wishes->filter.selection))
		return EXIT_DONE;
	for (int i = 0; i < wishes->nfiles; i++)
		if (!strcmp(wishes->files[i], "-") && !(wishes->files[i] = input_keep("-")))
			return EXIT_BROKEN;
	return selection_time_find(&wishes->filter.selection, (const char *const *)wishes->files,
				   (size_t)wishes->nfiles);
}

/* Stacks take the requests' place. False, after a message. */
static bool wishes_allow_stacks(const struct wishes *wishes)
{
	const char *why = wishes->exact			     ? "--exact"
			  : wishes->filter.selection.request ? "--request"
							     : NULL;

	if (why)
		say("%s: not with --by=stack; leave one of them out", why);
	return !why;
}

int command_summary(int argc, char **argv)
{
	struct wishes wishes = {.by = BY_FUNCTION, .table = -1};
	struct history history = {0};
	struct self_sums self = {.ns = NULL};

	setlocale(LC_CTYPE, "");
	options_parse(&argp, argc, argv, 0, &wishes);
	wishes.job.save = wishes.save;
	if (wishes.folder)
		return job_summary(wishes.files[0], &wishes.job, stdout);
	if (!files_are_files(&wishes))
		return EXIT_BROKEN;
	bool by_stack = wishes.by == BY_STACK;

	history.wants_sizes = wishes.by == BY_SIZE;
	history.self = wishes_want_self(&wishes) ? &self : NULL;
	/* Which queue a call submitted to is known when all commands are. */
	wishes.exact |= history.self && wishes.by == BY_QUEUE;
	int code =
		by_stack && !wishes_allow_stacks(&wishes) ? EXIT_USAGE : wishes_find_time(&wishes);
	if (code == EXIT_DONE && by_stack) {
		history.symbols = symbols_open(wishes.symbol_folders);
		history.frame_name = symbols_name;
		history.tell_stacks = trace_stacks_tell;
	}
	history.frames = wishes.job.tables.format == TABLE_AS_TEXT ? FRAMES_IN_TEXT : UINT_MAX;
	if (code == EXIT_DONE)
		code = wishes.exact ? summary_exact(&history, &wishes)
				    : summary_flat(&history, &wishes);

	if (history.symbols && code != EXIT_BROKEN && code != EXIT_USAGE)
		symbols_say_missing(history.symbols);
	symbols_close(history.symbols);
	history_free(&history);
	self_sums_free(&self);
	selection_free(&wishes.filter.selection);
	return code;
}
