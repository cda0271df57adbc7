/* SPDX-License-Identifier: MIT */
/*
 * options.c: see options.h.
 */
#include "config.h"

#include "cli/basics/options.h"
#include "common/rank_set.h"

const char *option_ranks(const struct argp_state *state, const char *argument)
{
	if (!tl_rank_set_is(argument))
		option_refuse(
			state,
			"--rank=%s: not a set of ranks; use numbers, ranges and steps, like 0,8-15,*/16",
			argument);
	return argument;
}
