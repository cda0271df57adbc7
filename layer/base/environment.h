/* SPDX-License-Identifier: MIT */
/*
 * environment.h: the settings in force, read from the environment by common/settings.h.
 *
 * Read once, by the library's constructor, without a word: what is wrong is said at the first
 * traced call, once (or by `tracelayer run` before the program starts, which then sets
 * TRACELAYER_CHECKED so that the layer doesn't say it again).
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

/* The settings name tools: one at least is to be loaded into the program. */
static inline bool tl_config_gives_tools(void)
{
	return *tl_config.tools || tl_config.summary;
}

/* The function's level, include and exclude say: record it. */
bool tl_config_selects(const struct tl_function *function);

#endif
