/* SPDX-License-Identifier: MIT */
/*
 * launch.h: starts a program as a child, and is invisible between it and the process that started
 * this command: signals, stops, the exit code.
 */
#ifndef TL_CLI_RUN_LAUNCH_H
#define TL_CLI_RUN_LAUNCH_H

#include <stdint.h>
#include <sys/types.h>

#include "cli/run/program_path.h"

struct ending {
	pid_t pid;
	int error;		      /* errno where it could not be started, else 0 */
	int status;		      /* as waitpid gives it */
	uint64_t died_ticks, died_ns; /* when: the counter, and nanoseconds of CLOCK_MONOTONIC */
};

/*
 * Run the program, as argv, with the current environment until it ends. Our standard input and
 * output and all other descriptors but standard error are closed for us, so that it alone holds
 * them. To be called once.
 */
void launch(const struct program *program, char **argv, struct ending *ending);

/* End as the program did: its exit code, or death by its signal, without a core. */
__attribute__((noreturn)) void end_alike(int status);

#endif
