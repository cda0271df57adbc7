/* SPDX-License-Identifier: MIT */
/*
 * run.h: what `tracelayer run` and `tracelayer profile` do alike to start a program.
 */
#ifndef TL_CLI_RUN_RUN_H
#define TL_CLI_RUN_RUN_H

struct program;

/*
 * Put the library first in LD_PRELOAD, and keep what the user has there, unless the program would
 * not start with it; see that tools are found. An exit code; it has said what is wrong.
 */
int run_preload(struct program *program);

/* The program can't be started (errno): say so. Returns the exit code. */
int run_cannot_start(const char *name, int error);

#endif
