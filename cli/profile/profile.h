/* SPDX-License-Identifier: MIT */
/*
 * profile.h: the contract of cli/profile, `tracelayer profile`: samples what a program's threads
 * are doing. Called by tracelayer.c. The rest of this header is the collected samples, and the
 * files that are made from them.
 *
 * The room uses run to start a program, control and leftovers to find one that runs, live to look at
 * it, read for the part that the user selects (profile_select.h), and outputs. One thread only.
 */
#ifndef TL_CLI_PROFILE_PROFILE_H
#define TL_CLI_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/live/live.h"

int command_profile(int argc, char **argv);

/* A thread was in the same place in this many periods, one after the other. */
struct profile_run {
	uint64_t start; /* nanoseconds of CLOCK_MONOTONIC */
	uint64_t periods;
	const struct tl_profile_node *place;
};

struct profile_lane {
	struct watched_thread thread;
	char program[256];
	struct profile_run *runs;
	size_t count, room;
};

struct profiled {
	struct tl_profile profile;
	uint64_t period; /* nanoseconds */
	uint64_t start;	 /* nanoseconds of CLOCK_MONOTONIC, */
	uint64_t date;	 /* and since 1970 */
	bool keep_runs;	 /* in the order of time */
	struct profile_lane **lanes;
	size_t nlanes;
};

/* The format, by the file's ending: .txt, .folded, .speedscope.json, .json. */
struct profile_format {
	const char *ending;
	bool in_time; /* needs .runs */
	void (*write)(FILE *to, struct profiled *profiled);
};

/* NULL: no such ending. */
const struct profile_format *profile_format_of(const char *path);

#endif
