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
#include "cli/symbols/symbols.h"

enum { OPTION_TABLE = 256, OPTION_FAIL, OPTION_NOISE, OPTION_CHANGED };

struct wishes {
	int table; /* only this one; -1: all */
	struct filter filter;
	struct table_options tables;
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
	 "print only rows that differ by more than they vary, or that one trace lacks", 2},
	{"table", OPTION_TABLE, "TABLE", 0,
	 "print only this table: calls, events, kernels, transfers or others", 2},
	{0},
};

static void wish_condition(struct argp_state *state, struct wishes *wishes, const char *text)
{
	struct condition condition;
	char why[160];

	if (!condition_parse(&condition, text, why, sizeof(why)))
		option_refuse(state, "--fail-if='%s': %s", text, why);
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
	option_refuse(state,
		      "--table=%s: no such table; give calls, events, kernels, transfers or others",
		      word);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &wishes->filter.selection;
		state->child_inputs[1] = &wishes->tables;
		return 0;
	case OPTION_FAIL:
		wish_condition(state, wishes, argument);
		return 0;
	case OPTION_NOISE:
		wishes->noise = true;
		return 0;
	case OPTION_CHANGED:
		wishes->changed = true;
		return 0;
	case OPTION_TABLE:
		wish_table(state, wishes, argument);
		return 0;
	case ARGP_KEY_ARGS:
		wishes->files = state->argv + state->next;
		wishes->nfiles = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		if (wishes->nfiles != 2)
			option_refuse(state, "give two traces, A and B");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {{&selection_argp, 0, "What is compared:", 1},
					     {&table_argp, 0, NULL, 0},
					     {&names_argp, 0, NULL, 3},
					     {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.children = children,
	.args_doc = "A B",
	.doc = "What changed from trace A to trace B: calls, times and failures of each function, kernel and transfer, and whether times differ by "
	       "more than they vary within each trace. A and B are trace files (.tlt, Chrome JSON, .pftrace or .sqlite, plain or compressed), sums that "
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

static void tables_free(struct table **tables)
{
	for (int i = 0; i < TALLY_KINDS; i++)
		if (tables[i])
			table_free(tables[i]);
}

/* Leaves what is wanted of the tables. False, after a message: no table has a column that was named. */
static bool tables_choose(const struct wishes *wishes, struct table **tables)
{
	bool any = false;

	for (int i = 0; i < TALLY_KINDS; i++) {
		if (wishes->table >= 0 && wishes->table != i && tables[i]) {
			table_free(tables[i]);
			tables[i] = NULL;
		}
		any |= tables[i] != NULL;
	}
	if (any)
		return summary_arrange(tables, TALLY_KINDS, &wishes->tables.wishes);
	say("the traces have nothing to compare%s",
	    filter_is_any(&wishes->filter) || wishes->table >= 0 ? " of what is asked for" : "");
	return true;
}

static int tables_print(const struct wishes *wishes, const struct pairs *pairs)
{
	struct table *tables[TALLY_KINDS], *wanted[TALLY_KINDS];
	size_t count = 0;

	diff_tabulate(tables, pairs, wishes->changed);
	if (!tables_choose(wishes, tables)) {
		tables_free(tables);
		return EXIT_USAGE;
	}
	for (int i = 0; i < TALLY_KINDS; i++)
		if (tables[i])
			wanted[count++] = tables[i];
	int failed = table_print(wanted, count, wishes->tables.format, stdout);

	tables_free(tables);
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
	pairs_of(&pairs, &sums[0], &sums[1], wishes->filter.selection.name);
	int code = tables_print(wishes, &pairs);

	if (code == EXIT_DONE) {
		fflush(stdout);
		code = conditions_look(wishes, &pairs);
	}
	pairs_free(&pairs);
	return code;
}

/* Each trace has its own times. Names are looked at in sums, too. */
static int trace_read(struct rank_sum *sum, struct wishes *wishes, int number)
{
	struct selection *selection = &wishes->filter.selection;
	struct filter filter = wishes->filter;
	char *names = filter.selection.name;
	int code = EXIT_DONE;

	filter.selection.name = NULL;
	if (!filter_is_any(&filter))
		return any_sum(sum, wishes->files[number], NULL);
	if (selection_time_is_open(selection)) {
		wishes->files[number] = input_keep(wishes->files[number]);
		code = wishes->files[number]
			       ? selection_time_find(&filter.selection,
						     (const char *const *)&wishes->files[number], 1)
			       : EXIT_BROKEN;
	}
	filter.selection.name = names;
	return code == EXIT_DONE ? any_sum(sum, wishes->files[number], &filter) : code;
}

static bool code_is_final(int code)
{
	return code == EXIT_BROKEN || code == EXIT_USAGE;
}

int command_diff(int argc, char **argv)
{
	struct wishes wishes = {.table = -1};
	struct rank_sum sums[2];
	int code = EXIT_DONE;

	setlocale(LC_CTYPE, "");
	options_parse(&argp, argc, argv, 0, &wishes);
	for (int i = 0; i < 2; i++)
		rank_sum_begin(&sums[i], "", -1);
	for (int i = 0; i < 2 && !code_is_final(code); i++) {
		int state = trace_read(&sums[i], &wishes, i);

		if (state != EXIT_DONE)
			code = state;
	}
	if (!code_is_final(code)) {
		int state = sums_compare(&wishes, sums);

		if (state != EXIT_DONE)
			code = state;
	}
	for (int i = 0; i < 2; i++)
		rank_sum_clear(&sums[i]);
	for (size_t i = 0; i < wishes.nconditions; i++)
		condition_clear(&wishes.conditions[i]);
	free(wishes.conditions);
	selection_free(&wishes.filter.selection);
	return code;
}
