/* SPDX-License-Identifier: MIT */
/*
 * launch.h: starts a program as a child, and is invisible between it and the process that started
 * this command: signals, stops, the exit code.
 */
#ifndef TL_CLI_RUN_LAUNCH_H
#define TL_CLI_RUN_LAUNCH_H

#include <stdbool.h>
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
 * output and all other descriptors but standard error and `keep` (-1: none) are closed for us, so
 * that it alone holds them. To be called once.
 */
void launch(const struct program *program, char **argv, int keep, struct ending *ending);

/*
 * Whether this command got SIGTERM, or has it pending. Launchers send SIGKILL next, some a second
 * later. So what comes after the program's end must not wait for others.
 */
bool launch_is_urgent(void);

/* End as the program did: its exit code, or death by its signal, without a core. */
__attribute__((noreturn)) void end_alike(int status);

#endif
