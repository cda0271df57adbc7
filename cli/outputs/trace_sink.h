/* SPDX-License-Identifier: MIT */
/*
 * trace_sink.h: an output file in the making, through an encoder (format/encode/encoder.h): a new
 * one, or one that its process left half written.
 *
 * Text is gathered in blocks and goes to the file block by block, each at the place where the one
 * before it ended. What stands in a half written file behind its last block is written over: it is
 * an end, or torn.
 *
 *	error = trace_sink_continue(&sink, &trace->output);
 *	…trace_sink_thread, trace_sink_record, trace_sink_unfinished…
 *	error = trace_sink_end(&sink, &totals);
 *	trace_sink_close(&sink);
 *
 * Errors are errno values. After the first one nothing more is written: trace_sink_end tells it,
 * and leaves a file that was continued as sound as it can be made, with what was in it before. A
 * file that was new is removed again.
 */
#ifndef TL_CLI_OUTPUTS_TRACE_SINK_H
#define TL_CLI_OUTPUTS_TRACE_SINK_H

#include "format/encode/encoder.h"
#include "format/encode/gzip.h"
#include "common/output.h"
#include "format/file/record_reader.h"

struct trace_sink {
	struct tl_encoder encoder;
	struct tl_output output; /* the file; .path is what it came to be called */
	int fd;
	bool fresh; /* it was made here */
	/* it is a .tlt: no encoder has to do with it, but record_pieces.h */
	bool spool;
	uint64_t last;		      /* then: tl_end_piece.last */
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
int trace_sink_create(struct trace_sink *sink, const char *path, uint32_t pid);

/*
 * A process that was killed just after it had made its file has not told of it. So an empty file of
 * that name which is no older than the process (`since`, a time in seconds) is taken for its own.
 * Returns false where there is none.
 */
bool trace_sink_adopt(struct trace_sink *sink, const char *path, uint64_t since, uint32_t pid);

/*
 * Go on with a file. ENOENT, ESTALE: it is not there any more, or another is in its place; EBUSY:
 * somebody has it open for writing; EINVAL: it is shorter than it was; ESPIPE: it is a pipe;
 * ENOTSUP: its format is unknown.
 */
int trace_sink_continue(struct trace_sink *sink, const struct tl_trace_output *from, uint32_t pid);

/*
 * A new file that starts with what is in another: that one is left as it is. Errors of both.
 * ENOTSUP: it has another format.
 */
int trace_sink_copy(struct trace_sink *sink, const char *path, const struct tl_trace_output *from,
		    uint32_t pid);

/* The file has no beginning yet: this has to come first. */
bool trace_sink_is_empty(const struct trace_sink *sink);
void trace_sink_begin(struct trace_sink *sink, const struct tl_facts *facts);

/* As in struct tl_format. */
void trace_sink_thread(struct trace_sink *sink, uint32_t tid, const char name[16]);
void trace_sink_lane(struct trace_sink *sink, const struct tl_trace_named_lane *lane);
size_t trace_sink_record(struct trace_sink *sink, uint32_t tid, const struct tl_call_record *record,
			 size_t size);
void trace_sink_unfinished(struct trace_sink *sink, uint32_t tid, uint32_t function, uint64_t start,
			   uint64_t end);

/* Bytes of a spool. */
void trace_sink_bytes(struct trace_sink *sink, const void *bytes, size_t size);

/* The last block, and the end. totals->events is set here. Returns the first error, or 0. */
int trace_sink_end(struct trace_sink *sink, struct tl_totals *totals);

void trace_sink_close(struct trace_sink *sink);

#endif
