/* SPDX-License-Identifier: MIT */
/*
 * read.h: the contract of cli/read, reading traces: the events of a Chrome trace, a .tlt file, or a
 * .pftrace or .sqlite file that was made of one (trace_events.h, chrome_reader.h, plain_event.h,
 * event_members.h, event_kernel.h, pftrace_reader.h, sqlite_reader.h, trace_kind.h), who made its
 * calls (event_stacks.h), .tlt files as they are (record_file.h), blocks of a file and compressed
 * input (block_reader.h, inflater.h), temporary files for input that must be read twice
 * (temporary_file.h), numbers of processes and lanes (lane_keys.h), what functions are
 * called (shown_names.h), and the part of a trace that
 * the user selects (selection.h, selection_time.h, event_filter.h).
 *
 * All functions say on standard error what is wrong with a file, and return an exit code or a
 * state. The room uses outputs, and format/encode (an encoder makes the events of a .tlt file). One
 * thread only; a block_reader has a thread of its own, which prints nothing.
 */
#ifndef TL_CLI_READ_READ_H
#define TL_CLI_READ_READ_H

#include "cli/read/chrome_reader.h"
#include "cli/read/event_category.h"
#include "cli/read/event_filter.h"
#include "cli/read/event_kernel.h"
#include "cli/read/event_members.h"
#include "cli/read/event_stacks.h"
#include "cli/read/inflater.h"
#include "cli/read/lane_filter.h"
#include "cli/read/lane_keys.h"
#include "cli/read/record_file.h"
#include "cli/read/selection.h"
#include "cli/read/selection_time.h"
#include "cli/read/shown_names.h"
#include "cli/read/sqlite_reader.h"
#include "cli/read/temporary_file.h"
#include "cli/read/trace_events.h"
#include "cli/read/trace_kind.h"

#endif
