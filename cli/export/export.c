/* SPDX-License-Identifier: MIT */
/*
 * export.c: `tracelayer export`. It makes one .tlt file into JSON or a Perfetto trace
 * (export_encode.c); several files, or a part of one, into one timeline (export_timeline.h); traces in
 * other formats into JSON (export_events.h); with --systrace, any of them into ftrace's text
 * (systrace.h). export_output.c opens and closes the file that all of these write.
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
#include "cli/export/export_events.h"
#include "cli/export/export_folded.h"
#include "cli/export/export_job.h"
#include "cli/export/export_stacks.h"
#include "cli/export/export_timeline.h"
#include "cli/outputs/outputs.h"
#include "cli/read/read.h"
#include "cli/sqlite/sqlite.h"
#include "cli/symbols/symbols.h"
#include "cli/systrace/systrace.h"
#include "format/encode/formats.h"
#include "format/encode/gzip.h"

/* A pipe, a terminal, /dev/null. */
static bool path_is_no_file(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

/* --- ftrace's text */

static int export_systrace(struct export *export)
{
	if (!export_output_open(export))
		return EXIT_BROKEN;
	FILE *to = need(fdopen(dup(export->file.fd), "w"));
	int code = systrace_write(export->input, export->file.path, to);
	bool written = !ferror(to);
	written = !fclose(to) && written;
	if (code != EXIT_BROKEN)
		return export_output_close(export, written) ? code : EXIT_BROKEN;
	output_file_close(&export->file, false);
	return code;
}

/* --- one file, whole */

static int export_trace(struct export *export)
{
	int code = EXIT_BROKEN;

	export->trace = record_file_open(export->input);
	if (!export->trace)
		return code;
	export->symbols = symbols_open(export->symbol_folders);
	export->stack_ids =
		export->format->number == TL_OUTPUT_JSON && export_has_stacks(export->trace);
	export->gpu_events = export->format->number == TL_OUTPUT_PFTRACE &&
			     gpu_tracks_chosen(export->gpu_tracks, &export->trace->facts);
	if (export->gpu_events)
		trace_gpus_foresee(&export->gpus, export->trace);
	export_make_portions(export);
	if (export_output_open(export) && export_output_close(export, export_encode_all(export)))
		code = record_file_judge(export->trace, export->input, export->unknown,
					 export->file.path);
	if (code != EXIT_BROKEN)
		symbols_say_missing(export->symbols);
	symbols_close(export->symbols);
	tl_trace_close(export->trace);
	return code;
}

/* --- several files, or a part */

enum kind { KIND_NONE, KIND_TRACE, KIND_TAR, KIND_OTF2, KIND_SQLITE, KIND_FOLDED };

static bool name_ends(const char *name, const char *ending)
{
	size_t length = strlen(name), size = strlen(ending);

	return length > size && !strcmp(name + length - size, ending);
}

static enum kind kind_of(const struct export *export, bool *gzip)
{
	*gzip = false;
	if (name_ends(export->output, ".otf2"))
		return KIND_OTF2;
	if (name_ends(export->output, ".sqlite"))
		return KIND_SQLITE;
	if (name_ends(export->output, ".folded"))
		return KIND_FOLDED;
	*gzip = name_ends(export->output, ".tar.gz");
	if (*gzip || name_ends(export->output, ".tar"))
		return KIND_TAR;
	*gzip = export->gzip;
	return export->format ? KIND_TRACE : KIND_NONE;
}

/* The whole was written. */
static int timeline_code(const struct timeline *timeline)
{
	if (!timeline->events && selection_is_any(&timeline->selection))
		selection_say_empty(timeline->inputs.count);
	return timeline->incomplete || timeline->inputs.unsound ? EXIT_INCOMPLETE : EXIT_DONE;
}

static int timeline_export(struct export *export, struct timeline *timeline, enum kind kind)
{
	bool written;

	/* Viewers of OTF2 take more. */
	if (kind != KIND_OTF2)
		timeline_warn(timeline, export->output);
	if (kind == KIND_OTF2) {
		int code = timeline_write_otf2(timeline, export->output, export->force);
		return code == EXIT_DONE ? timeline_code(timeline) : code;
	}
	if ((kind == KIND_TAR && !timeline_tar_is_there(export->output)) ||
	    !export_output_open(export))
		return EXIT_BROKEN;
	written = kind == KIND_TAR
			  ? timeline_write_tar(timeline, export->file.fd, export->file.path)
			  : timeline_write(timeline, export->file.fd, export->file.path);
	return export_output_close(export, written) ? timeline_code(timeline) : EXIT_BROKEN;
}

/* Copies. Of all processes, because the trace begins with the first of them. */
static struct words inputs_paths(const struct timeline_inputs *inputs)
{
	struct words paths = {0};

	for (size_t i = 0; i < inputs->count; i++)
		for (size_t j = 0; j < inputs->list[i].nparts; j++)
			words_add(&paths, need(strdup(inputs->list[i].parts[j].path)));
	return paths;
}

static int timeline_finish_inputs(struct timeline *timeline)
{
	bool is_open = selection_time_is_open(&timeline->selection);
	struct words paths = {0};
	int code = EXIT_DONE;

	if (is_open)
		paths = inputs_paths(&timeline->inputs);
	timeline_inputs_finish(&timeline->inputs, &timeline->selection);
	if (is_open && timeline->inputs.clocks.count > 1) {
		say("--time: the traces are of several machines; give seconds from the start");
		code = EXIT_USAGE;
	} else if (is_open) {
		code = selection_time_find(&timeline->selection, paths.item, paths.count);
	}
	for (size_t i = 0; i < paths.count; i++)
		free((char *)paths.item[i]);
	words_free(&paths);
	return code;
}

static int timeline_read_inputs(const struct export *export, struct timeline *timeline)
{
	for (size_t i = 0; i < export->inputs.count; i++) {
		if (!strcmp(export->inputs.item[i], "-")) {
			say("standard input can be read only once; give a file to select a part, or to put several together");
			return EXIT_USAGE;
		}
		timeline_inputs_add(&timeline->inputs, export->inputs.item[i]);
	}
	if (!timeline->inputs.count)
		return EXIT_BROKEN;
	int code = timeline_finish_inputs(timeline);

	if (code != EXIT_DONE || timeline->inputs.count)
		return code;
	say("no process is selected by --rank and --process; `tracelayer summary` names those of a file");
	return EXIT_USAGE;
}

static int export_timeline(struct export *export)
{
	struct timeline timeline = {.selection = export->selection,
				    .format = export->format,
				    .gpu_tracks = export->gpu_tracks,
				    .symbols = symbols_open(export->symbol_folders)};
	enum kind kind = kind_of(export, &timeline.gzip);
	int code = timeline_read_inputs(export, &timeline);

	if (code == EXIT_DONE)
		code = timeline_export(export, &timeline, kind);
	if (code != EXIT_BROKEN)
		symbols_say_missing(timeline.symbols);
	symbols_close(timeline.symbols);
	timeline_inputs_free(&timeline.inputs);
	timeline_numbers_free(&timeline.numbers);
	mpi_messages_free(&timeline.messages);
	return code;
}

static bool export_is_timeline(const struct export *export)
{
	const struct selection *selection = &export->selection;
	bool gzip;

	return export->inputs.count > 1 || selection->ranks || selection->process ||
	       selection_is_within(selection) || kind_of(export, &gzip) == KIND_TAR ||
	       kind_of(export, &gzip) == KIND_OTF2 || path_is_folder(export->input);
}

/* --- a database */

/* Several .tlt files, or a part of them, become one timeline first: it is JSON, in a file without a name. */
static int sqlite_of_timeline(struct export *export)
{
	struct timeline timeline = {.selection = export->selection,
				    .format = &tl_format_json,
				    .symbols = export->symbols};
	int code = timeline_read_inputs(export, &timeline), spool = -1;
	char path[32];

	if (code == EXIT_DONE && (spool = spool_open()) < 0)
		code = EXIT_BROKEN;
	if (code == EXIT_DONE && !timeline_write(&timeline, spool, "the database")) {
		say("%s: %s; free some space where temporary files are", export->output,
		    strerror(errno));
		code = EXIT_BROKEN;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", spool);
	if (code == EXIT_DONE)
		code = sqlite_write((const char *const[]){path}, 1, &(struct selection){0},
				    export->symbols, export->output, export->force);
	if (code == EXIT_DONE)
		code = timeline_code(&timeline);
	if (spool >= 0)
		close(spool);
	timeline_inputs_free(&timeline.inputs);
	timeline_numbers_free(&timeline.numbers);
	mpi_messages_free(&timeline.messages);
	return code;
}

/*
 * Traces in JSON and in other formats than .tlt. They may come from several tools: each has its own clock,
 * which stays as it is.
 */
static bool inputs_are_events(const struct export *export)
{
	if (export->selection.ranks || (strcmp(export->input, "-") && access(export->input, F_OK)))
		return false;
	for (size_t i = 0; i < export->inputs.count; i++)
		if (record_file_is(export->inputs.item[i]) ||
		    path_is_folder(export->inputs.item[i]))
			return false;
	return true;
}

static int export_sqlite(struct export *export)
{
	if (!sqlite_is_there(export->output))
		return EXIT_USAGE;
	export->symbols = symbols_open(export->symbol_folders);
	int code = export_is_timeline(export) && !inputs_are_events(export)
			   ? sqlite_of_timeline(export)
			   : sqlite_write(export->inputs.item, export->inputs.count,
					  &export->selection, export->symbols, export->output,
					  export->force);
	if (code != EXIT_BROKEN)
		symbols_say_missing(export->symbols);
	symbols_close(export->symbols);
	return code;
}

/* --- folded stacks */

static int export_stacks_folded(struct export *export)
{
	uint64_t unknown;
	int code = EXIT_BROKEN;

	if (export_is_timeline(export)) {
		say("%s: folded stacks are made of one whole file; leave out what selects a part, and export each file by itself",
		    export->output);
		return EXIT_USAGE;
	}
	export->trace = record_file_open(export->input);
	if (!export->trace)
		return code;
	if (!export_has_stacks(export->trace))
		folded_say_stackless(export->input);
	export->symbols = symbols_open(export->symbol_folders);
	if (export_output_open(export) &&
	    export_output_close(export, export_folded(export->trace, export->symbols,
						      export->file.fd, &unknown)))
		code = record_file_judge(export->trace, export->input, unknown, export->file.path);
	if (code != EXIT_BROKEN)
		symbols_say_missing(export->symbols);
	symbols_close(export->symbols);
	tl_trace_close(export->trace);
	return code;
}

/* --- traces in other formats than .tlt */

static int export_events(struct export *export, enum kind kind)
{
	bool is_json = kind == KIND_TRACE && export->format == &tl_format_json;

	if (!is_json && kind != KIND_FOLDED) {
		say("%s: only .tlt files become a .pftrace, a .tar or .otf2, which are made of records; give the .tlt that it was made of, or write .json, .sqlite or .folded",
		    export->input);
		return EXIT_USAGE;
	}
	return is_json ? export_events_json(export) : export_events_folded(export);
}

/* --- the command */

enum {
	OPTION_SYSTRACE = 256,
	OPTION_RANK,
	OPTION_GPU_TRACKS,
	OPTION_SYMBOLS,
};

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
	 "file to write (.json or .pftrace, either with .gz; .tar: a .pftrace for each rank, with Perfetto's manifest; .otf2; .sqlite; .folded: stacks for flame graphs), or a folder; - "
	 "writes JSON to standard output. Default: FILE, with .json in place of its ending",
	 0},
	{"force", 'f', NULL, 0,
	 "overwrite a file of that name; without this option, the new file's name gets a number",
	 0},
	{"rank", OPTION_RANK, "RANKS", 0,
	 "only processes of these ranks, such as 0,8-15,*/16 (those that 16 divides)", 0},
	{"gpu-tracks", OPTION_GPU_TRACKS, "KIND", 0,
	 "how a .pftrace shows what devices do: slices (lanes of the process) or perfetto (its own GPU tracks). Default: what run was told",
	 0},
	{"symbols", OPTION_SYMBOLS, "DIRS", 0,
	 "folders, separated by colons, where the files of the traced program and its libraries are looked for first, for the names of functions on "
	 "stacks (run --stack)",
	 0},
	{"systrace", OPTION_SYSTRACE, NULL, 0,
	 "write FILE as ftrace's text, with layers and phases as in NNAPI's systraces. Default output: FILE, with "
	 ".systrace in place of its ending",
	 0},
	{0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct export *export = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &export->selection;
		return 0;
	case 'o':
		/* The descriptor that we have, whatever it leads to. */
		export->output = strcmp(argument, "/dev/stdout") ? argument : "-";
		return 0;
	case 'f':
		export->force = true;
		return 0;
	case OPTION_SYMBOLS:
		export->symbol_folders = argument;
		return 0;
	case OPTION_SYSTRACE:
		export->systrace = true;
		return 0;
	case OPTION_RANK:
		export->selection.ranks = option_ranks(state, argument);
		return 0;
	case OPTION_GPU_TRACKS:
		export->gpu_tracks =
			!strcmp(argument, "perfetto") ? GPU_TRACKS_PERFETTO : GPU_TRACKS_SLICES;
		if (strcmp(argument, "perfetto") && strcmp(argument, "slices"))
			option_refuse(state,
				      "--gpu-tracks=%s: no such kind; use slices or perfetto",
				      argument);
		return 0;
	case ARGP_KEY_ARG:
		words_add(&export->inputs, argument);
		export->input = export->inputs.item[0];
		return 0;
	case ARGP_KEY_NO_ARGS:
		option_refuse(
			state,
			"no file given; name a trace, or several .tlt files or a folder of them");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {
	{&selection_argp, 0, "What is exported:", 1}, {&names_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.children = children,
	.args_doc = "FILE|FOLDER...",
	.doc = "Convert .tlt files, which `tracelayer run -o trace.tlt` writes, to Chrome trace JSON (plain or compressed), to a Perfetto trace, "
	       "to OTF2 or to an SQLite database. JSON, .pftrace and .sqlite files become JSON, a database or folded stacks. Several .tlt files, or all of a folder, become one timeline on one clock. With --systrace, convert any of them to "
	       "ftrace's text. FILE - is standard input.\v"
	       "Exit code: 0 done, 1 the file is broken or the output cannot be written, 2 usage, 3 a file ends early or is damaged (the output "
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

	if (length && !path_is_folder(export->output))
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
	static const char *const endings[] = {".gz", ".json", ".pftrace", ".sqlite", ".tlt", NULL};
	char *chosen = choose_output(export, endings, ".systrace");
	int code = export_systrace(export);
	free(chosen);
	return code;
}

static int command_trace(struct export *export)
{
	bool gzip;

	export->format = tl_format_of(export->output, &export->gzip);
	if (export->format == &tl_format_tlt)
		export->format = NULL; /* the input is a .tlt file already */
	if (!export->format && (!strcmp(export->output, "-") || path_is_no_file(export->output)))
		export->format = &tl_format_json;
	if (kind_of(export, &gzip) == KIND_NONE) {
		say("%s: no format has this ending; use .json or .pftrace, either with .gz, .tar, .otf2, .sqlite or .folded, or --systrace for ftrace's text",
		    export->output);
		return EXIT_USAGE;
	}
	enum kind kind = kind_of(export, &gzip);

	if (export->gpu_tracks == GPU_TRACKS_PERFETTO && kind != KIND_TAR &&
	    export->format != &tl_format_pftrace) {
		say("--gpu-tracks=perfetto: only a .pftrace has such tracks; name the output so with -o");
		return EXIT_USAGE;
	}
	if (kind == KIND_SQLITE)
		return export_sqlite(export);
	if (export->inputs.count == 1 && inputs_are_events(export))
		return export_events(export, kind);
	if (kind == KIND_FOLDED)
		return export_stacks_folded(export);
	return export_is_timeline(export) ? export_timeline(export) : export_trace(export);
}

/* False after a message. */
static bool systrace_is_sound(struct export *export)
{
	bool gzip;

	if (export->output)
		export->format = tl_format_of(export->output, &export->gzip);
	if (selection_is_any(&export->selection))
		say("--systrace: it takes a whole file; export the part to a .json first, and that with --systrace");
	else if (export->output && kind_of(export, &gzip) != KIND_NONE)
		say("%s: --systrace makes text, and no trace of this ending; name it .systrace, or leave --systrace out",
		    export->output);
	else if (export->gpu_tracks == GPU_TRACKS_PERFETTO)
		say("--gpu-tracks=perfetto: only a .pftrace has such tracks; leave it or --systrace out");
	else
		return true;
	return false;
}

/* Whether the files can be told apart from the options. A message says what is missing. */
static bool arguments_are_sound(struct export *export)
{
	bool folder = path_is_folder(export->input);

	if (export->systrace && export->inputs.count > 1)
		say("--systrace takes one file; make one timeline of them first, with -o all.json");
	else if (export->systrace)
		return systrace_is_sound(export);
	else if (export->inputs.count > 1 || folder)
		if (!export->output || path_is_folder(export->output))
			say("name the output of several files: -o all.pftrace, all.json, all.tar, all.otf2 or all.sqlite");
		else
			return true;
	else
		return true;
	return false;
}

int command_export(int argc, char **argv)
{
	static const char *const endings[] = {".gz", ".json", ".pftrace", ".sqlite", ".tlt", NULL};
	struct export export = {0};
	char *chosen = NULL;
	int code = EXIT_USAGE;

	options_parse(&argp, argc, argv, 0, &export);
	bool sound = arguments_are_sound(&export);
	if (sound && export.systrace) {
		code = command_systrace(&export);
	} else if (sound) {
		chosen = choose_output(&export, endings, ".json");
		code = command_trace(&export);
	}
	free(chosen);
	selection_free(&export.selection);
	words_free(&export.inputs);
	return code;
}
