/* SPDX-License-Identifier: MIT */
/*
 * run.c: `tracelayer run`: starts a program with the layer preloaded.
 *
 * The options come from the one table of settings (common/settings_table.h) and become environment
 * variables. Wrong options and wrong environment variables are reported here, before the program
 * starts, and the layer is told not to report them again.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/apis/apis.h"
#include "cli/run/closing.h"
#include "cli/run/given_settings.h"
#include "cli/basics/basics.h"
#include "cli/run/launch.h"
#include "cli/outputs/outputs.h"
#include "cli/run/preloading.h"
#include "cli/run/program_path.h"
#include "cli/run/run.h"
#include "cli/run/run_job.h"
#include "common/launcher.h"
#include "common/output.h"
#include "common/settings.h"

#define OPTION_FIRST 256 /* keys of options without a letter: this and the setting's number */
#define OPTION_RING  (OPTION_FIRST + TL_SETTINGS)
/* What else is traced: these make interposers, and are no settings of the layer. */
enum {
	OPTION_LIB = OPTION_RING + 1,
	OPTION_HEADER,
	OPTION_API,
	OPTION_PKG,
	OPTION_CFLAGS,
	OPTION_QUIET,
	OPTION_MPI,
	OPTION_CONFIG,
	OPTION_SHOW
};
#define OTHER_OPTIONS ((int)(sizeof(other_options) / sizeof(*other_options)))

/* ---- options ---- */

struct wishes {
	char **program; /* NULL-ended; NULL: none given */
	bool quiet, mpi, show;
	const char *config; /* --config */
	struct interposer_request *interposer;
	size_t interposers;
	/* headers and flags that stand before the library that they belong to */
	struct interposer_request next;
};

/* They are no settings of the layer. */
static const struct argp_option other_options[] = {
	{"ring", OPTION_RING, "SIZE", 0, "the same as --full=ring:SIZE", 0},
	{"lib", OPTION_LIB, "LIBRARY", 0,
	 "trace this library, too: a soname or a path; may be given several times", 0},
	{"header", OPTION_HEADER, "HEADER", 0,
	 "a header that declares functions of the library; may be given several times", 0},
	{"api", OPTION_API, "NAME", 0,
	 "trace the API of that descriptor, too; `tracelayer apis` lists them", 0},
	{"pkg", OPTION_PKG, "PACKAGE", 0,
	 "the library's package as pkg-config knows it: the header's compiler flags", 0},
	{"cflags", OPTION_CFLAGS, "FLAGS", OPTION_MAY_BE_EMPTY, "compiler flags for the header", 0},
	{"mpi", OPTION_MPI, NULL, 0,
	 "trace MPI calls, too, of Open MPI, MPICH or MPI 5's ABI; no mpi.h is needed", 0},
	{"quiet", OPTION_QUIET, NULL, 0, "say nothing at the end, unless something went wrong", 0},
	{"config", OPTION_CONFIG, "FILE", 0,
	 "read options from this file, and not from the program's tracelayer.conf and the user's; no: from none",
	 0},
	{"show-settings", OPTION_SHOW, NULL, 0,
	 "print the settings and where each is from, in place of running a program", 0},
};

static int option_key(const struct tl_setting *setting)
{
	return setting->letter ? setting->letter : OPTION_FIRST + (int)setting->id;
}

/* How --help has the options. Names, with a blank around each. */
static const struct option_group {
	const char *title, *names;
} groups[] = {
	{"What is recorded:",
	 " level args stack include exclude device sample-device cupti nested follow context-level xpti annotations trace-marker "},
	{"Other libraries and APIs:", " lib header pkg cflags api mpi "},
	{"Where it goes, and when there is too much:",
	 " output gpu-tracks split full ring memory buffers "},
	{"When:", " paused window session snapshot-on "},
	{"Jobs of several ranks:", " job ranks "},
	{"Besides a trace:", " summary tool quiet "},
	{"These options:", " config show-settings "},
};
#define GROUPS ((int)(sizeof(groups) / sizeof(*groups)))

static int option_group(const char *name)
{
	char word[64];

	snprintf(word, sizeof(word), " %s ", name);
	for (int i = 0; i < GROUPS; i++)
		if (strstr(groups[i].names, word))
			return i + 1;
	return 0;
}

/* The table as argp wants it. */
static void make_options(struct argp_option *options)
{
	for (int i = 0; i < TL_SETTINGS; i++) {
		const struct tl_setting *setting = &tl_settings[i];
		char *help = NULL;

		if (*setting->initial &&
		    asprintf(&help, "%s (%s)", setting->help, setting->initial) < 0)
			need(NULL);
		options[i] = (struct argp_option){
			.name = setting->option,
			.key = option_key(setting),
			.arg = setting->metavar,
			/* An empty value is the default. */
			.flags = OPTION_MAY_BE_EMPTY | (setting->implied ? OPTION_ARG_OPTIONAL : 0),
			.doc = help ? help : setting->help,
		};
	}
	memcpy(&options[TL_SETTINGS], other_options, sizeof(other_options));
	for (int i = 0; i < TL_SETTINGS + OTHER_OPTIONS; i++)
		options[i].group = option_group(options[i].name);
	for (int i = 0; i < GROUPS; i++)
		options[TL_SETTINGS + OTHER_OPTIONS + i] =
			(struct argp_option){.doc = groups[i].title, .group = i + 1};
}

/* ---- other libraries ---- */

/* Flags are separated by blanks. */
static void take_cflags(struct interposer_request *request, char *flags)
{
	for (char *flag = strtok(flags, " "); flag; flag = strtok(NULL, " "))
		words_add(&request->flags, flag);
}

/* Headers and flags belong to the library behind them; those at the end to the last one. */
static void wish_for(struct wishes *wishes, const char *library, const char *api)
{
	struct interposer_request request = wishes->next;

	request.library = library;
	request.api = api;
	wishes->next = (struct interposer_request){0};
	wishes->interposer = need(reallocarray(wishes->interposer, wishes->interposers + 1,
					       sizeof(*wishes->interposer)));
	wishes->interposer[wishes->interposers++] = request;
}

/* False after a message: there are headers or flags, and no library. */
static bool wishes_settle(struct wishes *wishes)
{
	struct interposer_request *next = &wishes->next;

	if (!next->headers.count && !next->flags.count && !next->pkg)
		return true;
	if (!wishes->interposers) {
		say("%s: no library given; name the one that has the functions with --lib",
		    next->headers.count ? "--header"
		    : next->pkg		? "--pkg"
					: "--cflags");
		return false;
	}
	struct interposer_request *last = &wishes->interposer[wishes->interposers - 1];

	words_add_all(&last->headers, &next->headers);
	words_add_all(&last->flags, &next->flags);
	if (next->pkg)
		last->pkg = next->pkg;
	*next = (struct interposer_request){0};
	return true;
}

/* An option that is no setting. False: there is none with this key. */
static bool wishes_take(struct wishes *wishes, int key, char *argument)
{
	switch (key) {
	case OPTION_MPI:
		wishes->mpi = true;
		return true;
	case OPTION_QUIET:
		wishes->quiet = true;
		return true;
	case OPTION_LIB:
		wish_for(wishes, argument, NULL);
		return true;
	case OPTION_API:
		wish_for(wishes, NULL, argument);
		return true;
	case OPTION_HEADER:
		words_add(&wishes->next.headers, argument);
		return true;
	case OPTION_PKG:
		wishes->next.pkg = argument;
		return true;
	case OPTION_CFLAGS:
		take_cflags(&wishes->next, argument);
		return true;
	default:
		return false;
	}
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
	struct wishes *wishes = state->input;

	for (int i = 0; i < TL_SETTINGS; i++)
		if (key == option_key(&tl_settings[i])) {
			given_option(&tl_settings[i], argument);
			return 0;
		}
	if (wishes_take(wishes, key, argument))
		return 0;
	switch (key) {
	case OPTION_RING:
		given_ring(argument);
		return 0;
	case OPTION_CONFIG:
		wishes->config = argument;
		return 0;
	case OPTION_SHOW:
		wishes->show = true;
		return 0;
	case ARGP_KEY_ARGS:
		wishes->program = state->argv + state->next;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!wishes->program && !wishes->show)
			option_refuse(
				state,
				"no program given; give one after the options: tracelayer run -- ./app");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* A line of tracelayer.conf that is no setting. */
static bool config_take_other(const struct config_line *line, void *user)
{
	struct wishes *wishes = user;

	for (int i = 0; i < OTHER_OPTIONS; i++) {
		const struct argp_option *option = &other_options[i];

		if (strcmp(line->name, option->name) != 0 || option->key == OPTION_CONFIG ||
		    option->key == OPTION_SHOW)
			continue;
		bool lacks = line->value && !*line->value && !(option->flags & OPTION_MAY_BE_EMPTY);

		if (!lacks && !option->arg == !line->value)
			return wishes_take(wishes, option->key,
					   line->value ? need(strdup(line->value)) : NULL);
		say("%s:%u: %s: %s; write %s%s%s", line->file, line->number, line->name,
		    option->arg ? "no value" : "it takes no value", line->name,
		    option->arg ? " = " : "", option->arg ? option->arg : "");
		return false;
	}
	say("%s:%u: %s: no such option; `tracelayer run --help` lists them", line->file,
	    line->number, line->name);
	return false;
}

static void parse_command_line(int argc, char **argv, struct wishes *wishes)
{
	struct argp_option options[TL_SETTINGS + OTHER_OPTIONS + GROUPS + 1] = {0};
	const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[--] PROGRAM [ARGUMENT...]",
		.doc = "Run a program and trace the calls that it makes into accelerator drivers.\v"
		       "Each setting is also an environment variable, see tracelayer-run(1). The exit code is the program's; "
		       "127 where it is not found, 126 where it can't be started, 2 for a wrong option.",
	};

	make_options(options);
	options_parse(&argp, argc, argv, ARGP_IN_ORDER, wishes);
}

/* ---- the whole ---- */

int run_cannot_start(const char *name, int error)
{
	switch (error) {
	case ENOENT:
		say("%s: no such program; check the name, or give its path", *name ? name : "''");
		return EXIT_NOT_FOUND;
	case EACCES:
		if (path_is_folder(name))
			say("%s: a folder; give the path of a program", name);
		else
			say("%s: not executable; check its permissions", name);
		return EXIT_NOT_EXECUTABLE;
	case ENOEXEC:
		say("%s: cannot be started: it is not a program for this machine, or its interpreter is missing; see `file %s`",
		    name, name);
		return EXIT_NOT_EXECUTABLE;
	default:
		say("%s: cannot be started: %s; see whether it runs by itself", name,
		    strerror(error));
		return EXIT_NOT_EXECUTABLE;
	}
}

/* The folder's name has %-letters, which have another value in each process. */
static bool folder_differs(const char *pattern)
{
	const char *slash = strrchr(pattern, '/');

	for (const char *at = strchr(pattern, '%'); slash && at && at < slash;
	     at = strchr(at + 2, '%'))
		if (!strchr("%h", at[1]))
			return true;
	return false;
}

/* Checks that the trace can be written. If not, the program does not start. */
static bool check_output(const struct tl_config *config, const struct program *program,
			 const struct run_job *job)
{
	const struct tl_setting *output = &tl_settings[TL_SETTING_OUTPUT];
	const char *given = getenv(output->variable), *slash = strrchr(program->file, '/');
	static char path[TL_OUTPUT_PATH];
	char why[TL_COMPLAINT_MAX], step[TL_LAUNCHER_FOLDER];
	struct tl_config parsed;

	tl_settings_initial(&parsed);
	/* A message has said what is wrong with the variable. */
	if (given && !tl_settings_value(&parsed, output, given, why, sizeof(why)))
		return false;
	if (config->level == TL_LEVEL_NONE || *config->job || folder_differs(config->output))
		return true;
	tl_launcher_folder(step, &job->launched);
	const struct tl_output_names names = {
		.pid = (uint32_t)getpid(),
		.rank = job->launched.rank,
		.step = step,
		.seconds = (uint64_t)time(NULL),
		.program = slash ? slash + 1 : program->file,
		.host = job->host,
		.standard = TL_OUTPUT_STANDARD,
	};
	int error = tl_output_expand_for(path, sizeof(path), config->output, &names)
			    ? output_file_check(path)
			    : ENAMETOOLONG;

	if (error)
		say("%s: %s; correct that, or give another file with -o", path,
		    output_file_trouble(error));
	return !error;
}

/*
 * A relative path starts in the folder where the command was called, wherever the program is when
 * it makes its first traced call. In a folder without a name, or with a very long one, it stays.
 */
static void output_make_absolute(struct tl_config *config)
{
	static char pattern[TL_OUTPUT_PATH];
	char here[TL_OUTPUT_PATH];
	size_t length = 0;

	if (config->level == TL_LEVEL_NONE || *config->job || config->output[0] == '/' ||
	    !getcwd(here, sizeof(here)) || here[0] != '/')
		return;
	for (const char *at = here; *at && length < sizeof(pattern) - 3; at++) {
		pattern[length++] = *at;
		if (*at == '%')
			pattern[length++] = '%';
	}
	size_t room = sizeof(pattern) - length;
	const char *slash = length > 1 ? "/" : "";

	if ((size_t)snprintf(pattern + length, room, "%s%s", slash, config->output) >= room)
		return;
	setenv(tl_settings[TL_SETTING_OUTPUT].variable, pattern, 1);
	config->output = pattern;
}

/* The environment as it is now: options change it. The strings stay. */
static char **environment_given(void)
{
	size_t count = 0;

	while (environ && environ[count])
		count++;
	char **copy = need(calloc(count + 1, sizeof(*copy)));

	for (size_t i = 0; i < count; i++)
		copy[i] = environ[i];
	return copy;
}

/* Headers of the command line do not belong to libraries of a file. False after a message. */
static bool options_from_files(struct wishes *wishes, const char *program)
{
	if (wishes->interposers && !wishes_settle(wishes))
		return false;
	return given_files(program, wishes->config, config_take_other, wishes);
}

int command_run(int argc, char **argv)
{
	struct tl_config config;
	char complaint[TL_COMPLAINT_MAX];
	struct wishes wishes = {0};
	struct program program;
	struct ending ending;
	struct run_job job;
	char **given = environment_given();

	given_begin();
	parse_command_line(argc, argv, &wishes);
	char **program_argv = wishes.program;
	int error = program_argv ? program_find(program_argv[0], &program) : 0;

	if (!options_from_files(&wishes, program_argv && !error ? program.path : NULL))
		return EXIT_USAGE;
	if (wishes.show)
		return given_show();
	tl_settings_initial(&config);
	if (tl_settings_environment(&config, environ, complaint))
		fputs(complaint, stderr);
	setenv(TL_SETTINGS_CHECKED, "1", 1);

	if (error)
		return run_cannot_start(program_argv[0], error);
	if (!run_job_prepare(&job, &config, &program))
		return EXIT_USAGE;
	if (run_job_leaves_out(&job, &config)) {
		execve(program.path, program_argv, given);
		return run_cannot_start(program_argv[0], errno);
	}
	if (!check_output(&config, &program, &job) || !wishes_settle(&wishes))
		return EXIT_USAGE;
	output_make_absolute(&config);
	bool speak = !wishes.quiet && run_job_speaks(&job, &config);
	const struct preloading preloading = {
		.interposer = wishes.interposer,
		.interposers = wishes.interposers,
		.mpi = wishes.mpi,
		.xpti = config.xpti,
		.annotations = config.annotations && config.level & TL_LEVEL_RUNTIME,
		.speak = speak,
	};
	int code = preloading_prepare(&preloading, &program);
	if (code != EXIT_DONE)
		return code;
	launch(&program, program_argv, closing_prepare(), &ending);
	if (ending.error) {
		closing_drop();
		/* The program's file exists, so its interpreter is missing. */
		return run_cannot_start(program_argv[0],
					ending.error == ENOENT ? ENOEXEC : ending.error);
	}
	closing_line(&program, &ending, &config, &job, speak);
	end_alike(ending.status);
}
