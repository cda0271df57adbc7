/* SPDX-License-Identifier: MIT */
/*
 * history_reader.h: reads trace files of any kind into a history. Where a history would become too
 * large, its calls and commands are taken out again and again.
 */
#ifndef TL_CLI_SUMMARY_HISTORY_READER_H
#define TL_CLI_SUMMARY_HISTORY_READER_H

#include "cli/summary/history.h"

struct history_reader {
	struct history *history;
	const char *where; /* what has the events: "the table" */
	size_t most;	   /* calls and commands in the history */
	/*
	 * Called when there are so many: takes some or all out, and may change .most. False, after
	 * a message: reading ends. NULL: all stay.
	 */
	bool (*pour)(void *user);
	void *user;
	unsigned long long events; /* that were read */
};

/* The file is known by its number. An exit code, after messages. */
int history_read(struct history_reader *reader, const char *path, int file);

#endif
