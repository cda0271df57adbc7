/* SPDX-License-Identifier: MIT */
/*
 * run.h: the contract of cli/run, `tracelayer run`: starts a program with the library preloaded,
 * and says at the end where its trace is. `tracelayer profile` starts programs in the same way, so
 * that it uses this room's parts: the program's file (program_path.h), what is preloaded
 * (preloading.h), starting it (launch.h), the report at the end (closing.h).
 *
 * The room uses summary for the tables of a job, apis, recover, leftovers, outputs and basics. One thread only;
 * launch() is called once in a process.
 */
#ifndef TL_CLI_RUN_RUN_H
#define TL_CLI_RUN_RUN_H

#include "cli/run/closing.h"
#include "cli/run/launch.h"
#include "cli/run/preloading.h"
#include "cli/run/program_path.h"

int command_run(int argc, char **argv);

/* Says that the program cannot be started, and why (an errno). Returns the exit code. */
int run_cannot_start(const char *name, int error);

#endif
