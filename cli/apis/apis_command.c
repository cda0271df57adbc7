/* SPDX-License-Identifier: MIT */
/*
 * apis_command.c: `tracelayer apis`: the APIs that can be traced, and interposers made ahead of
 * time.
 */
#include "config.h"

#include "cli/apis/apis.h"
#include "cli/basics/basics.h"

#if !HAVE_JANSSON

int command_apis(int argc, char **argv)
{
	(void)argc, (void)argv;
	return say_without_json("apis");
}

#else

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/apis/api_descriptors.h"
#include "tables/tables.h"

enum { OPTION_BUILD = 'b', OPTION_FORMAT = 'f' };

struct apis_wishes {
	const char *build;
	int format;
};

static const struct argp_option option_table[] = {
	{"build", OPTION_BUILD, "API", 0,
	 "make the API's interposer now, for `tracelayer run --api` later", 0},
	{"format", OPTION_FORMAT, "FORMAT", 0, "text, csv or json (text)", 0},
	{0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct apis_wishes *wishes = state->input;

	switch (key) {
	case OPTION_BUILD:
		wishes->build = argument;
		return 0;
	case OPTION_FORMAT:
		wishes->format = table_format_named(argument);
		if (wishes->format < 0)
			option_refuse(state, "--format=%s: give text, csv or json", argument);
		return 0;
	case ARGP_KEY_ARG:
		option_refuse(state, "%s: this command takes options only", argument);
		return 0;
	case ARGP_KEY_END:
		if (wishes->build && wishes->format != TABLE_AS_TEXT)
			option_refuse(
				state,
				"--build and --format: only the list has a format; leave one of them out");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

enum { COLUMN_NAME, COLUMN_ORIGIN, COLUMN_VERSION, COLUMN_FUNCTIONS, COLUMN_LIBRARY, COLUMNS };

static const char *const origin_names[] = {
	[API_BUILT_IN] = "built in", [API_INSTALLED] = "installed", [API_OF_USER] = "yours"};

static int print_apis(const struct api_descriptors *list, enum table_format format)
{
	static const struct table_column columns[COLUMNS] = {
		[COLUMN_NAME] = {"api", "API", TABLE_TEXT, false},
		[COLUMN_ORIGIN] = {"origin", "", TABLE_TEXT, false},
		[COLUMN_VERSION] = {"version", "Version", TABLE_TEXT, false},
		[COLUMN_FUNCTIONS] = {"functions", "Functions", TABLE_COUNT, false},
		[COLUMN_LIBRARY] = {"library", "Library", TABLE_TEXT, false},
	};
	struct table *table = table_new("apis", columns, COLUMNS);

	for (size_t i = 0; i < list->count; i++) {
		const struct api_descriptor *item = &list->item[i];

		table_row(table);
		table_text(table, COLUMN_NAME, item->name);
		table_text(table, COLUMN_ORIGIN, origin_names[item->origin]);
		if (item->version)
			table_text(table, COLUMN_VERSION, item->version);
		if (item->functions >= 0)
			table_number(table, COLUMN_FUNCTIONS, item->functions);
		table_text(table, COLUMN_LIBRARY,
			   item->sonames && *item->sonames ? *item->sonames : "");
	}
	int failed = table_print(&table, 1, format, stdout);

	table_free(table);
	if (failed)
		say_output_failed("the table");
	return failed ? EXIT_BROKEN : EXIT_DONE;
}

/* If a descriptor can't be read, the others are still listed. */
static int list_apis(enum table_format format)
{
	struct api_descriptors list;
	int code, broken = EXIT_DONE;

	api_descriptors_find(&list, true);
	for (size_t i = 0; i < list.count; i++)
		if (list.item[i].trouble) {
			say("%s: %s; correct it", list.item[i].path, list.item[i].trouble);
			broken = EXIT_BROKEN;
		}
	code = print_apis(&list, format);
	api_descriptors_free(&list);
	return code ? code : broken;
}

static int build_interposer(const char *api)
{
	const struct interposer_request request = {.api = api, .log = stdout};
	char *paths, *rest;
	int code = interposer_find(&request, &paths);

	if (code == EXIT_DONE && !*paths)
		printf("%s is built in: `tracelayer run` traces it without more\n", api);
	for (char *path = strtok_r(paths, ":", &rest); path; path = strtok_r(NULL, ":", &rest))
		puts(path);
	free(paths);
	return code;
}

int command_apis(int argc, char **argv)
{
	struct apis_wishes wishes = {.format = TABLE_AS_TEXT};
	const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.doc = "List the APIs that can be traced by name: those built in, those whose descriptors are installed, and "
		       "your own, from ~/.config/tracelayer/apis.\v"
		       "`tracelayer run` traces built-in APIs as it is, and the others with --api=NAME. For a library without a "
		       "descriptor, see --lib and --header in tracelayer-run(1).",
	};

	options_parse(&argp, argc, argv, 0, &wishes);
	return wishes.build ? build_interposer(wishes.build)
			    : list_apis((enum table_format)wishes.format);
}

#endif
