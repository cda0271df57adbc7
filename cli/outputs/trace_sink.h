/* SPDX-License-Identifier: MIT */
/*
 * trace_sink.h: a trace file that the command makes of records that a process left: a new file, or
 * one that the process left half written.
 *
 * Output is gathered in blocks and goes to the file block by block, each at the place where the one
 * before it ended. What stands in a half written file behind its last block is written over: it is
 * an end, or torn.
 *
 *	error = trace_sink_continue(&sink, &trace->output, trace);
 *	trace_sink_begin(&sink);
 *	…trace_sink_lane for each lane…
 *	error = trace_sink_end(&sink, last, &totals);
 *	trace_sink_close(&sink);
 *
 * Errors are errno values. After the first one nothing more is written. trace_sink_end returns it,
 * and leaves a file that was continued as sound as it can be made, with what was in it before. A
 * file that was new is removed again.
 */
#ifndef TL_CLI_OUTPUTS_TRACE_SINK_H
#define TL_CLI_OUTPUTS_TRACE_SINK_H

#include "format/encode/formats.h"
#include "format/encode/gzip.h"
#include "common/output.h"
#include "format/file/record_reader.h"

#define TRACE_SINK_BLOCK (1024u * 1024) /* a block is written when it has grown beyond this */
#define TRACE_SINK_TEXT	 (TRACE_SINK_BLOCK + TL_ENCODER_ROOM)

struct trace_sink {
	struct tl_encoder encoder;
	const struct trace_sink_maker *maker; /* by the file's format */
	struct tl_trace *trace;		      /* where the records come from */
	struct tl_output output;	      /* the file; .path is its final name */
	int fd;
	bool fresh;		      /* it was made here */
	uint64_t last;		      /* as trace_sink_end got it */
	uint64_t offset;	      /* where the next block belongs */
	uint64_t events;	      /* in the file, and in the block that is being made */
	uint32_t blocks;	      /* in the file */
	struct tl_output_slot before; /* of a file that is continued: how it was */
	int error;
	struct tl_text text; /* the block */
	char *block, *packed;
	struct tl_gzip gzip;
	void *zlib;
};

/*
 * A new file; a name that is taken gets .1, .2, … before its ending. Its ending says which format
 * it has.
 */
int trace_sink_create(struct trace_sink *sink, const char *path, struct tl_trace *trace);

/*
 * A process that was killed just after it had made its file has not told of it. So an empty file of
 * that name which is no older than the process (`since`, a time in seconds) is taken for its own.
 * Returns false where there is none.
 */
bool trace_sink_adopt(struct trace_sink *sink, const char *path, uint64_t since,
		      struct tl_trace *trace);

/*
 * Go on with a file. ENOENT, ESTALE: it is not there any more, or another is in its place; EBUSY:
 * somebody has it open for writing; EINVAL: it is shorter than it was; ESPIPE: it is a pipe;
 * ENOTSUP: its format is unknown.
 */
int trace_sink_continue(struct trace_sink *sink, const struct tl_trace_output *from,
			struct tl_trace *trace);

/*
 * A new file that starts with what is in another: that one is left as it is. Errors of both.
 * ENOTSUP: it has another format.
 */
int trace_sink_copy(struct trace_sink *sink, const char *path, const struct tl_trace_output *from,
		    struct tl_trace *trace);

/*
 * Writes the file's beginning, and what later blocks refer to. If the process wrote some of it
 * before, the file has it twice.
 */
void trace_sink_begin(struct trace_sink *sink);

/* How many records the file has, and how many were damaged or could not be reached. */
struct trace_sink_taken {
	uint64_t events, lost;
};

/*
 * All records of a lane, and its calls that had not returned, as if they ended at the tick `end`.
 * What was lost is among the trace's problems then.
 */
struct trace_sink_taken trace_sink_lane(struct trace_sink *sink, size_t lane, uint64_t end);

/*
 * The last block, and the file's end. `last` is the tick up to which calls that had not returned
 * are shown. totals->events is set here. Returns the first error, or 0.
 */
int trace_sink_end(struct trace_sink *sink, uint64_t last, struct tl_totals *totals);

void trace_sink_close(struct trace_sink *sink);

/*
 * How the file's bytes are made of the trace. trace_sink.c decides what comes when; these put it to
 * sink->text. No function is NULL.
 */
struct trace_sink_maker {
	void (*start)(struct trace_sink *sink, const struct tl_format *format); /* once */
	void (*block)(struct trace_sink *sink);					/* a block begins */
	void (*kept)(struct trace_sink *sink);		    /* it is in the file */
	void (*begin)(struct trace_sink *sink, bool empty); /* `empty`: the file is */
	struct trace_sink_taken (*lane)(struct trace_sink *sink, const struct tl_trace_lane *lane,
					uint64_t end);
	void (*close)(struct trace_sink *sink); /* all lanes are there */
	void (*end)(struct trace_sink *sink, const struct tl_totals *totals);
};

/* By an encoder (encoded_pieces.c), and as pieces of a .tlt (record_pieces.c). */
extern const struct trace_sink_maker encoded_pieces, record_pieces;

/* For the makers: makes room for one call of an encoder, and writes a full block. */
void trace_sink_make_room(struct trace_sink *sink);

#endif
