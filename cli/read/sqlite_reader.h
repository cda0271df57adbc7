/* SPDX-License-Identifier: MIT */
/*
 * sqlite_reader.h: the events of a database that `tracelayer export` made (doc/sqlite.md), as the
 * events of Chrome's format that it was made of: processes and threads first, then calls, commands,
 * events, counters and arrows, each in the order of their ids, and what the trace says at its end.
 * Marks are slices with a length.
 *
 * A database of something else is refused. Nothing in the file is trusted.
 */
#ifndef TL_CLI_READ_SQLITE_READER_H
#define TL_CLI_READ_SQLITE_READER_H

#include "cli/read/block_reader.h"
#include "cli/read/chrome_reader.h"

/* "tlay", as PRAGMA application_id */
#define SQLITE_APPLICATION_ID "1953259897"

/*
 * Goes through all events: from `at` to `end`, which is the first block, and on. An exit code, as
 * trace_walk.
 */
int sqlite_walk(struct block_reader *blocks, unsigned char *at, unsigned char *end,
		const struct trace_visitor *visitor, void *user);

#endif
