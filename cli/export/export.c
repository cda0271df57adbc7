/* SPDX-License-Identifier: MIT */
/*
 * export.c: `tracelayer export`: makes a .tlt file into JSON or a Perfetto trace (export_encode.c),
 * or, with --systrace, a .tlt file or JSON into ftrace's text (systrace.h).
 *
 * The output is made beside its name, and gets that name when it is whole (output_file.h).
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/export/export.h"
#include "cli/export/export_job.h"
#include "cli/outputs/outputs.h"
#include "cli/read/read.h"
#include "cli/systrace/systrace.h"
#include "format/encode/formats.h"
#include "format/encode/gzip.h"

/* A pipe, a terminal, /dev/null. */
static bool path_is_no_file(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

/* False, after a message. */
static bool open_output(struct export *export)
{
	int error = output_file_open(&export->file, export->output, export->force);

	if (error)
		say("%s: %s; give another place with -o", export->output,
		    output_file_trouble(error));
	return !error;
}

/* Gives the file its name. If that fails, removes the file, prints a message and returns false. */
static bool close_output(struct export *export, bool written)
{
	int failed = written ? 0 : errno, error = output_file_close(&export->file, written);

	error = failed ? failed : error;
	if (error)
		say("%s: %s; no file was left there; free some space, or give another place with -o",
		    export->output, strerror(error));
	else
		output_file_say(&export->file);
	return !error;
}

/* --- ftrace's text */

static int export_systrace(struct export *export)
{
	if (!open_output(export))
		return EXIT_BROKEN;
	FILE *to = need(fdopen(dup(export->file.fd), "w"));
	int code = systrace_write(export->input, export->file.path, to);
	bool written = !ferror(to);
	written = !fclose(to) && written;
	if (code != EXIT_BROKEN)
		return close_output(export, written) ? code : EXIT_BROKEN;
	output_file_close(&export->file, false);
	return code;
}

/* --- the command */

static int export_trace(struct export *export)
{
	int code = EXIT_BROKEN;

	export->trace = record_file_open(export->input);
	if (!export->trace)
		return code;
	export_make_portions(export);
	if (open_output(export) && close_output(export, export_encode_all(export)))
		code = record_file_judge(export->trace, export->input, export->unknown,
					 export->file.path);
	tl_trace_close(export->trace);
	return code;
}

enum { OPTION_SYSTRACE = 256 };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
	 "file to write (.json or .pftrace, either with .gz), or a folder; - writes JSON to standard output. Default: FILE, with .json in "
	 "place of .tlt",
	 0},
	{"force", 'f', NULL, 0,
	 "overwrite a file of that name; without this option, the new file's name gets a number",
	 0},
	{"systrace", OPTION_SYSTRACE, NULL, 0,
	 "write FILE, a .tlt or JSON trace, as ftrace's text, with layers and phases as in NNAPI's systraces. Default output: FILE, with "
	 ".systrace in place of its ending",
	 0},
	{0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct export *export = state->input;

	switch (key) {
	case 'o':
		/* The descriptor that we have, whatever it leads to. */
		export->output = strcmp(argument, "/dev/stdout") ? argument : "-";
		return 0;
	case 'f':
		export->force = true;
		return 0;
	case OPTION_SYSTRACE:
		export->systrace = true;
		return 0;
	case ARGP_KEY_ARG:
		if (export->input)
			argp_error(state, "more than one file given; export each by itself");
		export->input = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state,
			   "no file given; name a .tlt file, or with --systrace a trace in JSON");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "FILE",
	.doc = "Convert a .tlt file, which `tracelayer run -o trace.tlt` writes, to Chrome trace JSON (plain or compressed) or to a Perfetto trace. "
	       "With --systrace, convert a .tlt or JSON trace to ftrace's text. FILE - is standard input.\v"
	       "Exit code: 0 done, 1 the file is broken or the output cannot be written, 2 usage, 3 the file ends early or is damaged (the output "
	       "has all that is sound).",
};

/* The name with another ending. `endings` are taken off, as far as the name has them. */
static char *default_output(const char *input, const char *const *endings, const char *ending)
{
	size_t length = strlen(input), size;
	char *output;

	if (!strcmp(input, "-"))
		return need(strdup("-"));
	for (; *endings; endings++)
		if (length > (size = strlen(*endings)) &&
		    !memcmp(input + length - size, *endings, size))
			length -= size;
	return asprintf(&output, "%.*s%s", (int)length, input, ending) < 0 ? need(NULL) : output;
}

/*
 * If the user named no file: the default name, in the folder that the user named, or beside the
 * input. NULL: the user named a file.
 */
static char *choose_output(struct export *export, const char *const *endings, const char *ending)
{
	size_t length = export->output ? strlen(export->output) : 0;
	char *chosen, *inside;
	struct stat about;

	if (length && (stat(export->output, &about) || !S_ISDIR(about.st_mode)))
		return NULL;
	chosen = default_output(export->input, endings, ending);
	if (length) {
		const char *slash = strrchr(chosen, '/'), *name = !strcmp(chosen, "-")
									  ? "trace.json"
								  : slash ? slash + 1
									  : chosen;

		if (asprintf(&inside, "%s%s%s", export->output,
			     export->output[length - 1] == '/' ? "" : "/", name) < 0)
			need(NULL);
		free(chosen);
		chosen = inside;
	}
	export->output = chosen;
	return chosen;
}

static int command_systrace(struct export *export)
{
	static const char *const endings[] = {".gz", ".json", ".tlt", NULL};
	char *chosen = choose_output(export, endings, ".systrace");
	int code = export_systrace(export);
	free(chosen);
	return code;
}

int command_export(int argc, char **argv)
{
	static const char *const endings[] = {".tlt", NULL};
	struct export export = {0};
	char *chosen = NULL;

	argp_parse(&argp, argc, argv, 0, NULL, &export);
	if (export.systrace)
		return command_systrace(&export);
	chosen = choose_output(&export, endings, ".json");
	export.format = tl_format_of(export.output, &export.gzip);
	if (export.format == &tl_format_tlt)
		export.format = NULL; /* the input is a .tlt file already */
	if (!export.format && (!strcmp(export.output, "-") || path_is_no_file(export.output)))
		export.format = &tl_format_json;
	int code = EXIT_USAGE;
	if (export.format)
		code = export_trace(&export);
	else
		say("%s: no format has this ending; use .json or .pftrace, either with .gz",
		    export.output);
	free(chosen);
	return code;
}
