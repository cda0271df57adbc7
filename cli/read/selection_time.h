/* SPDX-License-Identifier: MIT */
/*
 * selection_time.h: finds the time that a selection asks for, where it is not said from the start of
 * the trace: a date, a time of the trace's clock, or the slice of a name.
 */
#ifndef TL_CLI_READ_SELECTION_TIME_H
#define TL_CLI_READ_SELECTION_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "cli/read/selection.h"

/*
 * Sets .from and .to of a selection whose time is open; does nothing for others. It reads the files,
 * which are traces of one machine, and are read again afterwards: standard input must have been made a
 * file (input_keep). An exit code, after a message.
 */
int selection_time_find(struct selection *selection, const char *const *paths, size_t count);

/*
 * The same for what is no trace file: ftrace's rows, and samples. `search` goes through all slices,
 * and calls time_search_take for each, thread by thread; also time_search_start, if it knows when
 * the recording began. It may be called twice. Returns EXIT_BROKEN, after a message, or something
 * else.
 */
struct time_search;
struct time_source {
	int (*search)(void *user, struct time_search *search);
	void *user;
};

struct time_event {
	char phase; /* as in Chrome's JSON: X, B, E or i */
	const char *name;
	double process, thread;
	int64_t start, duration; /* nanoseconds */
};

void time_search_take(struct time_search *search, const struct time_event *event);
/* `date`: the time of day then, nanoseconds since 1970; 0: not known. */
void time_search_start(struct time_search *search, int64_t start, int64_t date);

/* By the source's clock. */
struct time_window {
	int64_t start; /* of the whole */
	int64_t from, to;
};

int selection_window_find(const struct selection *selection, const struct time_source *source,
			  struct time_window *window);

/*
 * The path by which standard input ("-") can be read several times: that of a temporary file, which is
 * filled now. Other paths stay as they are. NULL, after a message. The caller frees it.
 */
char *input_keep(const char *path);

#endif
