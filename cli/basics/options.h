/* SPDX-License-Identifier: MIT */
/*
 * options.h: the options of tracelayer's commands: common/command_options.h, and the values that
 * several commands take.
 */
#ifndef TL_CLI_BASICS_OPTIONS_H
#define TL_CLI_BASICS_OPTIONS_H

#include "common/command_options.h"

/* The argument of --rank, which has to be a set of ranks (common/rank_set.h). */
const char *option_ranks(const struct argp_state *state, const char *argument);

#endif
