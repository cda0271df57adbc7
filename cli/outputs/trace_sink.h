/* SPDX-License-Identifier: MIT */
/*
 * trace_sink.h: a trace file that the command makes from the records of a dead process. The file is
 * new, or the process has left it half written.
 *
 * Output is gathered in blocks and goes to the file block by block, each at the place where the one
 * before it ended. A half written file may have an end, or an incomplete block, behind its last
 * block. The first new block overwrites this.
 *
 *	error = trace_sink_continue(&sink, &trace->output, trace);
 *	trace_sink_begin(&sink);
 *	…trace_sink_lane for each lane…
 *	error = trace_sink_end(&sink, last, &totals);
 *	trace_sink_close(&sink);
 *
 * Errors are errno values. After the first one nothing more is written. trace_sink_end returns it,
 * and makes a continued file as sound as possible, with its old content. A new file is removed
 * again.
 */
#ifndef TL_CLI_OUTPUTS_TRACE_SINK_H
#define TL_CLI_OUTPUTS_TRACE_SINK_H

#include "format/encode/formats.h"
#include "format/encode/gzip.h"
#include "common/output.h"
#include "format/file/record_reader.h"

#define TRACE_SINK_BLOCK (1024u * 1024) /* a larger block is written to the file */
#define TRACE_SINK_TEXT	 (TRACE_SINK_BLOCK + TL_ENCODER_ROOM)

struct trace_sink {
	struct tl_encoder encoder;
	const struct trace_sink_maker *maker; /* the functions for the file's format */
	struct tl_trace *trace;		      /* where the records come from */
	struct tl_output output;	      /* the file; .path is its final name */
	int fd;
	bool fresh;		      /* the sink made the file */
	uint64_t last;		      /* as trace_sink_end got it */
	uint64_t offset;	      /* the offset of the next block */
	uint64_t events;	      /* in the file, and in the block that is being made */
	uint32_t blocks;	      /* in the file */
	struct tl_output_slot before; /* the state in which a continued file was found */
	int error;
	struct tl_text text; /* the block */
	char *block, *packed;
	struct tl_gzip gzip;
	void *gzip_memory;
};

/*
 * Makes a new file. If the name is taken, it gets .1, .2, … before its ending. The ending says
 * which format the file has.
 */
int trace_sink_create(struct trace_sink *sink, const char *path, struct tl_trace *trace);

/*
 * If a process was killed right after it made its file, its buffers do not name the file. So an
 * empty file of that name counts as its file, unless it is older than the process (`since`, a time
 * in seconds). False: there is none.
 */
bool trace_sink_adopt(struct trace_sink *sink, const char *path, uint64_t since,
		      struct tl_trace *trace);

/*
 * Continues a file. ENOENT, ESTALE: it does not exist any more, or another is in its place; EBUSY:
 * somebody has it open for writing; EINVAL: it is shorter than it was; ESPIPE: it is a pipe;
 * ENOTSUP: its format is unknown.
 */
int trace_sink_continue(struct trace_sink *sink, const struct tl_trace_output *from,
			struct tl_trace *trace);

/*
 * Makes a new file that starts with the content of another, which is not changed. Errors of both
 * functions above. ENOTSUP: the other has another format.
 */
int trace_sink_copy(struct trace_sink *sink, const char *path, const struct tl_trace_output *from,
		    struct tl_trace *trace);

/*
 * Writes the beginning of the file, and everything that later blocks refer to. If the process wrote
 * some of it before, the file has it twice.
 */
void trace_sink_begin(struct trace_sink *sink);

/* How many records the file has, and how many were damaged or could not be reached. */
struct trace_sink_taken {
	uint64_t events, lost;
};

/*
 * Writes all records of a lane. Calls that had not returned are written as if they ended at the
 * tick `end`. Losses are added to the trace's problems.
 */
struct trace_sink_taken trace_sink_lane(struct trace_sink *sink, size_t lane, uint64_t end);

/*
 * Writes the last block and the file's end. `last` is the tick up to which calls that had not
 * returned are shown. Sets totals->events. After an error, totals->lost counts the events that the
 * file lacks, too. Returns the first error, or 0.
 */
int trace_sink_end(struct trace_sink *sink, uint64_t last, struct tl_totals *totals);

void trace_sink_close(struct trace_sink *sink);

/*
 * The functions that make a file's bytes from a trace. trace_sink.c decides the order; these put
 * the bytes to sink->text. No function is NULL.
 */
struct trace_sink_maker {
	void (*start)(struct trace_sink *sink, const struct tl_format *format); /* once */
	void (*block)(struct trace_sink *sink);					/* a block begins */
	void (*kept)(struct trace_sink *sink);		    /* it is in the file */
	void (*begin)(struct trace_sink *sink, bool empty); /* `empty`: the file is */
	struct trace_sink_taken (*lane)(struct trace_sink *sink, const struct tl_trace_lane *lane,
					uint64_t end);
	void (*close)(struct trace_sink *sink); /* all lanes are written */
	void (*end)(struct trace_sink *sink, const struct tl_totals *totals);
};

/* By an encoder (encoded_pieces.c), and as pieces of a .tlt (record_pieces.c). */
extern const struct trace_sink_maker encoded_pieces, record_pieces;

/* For these functions: makes room for one call of an encoder, and writes a full block. */
void trace_sink_make_room(struct trace_sink *sink);

#endif
