/* SPDX-License-Identifier: MIT */
/*
 * environment.h: the settings in force. common/settings.h reads them from the environment.
 *
 * The library's constructor reads them once, and prints nothing. What is wrong is printed at the
 * first traced call, once. `tracelayer run` prints it before it starts the program, and sets
 * TRACELAYER_CHECKED so that the layer does not print it again.
 */
#ifndef TL_LAYER_BASE_ENVIRONMENT_H
#define TL_LAYER_BASE_ENVIRONMENT_H

#include "common/settings.h"

/* Valid from the constructor on. .output is absolute where the working directory could be told. */
extern struct tl_config tl_config;

/* Read the environment; all that is kept of it is copied. Called once, from the constructor. */
void tl_config_read(void);

/*
 * This process is a child that is not to be followed: from now on it selects no function, records
 * nothing, loads no tools. Async-signal-safe.
 */
void tl_config_leave_alone(void);

/*
 * Print what was wrong, one line, if anything was and nobody has yet. Called at the first
 * traced call.
 */
void tl_config_complain(void);

/* The function's level, include and exclude say: record it. */
bool tl_config_selects(const struct tl_function *function);

#endif
