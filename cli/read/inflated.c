/* SPDX-License-Identifier: MIT */
/*
 * inflated.c: see inflated.h.
 */
#include "config.h"

#include "cli/command.h"
#include "cli/read/inflated.h"

bool inflated_is_sound(const char *path, uint64_t in, uint64_t out)
{
	if (out <= INFLATED_FREE || out / INFLATED_RATIO <= in)
		return true;
	say("%s: what is compressed in it becomes more than %u times as large, as no trace does; if it is one, uncompress it first",
	    path, INFLATED_RATIO);
	return false;
}
