/* SPDX-License-Identifier: MIT */
/*
 * sink.h: the trace file that blocks go to: made, opened, written, ended, and made again where it
 * is gone.
 *
 * A block reaches the file whole or not at all. The file's end may be written over: by the blocks
 * that come after it, and a new end behind them. What is true of the file after each block is also
 * in the arena's output piece (struct tl_output_piece), so that recovery goes on exactly there.
 *
 * System calls only: it runs on the writer's thread. One thread at a time, who holds the pen.
 * Errors are returned as errno values.
 */
#ifndef TL_LAYER_WRITE_SINK_H
#define TL_LAYER_WRITE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "format/encode/formats.h"
#include "format/encode/gzip.h"
#include "common/output.h"
#include "layer/base/bounded_lock.h"

struct tl_sink {
	struct tl_output output;
	const struct tl_format *format; /* what goes into it */
	int fd;	       /* in the file table of the pen's holder, -1: not open there */
	bool made;     /* .output is a file that this process made */
	bool ended;    /* it has an end, at .offset */
	bool broken;   /* a pipe whose reader has gone, perhaps with half a block */
	uint32_t next; /* number that the next one's name gets, at least */
	/* number of the file, from 1; another one when there is a new one to be begun */
	uint32_t file;
	uint64_t offset;  /* where the next block belongs */
	uint32_t blocks;  /* in it */
	uint64_t longest; /* of its blocks */
	uint64_t events;  /* in it */
	uint64_t since;	  /* when it was made: nanoseconds of CLOCK_MONOTONIC */
	uint64_t gone;	  /* events that were in files which were removed */
	uint64_t block;	  /* number of the last block that reached a file */

	struct tl_bounded_lock *pen;
	struct tl_gzip gzip;
	char *packed;
};

/*
 * Once, of a zeroed sink whose .fd is -1: memory for compressing, TL_GZIP_MEMORY zeroed bytes; and
 * for what a block becomes by it.
 */
bool tl_sink_start(struct tl_sink *sink, struct tl_bounded_lock *pen, void *gzip, char *packed);

/*
 * The file is there, and open in the calling thread's table. One that is gone (removed, or its
 * folder) is made again, and counts as a new one; one that was moved away stays as it is, and
 * another is made.
 */
int tl_sink_open(struct tl_sink *sink);
void tl_sink_close(struct tl_sink *sink);

/* The file is a pipe, or will be. */
bool tl_sink_is_stream(const struct tl_sink *sink);

/* Number that the next block will have. */
uint64_t tl_sink_next_block(const struct tl_sink *sink);

/*
 * Write a block, with so many events in it. `dropped` is what recovery is to know of events that no
 * file took. The vector is used up.
 */
int tl_sink_put(struct tl_sink *sink, struct iovec *vector, unsigned count, uint64_t events,
		uint64_t dropped);

/*
 * Write the end behind the last block. Nothing may be missing before it that is still to come; it
 * may be written again.
 */
int tl_sink_end(struct tl_sink *sink, struct iovec *vector, unsigned count);

/* The file is complete. The next block needs a new one. */
void tl_sink_leave(struct tl_sink *sink);

#endif
