/* SPDX-License-Identifier: MIT */
/*
 * preloading.h: what the program that is started next gets by its environment: the layer, tools,
 * interposers, the shims for MPI, XPTI's dispatcher, the library that takes annotations.
 *
 * Each function changes this command's own environment, and returns an exit code, after a message.
 */
#ifndef TL_CLI_RUN_PRELOADING_H
#define TL_CLI_RUN_PRELOADING_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/run/program_path.h"

struct interposer_request;

struct preloading {
	struct interposer_request *interposer; /* their .program and .quiet are set here */
	size_t interposers;
	bool mpi, xpti, annotations;
	bool speak; /* otherwise only errors have messages */
};

/*
 * For `run`. A program that the layer can't be preloaded into (FOREIGN, LIBC) keeps LD_PRELOAD as
 * the user has it, since interposers and the shims for MPI need the layer.
 */
int preloading_prepare(const struct preloading *wanted, struct program *program);

/*
 * Puts the layer first in LD_PRELOAD, before what the user has there, unless the program would not
 * start with it. Checks that tools are found.
 */
int run_preload(struct program *program);

#endif
