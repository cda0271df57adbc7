/* SPDX-License-Identifier: MIT */
/*
 * pftrace_reader.h: the events of a trace in Perfetto's format that tracelayer wrote, as the events
 * of Chrome's format that they would be in JSON. A slice's beginning and its end become one event
 * X; a beginning without an end stays B.
 *
 * Who called is told as "stackFrames", each frame before the first event that needs it. Events that
 * are Perfetto's own GPU events can't be read. A trace of another tool is refused. Nothing in the file
 * is trusted.
 */
#ifndef TL_CLI_READ_PFTRACE_READER_H
#define TL_CLI_READ_PFTRACE_READER_H

#include "cli/read/block_reader.h"
#include "cli/read/chrome_reader.h"

/*
 * Goes through all events: from `at` to `end`, which is the first block, and on. An exit code, as
 * trace_walk.
 */
int pftrace_walk(struct block_reader *blocks, unsigned char *at, unsigned char *end,
		 const struct trace_visitor *visitor, void *user);

#endif
