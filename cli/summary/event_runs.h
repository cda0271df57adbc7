/* SPDX-License-Identifier: MIT */
/*
 * event_runs.h: calls and device commands, packed into some ten bytes each, in a temporary file, so
 * that they can be gone through again without being in memory. They are in runs of equal length; a
 * run says what it has, as those of .tlt files do (record_scan.h).
 *
 * One thread adds. After that, several threads may read.
 */
#ifndef TL_CLI_SUMMARY_EVENT_RUNS_H
#define TL_CLI_SUMMARY_EVENT_RUNS_H

#include "cli/summary/record_scan.h"

struct event_runs;

/* NULL, after a message: there is no place for the file. */
struct event_runs *event_runs_new(void);
void event_runs_free(struct event_runs *runs);

/* Adds all calls and commands that the history has. False, after a message: it failed. */
bool event_runs_add(struct event_runs *runs, const struct history *history);

/* What the runs have. */
const struct scan_run *event_runs_list(const struct event_runs *runs, size_t *count);

/* Reads a run, or one part of it. Begins as zeros, apart from .runs. */
struct event_cursor {
	const struct event_runs *runs;
	unsigned char *bytes; /* of the cursor */
	size_t room;
	const unsigned char *at, *end;
	struct host_call call; /* the last one */
	int64_t start;	       /* of the last command */
};

/* Goes to the begin of a run's calls, or commands. False, after a message: it cannot be read. */
bool event_cursor_calls(struct event_cursor *cursor, size_t run);
bool event_cursor_commands(struct event_cursor *cursor, size_t run);

/* The next one: .call, or *command. False: that was all. */
bool event_next_call(struct event_cursor *cursor);
bool event_next_command(struct event_cursor *cursor, struct device_command *command);

void event_cursor_free(struct event_cursor *cursor);

#endif
