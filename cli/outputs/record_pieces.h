/* SPDX-License-Identifier: MIT */
/*
 * record_pieces.h: what a .tlt file (format/file/trace_file.h) has, put into a trace sink piece by
 * piece, out of what a dead process left.
 */
#ifndef TL_CLI_OUTPUTS_RECORD_PIECES_H
#define TL_CLI_OUTPUTS_RECORD_PIECES_H

#include "cli/outputs/trace_sink.h"
#include "format/file/record_reader.h"

/* The beginning of a new file. */
void trace_spool_begin(struct trace_sink *sink, const struct tl_trace *trace);

/* What functions, events and lanes are called. Some of it may be in the file already. */
void trace_spool_names(struct trace_sink *sink, const struct tl_trace *trace);

/*
 * A thread, its records (those that can be stepped over; returns how many events), and its open
 * calls.
 */
uint64_t trace_spool_lane(struct trace_sink *sink, const struct tl_trace *trace, size_t lane);

/* The clock. The end itself is trace_sink_end's. */
void trace_spool_clock(struct trace_sink *sink, const struct tl_trace *trace);

#endif
