/* SPDX-License-Identifier: MIT */
/*
 * tracelayer.c: the command's main(). It finds the subcommand that the user names and calls it. See
 * cli.h.
 */
#include "config.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/cli.h"

static const struct subcommand {
	const char *name, *called, *purpose;
	int (*run)(int argc, char **argv);
} subcommands[] = {
	{"run", "tracelayer run", "run a program and trace the calls it makes", command_run},
	{"pause", "tracelayer pause", "pause the recording of running processes", command_pause},
	{"resume", "tracelayer resume", "resume the recording of running processes",
	 command_resume},
	{"snapshot", "tracelayer snapshot", "make running processes write what they have recorded",
	 command_snapshot},
	{"stop", "tracelayer stop", "end the recording of running processes for good",
	 command_stop},
	{"export", "tracelayer export", "convert a .tlt file for viewers", command_export},
	{"recover", "tracelayer recover", "make traces of what killed processes had recorded",
	 command_recover},
	{"profile", "tracelayer profile", "sample what a program's threads are doing",
	 command_profile},
	{"summary", "tracelayer summary", "tables of the calls in trace files", command_summary},
	{"apis", "tracelayer apis", "list the APIs that can be traced by name", command_apis},
	{"phases", "tracelayer phases", "times of NNAPI's layers and phases, from a systrace",
	 command_phases},
};

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

int main(int argc, char **argv)
{
	/* argp ends a subcommand on a usage error itself; it is to use our code for that. */
	argp_err_exit_status = EXIT_USAGE;
	argp_program_version = PACKAGE_STRING;
	atexit(check_stdout);

	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	const char *name = argv[1];
	for (size_t i = 0; i < COUNT(subcommands); i++) {
		if (strcmp(name, subcommands[i].name))
			continue;
		argv[1] = (char *)subcommands[i].called;
		return subcommands[i].run(argc - 1, argv + 1);
	}
	if (!strcmp(name, "--help") || !strcmp(name, "help") || !strcmp(name, "-?")) {
		print_usage(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts(PACKAGE_STRING);
		return EXIT_DONE;
	}
	say("%s: no such command; `tracelayer --help` lists the commands", name);
	return EXIT_USAGE;
}
