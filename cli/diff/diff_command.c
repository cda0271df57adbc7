/* SPDX-License-Identifier: MIT */
/*
 * diff_command.c: `tracelayer diff`: reads two traces, and prints what changed. See diff.h.
 */
#include "config.h"

#include <argp.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/diff/conditions.h"
#include "cli/diff/diff.h"
#include "cli/diff/diff_tables.h"
#include "cli/diff/pairs.h"
#include "cli/summary/summary.h"

enum {
	OPTION_CSV = 256,
	OPTION_JSON,
	OPTION_FORMAT,
	OPTION_TABLE,
	OPTION_NAME,
	OPTION_FAIL,
	OPTION_NOISE,
	OPTION_CHANGED
};

struct wishes {
	enum table_format format;
	int table; /* only this one; -1: all */
	const char *names;
	bool noise, changed;
	struct condition *conditions;
	size_t nconditions;
	char **files;
	int nfiles;
};

static const struct argp_option options[] = {
	{"fail-if", OPTION_FAIL, "CONDITION", 0,
	 "exit with 1 if B has changed so, as in 'clEnqueue*.median > +5%'; may be given several times",
	 0},
	{"beyond-noise", OPTION_NOISE, NULL, 0,
	 "--fail-if takes only times that differ by more than they vary", 0},
	{"changed", OPTION_CHANGED, NULL, 0,
	 "print only rows that differ by more than they vary, or that one trace lacks", 0},
	{"name", OPTION_NAME, "GLOBS", 0, "only names that these globs match; commas between them",
	 0},
	{"table", OPTION_TABLE, "TABLE", 0,
	 "print only this table: calls, events, kernels, transfers or others", 0},
	{"format", OPTION_FORMAT, "FORMAT", 0, "output format: text (the default), csv or json", 0},
	{"csv", OPTION_CSV, NULL, 0, "the same as --format=csv", 0},
	{"json", OPTION_JSON, NULL, 0, "the same as --format=json", 0},
	{0},
};

static void wish_condition(struct argp_state *state, struct wishes *wishes, const char *text)
{
	struct condition condition;
	char why[160];

	if (!condition_parse(&condition, text, why, sizeof(why)))
		argp_error(state, "--fail-if='%s': %s", text, why);
	wishes->conditions = need(reallocarray(wishes->conditions, wishes->nconditions + 1,
					       sizeof(*wishes->conditions)));
	wishes->conditions[wishes->nconditions++] = condition;
}

static void wish_table(struct argp_state *state, struct wishes *wishes, const char *word)
{
	for (int i = 0; i < TALLY_KINDS; i++)
		if (!strcmp(word, diff_table_words[i])) {
			wishes->table = i;
			return;
		}
	argp_error(state,
		   "--table=%s: no such table; give calls, events, kernels, transfers or others",
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
	case OPTION_FAIL:
		wish_condition(state, wishes, argument);
		return 0;
	case OPTION_NOISE:
		wishes->noise = true;
		return 0;
	case OPTION_CHANGED:
		wishes->changed = true;
		return 0;
	case OPTION_NAME:
		wishes->names = argument;
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
	case ARGP_KEY_END:
		if (wishes->nfiles != 2)
			argp_error(state, "give two traces, A and B");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "A B",
	.doc = "What changed from trace A to trace B: calls, times and failures of each function, kernel and transfer, and whether times differ by "
	       "more than they vary within each trace. A and B are trace files (.tlt or Chrome JSON, plain or compressed), sums that "
	       "`tracelayer summary --save` wrote, or folders of jobs.\v"
	       "Exit code: 0 done, 1 a condition of --fail-if holds, or a file is broken, 2 usage, 3 a file ends early.",
};

/* All conditions are looked at. */
static int conditions_look(const struct wishes *wishes, const struct pairs *pairs)
{
	int code = EXIT_DONE;

	for (size_t i = 0; i < wishes->nconditions; i++) {
		long holds = condition_look(&wishes->conditions[i], pairs, wishes->noise);

		if (holds < 0)
			code = EXIT_USAGE;
		else if (holds && code == EXIT_DONE)
			code = EXIT_BROKEN;
	}
	return code;
}

static int tables_print(const struct wishes *wishes, const struct pairs *pairs)
{
	struct table *tables[TALLY_KINDS], *wanted[TALLY_KINDS];
	size_t count = 0;

	diff_tabulate(tables, pairs, wishes->changed);
	for (int i = 0; i < TALLY_KINDS; i++)
		if (tables[i] && (wishes->table < 0 || wishes->table == i))
			wanted[count++] = tables[i];
	if (!count)
		say("the traces have nothing to compare%s",
		    wishes->names || wishes->table >= 0 ? " of what is asked for" : "");
	int failed = table_print(wanted, count, wishes->format, stdout);

	for (int i = 0; i < TALLY_KINDS; i++)
		if (tables[i])
			table_free(tables[i]);
	if (failed)
		say_output_failed("the table");
	return failed ? EXIT_BROKEN : EXIT_DONE;
}

static void say_lost(const char *path, const struct rank_sum *sum)
{
	if (sum->lost)
		say("%s: %llu events were lost when it was made, and are not in the table", path,
		    (unsigned long long)sum->lost);
}

static int sums_compare(const struct wishes *wishes, const struct rank_sum sums[2])
{
	struct pairs pairs;

	for (int i = 0; i < 2; i++)
		say_lost(wishes->files[i], &sums[i]);
	pairs_of(&pairs, &sums[0], &sums[1], wishes->names);
	int code = tables_print(wishes, &pairs);

	if (code == EXIT_DONE) {
		fflush(stdout);
		code = conditions_look(wishes, &pairs);
	}
	pairs_free(&pairs);
	return code;
}

int command_diff(int argc, char **argv)
{
	struct wishes wishes = {.format = TABLE_AS_TEXT, .table = -1};
	struct rank_sum sums[2];
	int code = EXIT_DONE;

	setlocale(LC_CTYPE, "");
	options_parse(&argp, argc, argv, 0, &wishes);
	for (int i = 0; i < 2; i++)
		rank_sum_begin(&sums[i], "", -1);
	for (int i = 0; i < 2 && code != EXIT_BROKEN; i++) {
		int state = any_sum(&sums[i], wishes.files[i]);

		if (state != EXIT_DONE)
			code = state;
	}
	if (code != EXIT_BROKEN) {
		int state = sums_compare(&wishes, sums);

		if (state != EXIT_DONE)
			code = state;
	}
	for (int i = 0; i < 2; i++)
		rank_sum_clear(&sums[i]);
	for (size_t i = 0; i < wishes.nconditions; i++)
		condition_clear(&wishes.conditions[i]);
	free(wishes.conditions);
	return code;
}
