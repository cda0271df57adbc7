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

#include "common/launcher.h"
#include "common/settings.h"

/*
 * Valid from the constructor on. .output is absolute, unless the working directory can't be found.
 */
extern struct tl_config tl_config;

/* What a launcher told this process, if it has a rank or a step; else zeros. From the same moment. */
extern struct tl_launched tl_launched;

/* Read the environment; all that is kept of it is copied. Called once, from the constructor. */
void tl_config_read(void);

/*
 * This process is a child that is not to be followed: from now on it selects no function, records
 * nothing, loads no tools. Async-signal-safe.
 */
void tl_config_leave_alone(void);

/*
 * Print one line about wrong settings, if there are any and nobody has printed it yet. Called at
 * the first traced call.
 */
void tl_config_complain(void);

/* The settings name at least one tool to load into the program. */
static inline bool tl_config_gives_tools(void)
{
	return *tl_config.tools || tl_config.summary;
}

/* Stacks are recorded for some functions. */
static inline bool tl_config_wants_stacks(void)
{
	return tl_config.stack && *tl_config.stack;
}

/* Level, include and exclude select this function to be recorded. */
bool tl_config_selects(const struct tl_function *function);

#endif
