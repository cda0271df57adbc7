/* SPDX-License-Identifier: MIT */
/*
 * report_command.c: `tracelayer report`: its options. See report.h.
 */
#include "config.h"

#include "cli/basics/basics.h"
#include "cli/report/report.h"

#if !HAVE_JANSSON

int command_report(int argc, char **argv)
{
	(void)argc, (void)argv;
	return say_without_json("report");
}

#else

#include <argp.h>
#include <stdbool.h>

#include "cli/read/read.h"
#include "cli/report/report_make.h"

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
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &wishes->files;
		return 0;
	case 'o':
		wishes->output = argument;
		return 0;
	case 'f':
		wishes->force = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.children = page_files_argp,
	.args_doc = "TRACE...",
	.doc = "Makes one page of trace files, with a timeline and the tables of `tracelayer summary`. A browser shows it without a network "
	       "or a server. TRACE is a .tlt, Chrome JSON, .pftrace or .sqlite file, plain or compressed; - is standard input.\v"
	       "Exit code: 0 done, 1 a file is broken, 2 usage, 3 a file ends early (the page shows what is there).",
};

int command_report(int argc, char **argv)
{
	struct wishes wishes = {.output = "report.html"};

	options_parse(&argp, argc, argv, 0, &wishes);
	int code = report_make(&wishes.files, wishes.output, wishes.force);

	selection_free(&wishes.files.selection);
	return code;
}

#endif
