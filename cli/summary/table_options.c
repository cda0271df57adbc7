/* SPDX-License-Identifier: MIT */
/*
 * table_options.c: see table_options.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/summary/table_options.h"

#include "cli/basics/basics.h"

enum { OPTION_SORT = 0x2000, OPTION_TOP, OPTION_COLUMNS, OPTION_FORMAT, OPTION_CSV, OPTION_JSON };

static const struct argp_option options[] = {
	{.doc = "Which tables:", .group = 2},
	{.doc = "Where to, and how:", .group = 3},
	{"sort", OPTION_SORT, "COLUMN", 0,
	 "sort rows by this column, largest first: its title, or its name in --csv", 2},
	{"top", OPTION_TOP, "N", 0, "print the first N rows of each table or group", 2},
	{"columns", OPTION_COLUMNS, "LIST", 0,
	 "print only these columns, with commas between them, and the rows' names", 2},
	{"format", OPTION_FORMAT, "FORMAT", 0, "output format: text (the default), csv or json", 3},
	{"csv", OPTION_CSV, NULL, 0, "the same as --format=csv", 3},
	{"json", OPTION_JSON, NULL, 0, "the same as --format=json", 3},
	{0},
};

static void take_format(struct argp_state *state, struct table_options *tables, const char *name)
{
	int format = table_format_named(name);

	if (format < 0)
		option_refuse(state, "--format=%s: no such format; give text, csv or json", name);
	tables->format = (enum table_format)format;
}

static void take_top(struct argp_state *state, struct table_options *tables, const char *text)
{
	char *end;
	long rows = strtol(text, &end, 10);

	if (end == text || *end || rows < 1)
		option_refuse(state, "--top=%s: give a number of rows, 1 or more", text);
	tables->wishes.most = (size_t)rows;
}

/* A list without a word would leave no table, and nothing would be said. */
static const char *take_columns(const struct argp_state *state, const char *option,
				const char *text)
{
	if (!text[strspn(text, ",")])
		option_refuse(state, "--%s=%s: give a column's title, or its name in --csv", option,
			      text);
	return text;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct table_options *tables = state->input;

	switch (key) {
	case OPTION_SORT:
		tables->wishes.sort = take_columns(state, "sort", argument);
		return 0;
	case OPTION_TOP:
		take_top(state, tables, argument);
		return 0;
	case OPTION_COLUMNS:
		tables->wishes.columns = take_columns(state, "columns", argument);
		return 0;
	case OPTION_FORMAT:
		take_format(state, tables, argument);
		return 0;
	case OPTION_CSV:
		tables->format = TABLE_AS_CSV;
		return 0;
	case OPTION_JSON:
		tables->format = TABLE_AS_JSON;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp table_argp = {.options = options, .parser = parse_option};
