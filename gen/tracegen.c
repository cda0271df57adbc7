/* SPDX-License-Identifier: MIT */
/*
 * tracegen: from the headers of a C API to the code that traces it.
 *
 *	tracegen model HEADER… [--api DESCRIPTOR] [--lib LIBRARY] [--pkg PACKAGE] [-o FILE] [-- FLAGS]
 *	tracegen emit  --api DESCRIPTOR | --model MODEL | HEADER… [--lib LIBRARY] [-o FOLDER] [-- FLAGS]
 *	tracegen suggest HEADER… [--lib LIBRARY] [--pkg PACKAGE] [-o FILE] [-- FLAGS]
 *	tracegen model|suggest --lib LIBRARY [-o FILE]
 *	tracegen check --api DESCRIPTOR | --model MODEL  [--shims LIBRARY] LIBRARY [-- FLAGS]
 *	tracegen interposer [--header HEADER | --api DESCRIPTOR | --model MODEL] --lib LIBRARY -o FILE
 *
 * Without a header, types come from the library's debug information.
 *
 * Exits with 0 when done, 1 when the input is broken or a check failed, 2 when called wrongly.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "common/checked_stdout.h"
#include "common/command_options.h"
#include "gen/allocate.h"
#include "gen/debug_info.h"
#include "gen/exports.h"
#include "gen/guess.h"
#include "gen/interposer.h"
#include "gen/model.h"
#include "gen/packages.h"
#include "gen/tracegen.h"

const char *argp_program_version = "tracegen (tracelayer) " PACKAGE_VERSION;

struct options {
	const char **names; /* headers, or the library */
	size_t nnames;
	const char **flags; /* of --cflags, and those behind -- */
	size_t nflags;
	const char *api, *model, *output, *shims;
	const char *sources;
	const char **libraries, **packages;
	size_t nlibraries, npackages;
	bool no_guesses;
	bool generic; /* the command passes on what C can't: struct function.only_generic */
	bool damaged; /* reading the debug information has ended a process */
	FILE *log;    /* where types come from; NULL: stderr */
};

static const struct argp_option option_table[] = {
	{"api", 'a', "DESCRIPTOR", 0, "what the headers can't say: see tracelayer-descriptor(5)",
	 0},
	{"model", 'm', "MODEL", 0, "a model made before, instead of the headers", 0},
	{"output", 'o', "PATH", 0,
	 "model: the file to write (default: stdout); emit: the folder to write to (default: .)",
	 0},
	{"lib", 'l', "LIBRARY", 0,
	 "take what any of the headers declares and this library exports: its name, as in libfoo.so.1, or its path; may be repeated",
	 0},
	{"pkg", 'p', "PACKAGE", 0,
	 "compiler flags from `pkg-config --cflags PACKAGE`; may be repeated", 0},
	{"cflags", 'c', "FLAGS", OPTION_MAY_BE_EMPTY,
	 "compiler flags, separated by blanks, beside those behind --; may be repeated", 0},
	{"no-guesses", 'n', NULL, 0, "without a descriptor: believe nothing but comments and types",
	 0},
	{"shims", 's', "LIBRARY", 0, "check: the library that must export the shims", 0},
	{"header", 'H', "HEADER", 0, "interposer: a header of the library; may be given again", 0},
	{"sources", 'S', "FILE", 0,
	 "interposer: write the names of the files that it was made from to this file", 0},
	{0},
};

static bool command_is(const struct argp_state *state, const char *name)
{
	const char *word = strchr(state->name, ' ');

	return word && !strcmp(word + 1, name);
}

/* Options that only one command has a use for. */
static void option_check_command(int key, const struct argp_state *state)
{
	if (key == 's' && !command_is(state, "check"))
		option_refuse(state,
			      "--shims: only `tracegen check` has a use for it; leave it out");
	if (key == 'S' && !command_is(state, "interposer"))
		option_refuse(
			state,
			"--sources: only `tracegen interposer` has a use for it; leave it out");
	if (key == 'o' && command_is(state, "check"))
		option_refuse(state, "--output: it prints to standard output; redirect that");
}

static error_t option_parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	option_check_command(key, state);
	switch (key) {
	case 'a':
		options->api = argument;
		break;
	case 'c':
		flags_add(argument, &options->flags, &options->nflags);
		break;
	case 'l':
		*APPEND(options->libraries, options->nlibraries) = argument;
		break;
	case 'n':
		options->no_guesses = true;
		break;
	case 'p':
		*APPEND(options->packages, options->npackages) = argument;
		break;
	case 'm':
		options->model = argument;
		break;
	case 'o':
		options->output = argument;
		break;
	case 's':
		options->shims = argument;
		break;
	case 'S':
		options->sources = argument;
		break;
	case 'H':
	case ARGP_KEY_ARG:
		*APPEND(options->names, options->nnames) = argument;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* The exports of all libraries of the command line; NULL after an error (printed). */
static struct exports *options_read_exports(const struct options *options)
{
	struct exports *exports = allocate(sizeof *exports);

	for (size_t i = 0; i < options->nlibraries; i++) {
		const char *path = library_find(options->libraries[i]);

		if (!path || exports_read(path, exports) != 0)
			return NULL;
	}
	return exports;
}

/*
 * The libraries of the command line come first, because programs link them. The descriptor may name
 * others.
 */
static void model_add_sonames(struct model *model, const struct exports *exports)
{
	for (size_t i = 0; exports && i < exports->nsonames; i++) {
		bool known = false;

		for (size_t j = 0; j < model->nsonames; j++)
			known |= !strcmp(model->sonames[j], exports->sonames[i]);
		if (!known)
			*APPEND(model->sonames, model->nsonames) = exports->sonames[i];
	}
}

/* The library exports none of the headers' functions: say so, with the nearest name. Returns -1. */
static int exports_none(const struct model *model, const struct exports *exports)
{
	size_t common = 0;
	const struct export *nearest =
		model->unexported_name ? exports_nearest(exports, model->unexported_name, &common)
				       : NULL;

	fprintf(stderr, "tracegen: %s: it exports none of the functions that the headers declare",
		exports->paths[0]);
	if (nearest && common == strlen(model->unexported_name) && !strncmp(nearest->name, "_Z", 2))
		fprintf(stderr, " (it has %s for C++ alone, as %s)", model->unexported_name,
			nearest->name);
	else if (nearest && common > 2)
		fprintf(stderr, " (the nearest to %s is %s)", model->unexported_name,
			nearest->name);
	else if (model->unexported_name)
		fprintf(stderr, " (it has nothing like %s)", model->unexported_name);
	fputs("; name the library that programs with these headers link\n", stderr);
	return -1;
}

/* -1: there is nothing to trace (printed). */
static int model_check_functions(const struct model *model, const struct exports *exports)
{
	const char *header = model->nheaders ? model->headers[0] : "headers";

	if (model->nfunctions)
		return 0;
	if (exports && model->nunexported)
		return exports_none(model, exports);
	if (model->nelsewhere)
		fprintf(stderr,
			"tracegen: %s: it declares no function itself, but %s:%u has %s and other headers %zu more; name those headers, or the library with --lib\n",
			header, model->elsewhere.file, model->elsewhere.line, model->elsewhere_name,
			model->nelsewhere - 1);
	else if (model->nrefused)
		fprintf(stderr, "tracegen: %s:%u: %s: %s; there is no other function\n",
			model->refused[0].where.file, model->refused[0].where.line,
			model->refused[0].name, model->refused[0].why);
	else
		fprintf(stderr,
			"tracegen: %s: it declares no function; name the header that does\n",
			header);
	return -1;
}

/* Headers that came with a descriptor lie beside it; the system's have precedence. */
static void descriptor_add_folder(const char *descriptor, struct model_sources *sources)
{
	const char *slash = strrchr(descriptor, '/');

	*APPEND(sources->flags, sources->nflags) = "-idirafter";
	*APPEND(sources->flags, sources->nflags) =
		slash ? copy_bytes(descriptor, (size_t)(slash - descriptor) + !(slash - descriptor))
		      : ".";
}

/* What `--sources` names besides the headers: files that decide which headers those are. */
static void model_keep_sources(struct model *model, const struct options *options,
			       const struct model_sources *sources)
{
	packages_add_files(sources->packages, sources->npackages, &model->files, &model->nfiles);
	packages_add_files(options->packages, options->npackages, &model->files, &model->nfiles);
	for (size_t i = 0; i < sources->nheaders; i++)
		header_add_absent(sources->headers[i], sources->flags, sources->nflags,
				  &model->absent, &model->nabsent);
}

/* Headers of the command line replace the descriptor's; flags of the command line follow its. */
static struct model *options_parse_headers(const struct options *options, struct exports *exports)
{
	struct model_sources sources = {.exports = exports, .beside = !options->api};

	if (options->api && descriptor_sources(options->api, &sources) != 0)
		return NULL;
	for (size_t i = 0; i < sources.npackages; i++)
		if (package_flags(sources.packages[i], false, &sources.flags, &sources.nflags) != 0)
			return NULL;
	for (size_t i = 0; i < options->npackages; i++)
		if (package_flags(options->packages[i], true, &sources.flags, &sources.nflags) != 0)
			return NULL;
	if (options->api)
		descriptor_add_folder(options->api, &sources);
	for (size_t i = 0; i < options->nflags; i++)
		*APPEND(sources.flags, sources.nflags) = options->flags[i];
	if (options->nnames) {
		sources.headers = options->names;
		sources.nheaders = options->nnames;
	}
	struct model *model = model_parse(&sources);
	if (model && options->sources)
		model_keep_sources(model, options, &sources);
	return model && model_check_functions(model, exports) == 0 ? model : NULL;
}

/*
 * Add what the descriptor says. A function that must be left out, and that the descriptor doesn't
 * name, gets a line on stderr.
 */
static int model_describe_and_report(struct model *model, const char *descriptor, bool generic)
{
	const char **before = allocate(model->nfunctions * sizeof *before);

	for (size_t i = 0; i < model->nfunctions; i++)
		before[i] = model->functions[i].left_out;
	if (descriptor && model_describe(model, descriptor) != 0)
		return -1;
	for (size_t i = 0; i < model->nfunctions; i++) {
		const struct function *function = &model->functions[i];

		if (function->left_out && function->left_out == before[i] &&
		    !(generic && function->only_generic))
			fprintf(stderr,
				"tracegen: %s:%u: %s is left out: %s; name it under left_out in the descriptor if you mean that\n",
				function->where.file, function->where.line, function->name,
				function->left_out);
	}
	free(before);
	return 0;
}

static void model_report_unexported(const struct model *model, const struct exports *exports)
{
	size_t count = 0;

	if (!exports || !model->nunexported)
		return;
	fprintf(stderr,
		"tracegen: %s: it doesn't export %zu functions of the headers:", exports->paths[0],
		model->nunexported);
	for (size_t i = 0; i < model->nrefused && count < 5; i++)
		if (!strcmp(model->refused[i].why, REFUSED_UNEXPORTED))
			fprintf(stderr, "%s %s", count++ ? "," : "", model->refused[i].name);
	fprintf(stderr, "%s; they have no shim\n", count < model->nunexported ? ", ..." : "");
}

/*
 * Types come from the debug information of the libraries if nothing names a header, or the
 * descriptor has none. NULL: they don't.
 */
static const char **options_debug_libraries(const struct options *options, size_t *count)
{
	*count = 0;
	if (options->nnames || options->model)
		return NULL;
	const char **sonames = options->api ? descriptor_sonames(options->api, false, count) : NULL;
	if (options->nlibraries && (!options->api || sonames)) {
		*count = options->nlibraries;
		return options->libraries;
	}
	/* Of several sonames, this machine may have one. */
	for (size_t i = 0; i < *count; i++)
		if (library_find_quietly(sonames[i])) {
			*count = 1;
			return sonames + i;
		}
	return sonames;
}

static struct model *options_read_debug_info(const struct options *options, struct exports *exports)
{
	FILE *to = options->log ? options->log : stderr;

	return exports ? model_from_debug_info(exports, options->damaged, to) : NULL;
}

/* The model that the options name: read from a file, or parsed and described. */
static struct model *options_load_model(const struct options *from)
{
	struct options with = *from;
	const struct options *options = &with;
	size_t ndebug;
	const char **debug = options_debug_libraries(from, &ndebug);

	if (debug) {
		with.libraries = debug;
		with.nlibraries = ndebug;
	}
	struct exports *exports = options->nlibraries ? options_read_exports(options) : NULL;
	if (options->nlibraries && !exports)
		return NULL;
	struct model *model = options->model ? model_read(options->model)
			      : debug	     ? options_read_debug_info(options, exports)
					     : options_parse_headers(options, exports);
	bool described = model && model->name;

	if (model && !described && !options->api && !options->no_guesses) {
		struct guesses guesses = model_guess(model);

		model_apply_guesses(&guesses);
		model_collect(model, model->types, model->ntypes);
	}
	if (!model ||
	    (!described && model_describe_and_report(model, options->api, options->generic) != 0))
		return NULL;
	/* The interposer command prints a count of its own. */
	if (!options->generic)
		model_report_unexported(model, exports);
	model_add_sonames(model, exports);
	return model;
}

#define MODEL_AND_HEADERS "a model stands for its headers; leave out either --model or the headers"

static int usage_error(const char *what)
{
	fprintf(stderr, "tracegen: %s; see tracegen --help\n", what);
	return 2;
}

static int write_error(const char *path)
{
	if (errno == ENOENT)
		fprintf(stderr,
			"tracegen: %s: its folder is missing; make it, or choose another place with -o\n",
			path);
	else
		fprintf(stderr, "tracegen: %s: %s; choose another place with -o\n", path,
			strerror(errno));
	return 1;
}

static int command_model(const struct options *options)
{
	if (!options->nnames && !options->api && !options->nlibraries)
		return usage_error(
			"model needs a header, or --api and its descriptor, or --lib and a library with debug information");
	if (options->model)
		return usage_error("model reads headers, not --model");
	struct model *model = options_load_model(options);
	if (!model)
		return 1;
	FILE *to = options->output ? fopen(options->output, "w") : stdout;
	if (!to)
		return write_error(options->output);
	if (model_write(model, to) != 0 || (to != stdout && fclose(to) != 0))
		return write_error(options->output ? options->output : "stdout");
	return 0;
}

static int command_check(const struct options *options)
{
	struct options sources = *options;

	if (options->nnames != 1)
		return usage_error("check needs one library");
	if (!options->api && !options->model)
		return usage_error("check needs --api and a descriptor, or --model and a model");
	sources.nnames = 0;
	struct model *model = options_load_model(&sources);
	if (!model)
		return 1;
	/* A file, or a name that the loader finds. */
	const char *library = access(options->names[0], F_OK) == 0
				      ? options->names[0]
				      : library_find(options->names[0]);
	return library && library_check(model, library, options->shims, stdout) == 0 ? 0 : 1;
}

static int model_write_file(const struct options *options, const struct model *model,
			    const char *ending, int (*emit)(const struct model *model, FILE *to))
{
	const char *path = format_text("%s/%s%s", options->output ? options->output : ".",
				       model->prefix, ending);
	FILE *to = fopen(path, "w");

	if (!to)
		return write_error(path);
	int failed = emit(model, to) != 0;
	if (fclose(to) != 0)
		return write_error(path);
	return failed;
}

/*
 * Without a descriptor, an API has the name of its first header: "sys/foo-bar.h" is foo-bar, and
 * foo_bar in C. Without a header, of its library: "libfoo-bar.so.1" is foo-bar, too.
 */
static void model_name_after_header(struct model *model)
{
	const char *header = model->nheaders   ? model->headers[0]
			     : model->nsonames ? model->sonames[0]
					       : "api",
		   *slash = strrchr(header, '/');
	const char *base = slash ? slash + 1 : header;

	if (!model->nheaders && !strncmp(base, "lib", 3))
		base += 3;
	char *prefix = copy_bytes(base, strcspn(base, "."));

	model->name = copy_text(prefix);
	for (char *c = prefix; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	model->prefix = isdigit((unsigned char)*prefix) ? format_text("api_%s", prefix) : prefix;
}

static bool model_replaces_headers(const struct options *options)
{
	return options->model && options->nnames;
}

static int command_emit(const struct options *options)
{
	if (model_replaces_headers(options))
		return usage_error(MODEL_AND_HEADERS);
	if (!options->api && !options->model && !options->nnames)
		return usage_error(
			"emit needs --api and its descriptor, --model and a model, or a header");
	struct model *model = options_load_model(options);

	if (model && !model->nheaders) {
		fputs("tracegen: emit: its code includes the API's headers, and none is named; use tracegen interposer\n",
		      stderr);
		return 1;
	}
	if (model && !model->prefix)
		model_name_after_header(model);
	if (model && options->output && mkdir(options->output, 0777) && errno != EEXIST)
		return write_error(options->output);
	return !model || model_write_file(options, model, "_tables.c", emit_tables) ||
	       model_write_file(options, model, "_shims.c", emit_shims) ||
	       model_write_file(options, model, "_callbacks.h", emit_callbacks) ||
	       (emits_tracing(model) &&
		(model_write_file(options, model, "_tracing.c", emit_tracing) ||
		 model_write_file(options, model, "_tracing.exports", emit_tracing_exports))) ||
	       (emits_layer(model) && model_write_file(options, model, "_layer.c", emit_layer)) ||
	       model_write_file(options, model, ".exports", emit_exports);
}

static int command_suggest(const struct options *options)
{
	struct options sources = *options;

	if (!options->nnames && !options->nlibraries)
		return usage_error(
			"suggest needs a header, or --lib and a library with debug information");
	if (options->api || options->model)
		return usage_error(
			"suggest writes a descriptor from headers alone, without --api and --model");
	sources.no_guesses = true;
	struct model *model = options_load_model(&sources);
	if (!model)
		return 1;
	struct guesses guesses = model_guess(model);
	FILE *to = options->output ? fopen(options->output, "w") : stdout;
	if (!to)
		return write_error(options->output);
	model_name_after_header(model);
	if (suggest_write(model, &guesses, to) != 0 || (to != stdout && fclose(to) != 0))
		return write_error(options->output ? options->output : "stdout");
	return 0;
}

/* Write the files that an interposer was made from, one in a line, for whoever keeps it. */
static int sources_write(const struct options *options, const struct model *model,
			 const char *library)
{
	FILE *to = fopen(options->sources, "w");

	if (!to)
		return write_error(options->sources);
	fprintf(to, "%s\n", library);
	for (size_t i = 0; model && i < model->ncompanions; i++) {
		const char *companion = library_find_quietly(model->companions[i]);

		if (companion)
			fprintf(to, "%s\n", companion);
	}
	if (options->api)
		fprintf(to, "%s\n", options->api);
	if (options->model)
		fprintf(to, "%s\n", options->model);
	for (size_t i = 0; model && i < model->nfiles; i++)
		fprintf(to, "%s\n", model->files[i]);
	/* What would be read if it were there. */
	for (size_t i = 0; model && i < model->nabsent; i++)
		fprintf(to, "?%s\n", model->absent[i]);
	return fclose(to) ? write_error(options->sources) : 0;
}

/* The library that the descriptor names and this machine has; NULL after an error (printed). */
static const char *model_find_library(const struct model *model)
{
	for (size_t i = 0; i < model->nsonames; i++) {
		const char *path = library_find_quietly(model->sonames[i]);

		if (path)
			return path;
	}
	return model->nsonames ? library_find(model->sonames[0]) : NULL;
}

/* The library of the command line is one of the descriptor's, which has headers, too. */
static bool library_is_described(const struct options *options)
{
	const char *library = options->libraries[0], *slash = strrchr(library, '/');
	size_t count;
	const char **sonames = descriptor_sonames(options->api, true, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(sonames[i], slash ? slash + 1 : library))
			return true;
	return false;
}

static int command_interposer(const struct options *options)
{
	struct options sources = *options;

	if (options->nlibraries > 1 || (!options->nlibraries && !options->api && !options->model))
		return usage_error("interposer needs one --lib and the library");
	if (model_replaces_headers(options))
		return usage_error(MODEL_AND_HEADERS);
	if (!options->output)
		return usage_error("interposer needs -o and the file to write");
	const char *library = options->nlibraries ? library_find(options->libraries[0]) : NULL;
	if (options->nlibraries && (!library || !interposer_can_be(library)))
		return 1;
	sources.generic = true;
	sources.log = stdout;
	/* Of the descriptor's own libraries this one was chosen. It may lack what the descriptor names. */
	if (options->api && library && library_is_described(options))
		sources.nlibraries = 0;
	struct model *model = options_load_model(&sources);
	if (!model)
		return 1;
	if (!library && !model->nsonames)
		return usage_error("the descriptor names no library; give one with --lib");
	if (!library)
		library = model_find_library(model);
	if (!library || (options->sources && sources_write(options, model, library) != 0))
		return 1;
	return interposer_write(model, library, options->output) == 0 ? 0 : 1;
}

static const struct command {
	const char *name, *usage, *doc;
	int (*run)(const struct options *options);
} commands[] = {
	{"model", "HEADER... [-- COMPILER FLAGS]", "Read headers, write what they declare as JSON.",
	 command_model},
	{"check", "LIBRARY [-- COMPILER FLAGS]",
	 "Say which functions that a library exports have a shim, and why the others have none.",
	 command_check},
	{"suggest", "HEADER... [-- COMPILER FLAGS]",
	 "Write the descriptor that guesses amount to, as the start for one's own.",
	 command_suggest},
	{"emit", "[HEADER...] [-- COMPILER FLAGS]",
	 "Write shims, tables, callback types and the list of exports.", command_emit},
	{"interposer", "--lib LIBRARY -o FILE [HEADER...] [-- COMPILER FLAGS]",
	 "Write a library of shims for that library, without a compiler.", command_interposer},
};

static const size_t ncommands = sizeof commands / sizeof *commands;

static void commands_print(FILE *to)
{
	fputs("Usage: tracegen COMMAND [OPTION...] [-- COMPILER FLAGS]\n\n"
	      "From the headers of a C API to the code that traces it.\n\n",
	      to);
	for (size_t i = 0; i < ncommands; i++)
		fprintf(to, "  tracegen %-7s %s\n      %s\n", commands[i].name, commands[i].usage,
			commands[i].doc);
	fputs("\ntracegen COMMAND --help shows its options; tracegen(1) and tracelayer-descriptor(5) explain.\n",
	      to);
}

static int command_refuse(const char *name)
{
	size_t distance = WORD_FAR;
	const char *nearest = NULL;

	name = *name ? name : "''";
	for (size_t i = 0; i < ncommands; i++)
		if (word_is_nearer(name, commands[i].name, &distance))
			nearest = commands[i].name;
	if (nearest)
		fprintf(stderr, "tracegen: %s: no such command; did you mean %s? ", name, nearest);
	else
		fprintf(stderr, "tracegen: %s: no such command; ", name);
	fputs("`tracegen --help` lists the commands\n", stderr);
	return 2;
}

struct running {
	const struct command *command;
	const struct options *options;
};

static int command_run_now(void *with)
{
	const struct running *running = with;

	return running->command->run(running->options);
}

static int command_run(const struct command *command, int argc, char **argv)
{
	struct options options = {0};
	const struct argp argp = {option_table, option_parse, command->usage, command->doc, NULL,
				  NULL,		NULL};

	int end = 0;

	/* Everything after -- goes to the compiler. */
	while (end < argc && strcmp(argv[end], "--") != 0)
		end++;
	argv[0] = format_text("tracegen %s", command->name);
	argp_err_exit_status = 2;
	options_parse(&argp, end, argv, 0, &options);
	for (int i = end + 1; i < argc; i++)
		*APPEND(options.flags, options.nflags) = argv[i];
	struct running running = {command, &options};
	size_t count;
	int result = options_debug_libraries(&options, &count)
			     ? debug_guard(command_run_now, &running)
			     : command_run_now(&running);
	if (result >= 0)
		return result;
	options.damaged = true;
	return command->run(&options);
}

int main(int argc, char **argv)
{
	tl_check_stdout("tracegen");
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") ||
			 !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))) {
		commands_print(stdout);
		return 0;
	}
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		puts(argp_program_version);
		return 0;
	}
	if (argc < 2) {
		commands_print(stderr);
		return 2;
	}
	for (size_t i = 0; i < ncommands; i++)
		if (!strcmp(argv[1], commands[i].name))
			return command_run(&commands[i], argc - 1, argv + 1);
	return command_refuse(argv[1]);
}
