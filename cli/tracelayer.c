/* SPDX-License-Identifier: MIT */
/*
 * tracelayer.c: the command's main(). It finds the subcommand that the user names and calls it. See
 * cli.h.
 *
 * Two programs are made of it. A user starts `tracelayer`. The subcommands that read traces need large
 * libraries, and to load these takes longer than all that `run` does for a short program. So they are
 * in `tracelayer-traces` (READS_TRACES), which `tracelayer` becomes.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/cli.h"
#include "common/installed.h"

#ifndef READS_TRACES
#define READS_TRACES 0
#endif
#if READS_TRACES
#define STARTS(function) NULL
#define READS(function)	 function
#else
#define STARTS(function) function
#define READS(function)	 NULL
#endif

static const struct subcommand {
	const char *name, *called, *purpose;
	int (*run)(int argc, char **argv); /* NULL: the other program has it */
} subcommands[] = {
	{"run", "tracelayer run", "run a program and trace the calls it makes",
	 STARTS(command_run)},
	{"pause", "tracelayer pause", "pause the recording of running processes",
	 STARTS(command_pause)},
	{"resume", "tracelayer resume", "resume the recording of running processes",
	 STARTS(command_resume)},
	{"snapshot", "tracelayer snapshot", "make running processes write what they have recorded",
	 STARTS(command_snapshot)},
	{"stop", "tracelayer stop", "end the recording of running processes for good",
	 STARTS(command_stop)},
	{"export", "tracelayer export", "convert a .tlt file for viewers", READS(command_export)},
	{"recover", "tracelayer recover", "make traces of what killed processes had recorded",
	 STARTS(command_recover)},
	{"profile", "tracelayer profile", "sample what a program's threads are doing",
	 STARTS(command_profile)},
	{"top", "tracelayer top", "show what traced programs are doing, live", STARTS(command_top)},
	{"summary", "tracelayer summary", "tables of the calls in trace files",
	 READS(command_summary)},
	{"diff", "tracelayer diff", "what changed from one trace to another", READS(command_diff)},
	{"report", "tracelayer report", "make a page of trace files for a browser",
	 READS(command_report)},
	{"view", "tracelayer view", "open trace files in a browser", READS(command_view)},
	{"apis", "tracelayer apis", "list the APIs that can be traced by name",
	 STARTS(command_apis)},
	{"phases", "tracelayer phases", "times of NNAPI's layers and phases, from a systrace",
	 READS(command_phases)},
};

static char **given; /* main's argv */

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Runs at exit, also after argp's --help: lost output must show in the exit code. */
static void check_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	if (!output_failure_is_said())
		say_output_failed("the output");
	_exit(EXIT_BROKEN);
}

static void print_usage(FILE *to)
{
	fputs("Usage: tracelayer COMMAND [OPTION...] [ARGUMENT...]\n"
	      "Traces the calls that a program makes into accelerator drivers, and reads the traces.\n\n",
	      to);
	for (size_t i = 0; i < COUNT(subcommands); i++)
		fprintf(to, "  %-10s %s\n", subcommands[i].name, subcommands[i].purpose);
	fputs("\n`tracelayer COMMAND --help` says more, and so do `man tracelayer` and `man tracelayer-COMMAND`.\n"
	      "The first trace: tracelayer run -- ./app\n",
	      to);
}

#define TRACES_PROGRAM "tracelayer-traces"

/* Becomes the other program, with the command line as it was given. Returns an exit code, after a message. */
static int subcommand_run_there(const struct subcommand *command)
{
	char path[PATH_MAX];

	if (READS_TRACES) {
		say("%s: tracelayer has this command, not " TRACES_PROGRAM, command->name);
		return EXIT_USAGE;
	}
	if (installed_command(TRACES_PROGRAM, path)) {
		execv(path, given);
		say("%s: %s", path, strerror(errno));
	} else {
		say("%s: " TRACES_PROGRAM " is not installed; install tracelayer again",
		    command->name);
	}
	return EXIT_BROKEN;
}

static int subcommand_run(const struct subcommand *command, int argc, char **argv)
{
	if (!command->run)
		return subcommand_run_there(command);
	argv[0] = (char *)command->called;
	return command->run(argc, argv);
}

static const struct subcommand *subcommand_named(const char *name)
{
	for (size_t i = 0; i < COUNT(subcommands); i++)
		if (!strcmp(name, subcommands[i].name))
			return &subcommands[i];
	return NULL;
}

static int subcommand_refuse(const char *name)
{
	size_t distance = WORD_FAR;
	const char *nearest = NULL;

	name = *name ? name : "''";
	for (size_t i = 0; i < COUNT(subcommands); i++)
		if (word_is_nearer(name, subcommands[i].name, &distance))
			nearest = subcommands[i].name;
	if (nearest)
		say("%s: no such command; did you mean %s? `tracelayer --help` lists the commands",
		    name, nearest);
	else
		say("%s: no such command; `tracelayer --help` lists the commands", name);
	return EXIT_USAGE;
}

static bool is_help(const char *name)
{
	return !strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-?") ||
	       !strcmp(name, "-h");
}

/* tracelayer help [COMMAND] */
static int subcommand_help(int argc, char **argv)
{
	char *asked[] = {NULL, (char *)"--help", NULL};

	if (argc > 2) {
		say("help: %s: one command at a time; leave it out", argv[2]);
		return EXIT_USAGE;
	}
	if (argc < 2 || is_help(argv[1])) {
		print_usage(stdout);
		return EXIT_DONE;
	}
	const struct subcommand *command = subcommand_named(argv[1]);

	return command ? subcommand_run(command, 2, asked) : subcommand_refuse(argv[1]);
}

/*
 * For shells that complete what the user types: --complete lists the commands, --complete COMMAND its
 * options, each line with tabs between its parts.
 */
static int completions_print(const char *name)
{
	const struct subcommand *command = name ? subcommand_named(name) : NULL;
	char *argv[] = {NULL, NULL};

	options_only_list();
	if (command)
		return subcommand_run(command, 1, argv);
	for (size_t i = 0; !name && i < COUNT(subcommands); i++)
		printf("%s\t\t%s\n", subcommands[i].name, subcommands[i].purpose);
	return name ? EXIT_USAGE : EXIT_DONE;
}

/*
 * Commands that read traces open files, and a file that gets the number of a closed stdout would be
 * taken for it. What stands in its place can't be written to, so output fails as it should. Not for
 * `run`, whose program gets the descriptors as they are.
 */
static void stdio_fill(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
}

int main(int argc, char **argv)
{
	if (READS_TRACES)
		stdio_fill();
	/* argp itself ends a subcommand on a usage error. Make it use our exit code. */
	argp_err_exit_status = EXIT_USAGE;
	argp_program_version = PACKAGE_STRING;
	given = argv;
	atexit(check_stdout);

	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	const char *name = argv[1];
	const struct subcommand *command = subcommand_named(name);
	if (command)
		return subcommand_run(command, argc - 1, argv + 1);
	if (!strcmp(name, "--complete"))
		return completions_print(argv[2]);
	if (!strcmp(name, "help"))
		return subcommand_help(argc - 1, argv + 1);
	if (is_help(name)) {
		print_usage(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts(PACKAGE_STRING);
		return EXIT_DONE;
	}
	return subcommand_refuse(name);
}
