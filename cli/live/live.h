/* SPDX-License-Identifier: MIT */
/*
 * live.h: the contract of cli/live: a traced process that runs, seen from outside. All is read from
 * the buffers file that the process maps (format/file/trace_file.h). The process is not stopped,
 * signalled or traced, and does not notice. Nothing in the file is trusted.
 *
 *	watched.h	which calls are open on each thread, and which labels are on: what profile samples
 *	live_records.h	what was recorded since the last look: what top adds up
 *
 * The room uses leftovers, basics, format/args and format/file. One thread only.
 */
#ifndef TL_CLI_LIVE_LIVE_H
#define TL_CLI_LIVE_LIVE_H

#include "cli/live/live_records.h"
#include "cli/live/watched.h"

#endif
