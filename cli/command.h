/* SPDX-License-Identifier: MIT */
/*
 * command.h: what the files of the tracelayer command share: one entry per subcommand, the exit
 * codes, and how errors are said.
 */
#ifndef TL_CLI_COMMAND_H
#define TL_CLI_COMMAND_H

/* Exit codes; `run` ends as its program did instead. */
enum {
	EXIT_DONE = 0,
	EXIT_BROKEN = 1, /* the input is broken, or a check failed */
	EXIT_USAGE = 2,
	EXIT_INCOMPLETE = 3, /* the input is sound as far as it goes */
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

/* Each gets its own name as argv[0] ("tracelayer run") and returns an exit code. */
int command_run(int argc, char **argv);
int command_export(int argc, char **argv);
int command_recover(int argc, char **argv);
int command_summary(int argc, char **argv);
int command_phases(int argc, char **argv);
int command_profile(int argc, char **argv);
int command_pause(int argc, char **argv);
int command_resume(int argc, char **argv);
int command_snapshot(int argc, char **argv);
int command_stop(int argc, char **argv);

/* One line on stderr: "tracelayer: <what>: <why>; <what to do>". */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* Standard output could not be written to, as errno tells: say so, once. */
void say_output_failed(const char *what);

/* Memory that a command cannot do without: they end the command where there is none. */
void *need(void *allocated);

#endif
