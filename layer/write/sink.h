/* SPDX-License-Identifier: MIT */
/*
 * sink.h: the trace file that blocks go to: making, opening, writing and ending it, and making it
 * again if it is gone.
 *
 * A block reaches the file whole or not at all. The file's end may be overwritten by later blocks,
 * and a new end behind them. The state of the file after each block is also stored in the arena's
 * output piece (struct tl_output_piece), so that recovery goes on exactly there.
 *
 * System calls only: it runs on the writer's thread. One thread at a time: the one that holds the
 * pen. Errors are returned as errno values.
 */
#ifndef TL_LAYER_WRITE_SINK_H
#define TL_LAYER_WRITE_SINK_H

#include <stdatomic.h>
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
	const struct tl_format *format; /* the file's format */
	int fd;	       /* in the descriptor table of the pen's holder; -1: not open there */
	bool made;     /* .output is a file that this process made */
	bool ended;    /* it has an end, at .offset */
	bool broken;   /* a pipe whose reader has gone, perhaps with half a block */
	uint32_t next; /* the least number for the next file's name */
	/* number of the file, from 1; it changes when a new file is to be begun */
	uint32_t file;
	uint64_t offset;  /* where the next block belongs */
	uint32_t blocks;  /* how many the file has */
	uint64_t longest; /* the longest of these */
	uint64_t events;  /* how many the file has */
	/*
	 * TRACELAYER_SPLIT with a time: when the file has all of its time, or the next one, in
	 * nanoseconds of CLOCK_MONOTONIC; 0: not known yet. Read without the pen, too.
	 */
	_Atomic uint64_t due;
	bool whole;	/* it has all of its time: the next block begins another */
	bool completes; /* what is written now is the last of its time */
	uint64_t gone;	/* events that were in files which were removed */
	uint64_t block; /* number of the last block that reached a file */

	struct tl_bounded_lock *pen;
	struct tl_gzip gzip;
	char *packed;
};

static inline uint64_t tl_sink_due(const struct tl_sink *sink)
{
	return atomic_load_explicit(&sink->due, memory_order_relaxed);
}

static inline void tl_sink_set_due(struct tl_sink *sink, uint64_t due)
{
	atomic_store_explicit(&sink->due, due, memory_order_relaxed);
}

/*
 * Called once, for a zeroed sink whose .fd is -1. `gzip`: memory for compressing, TL_GZIP_MEMORY
 * bytes. `packed`: room for a compressed block.
 */
void tl_sink_start(struct tl_sink *sink, struct tl_bounded_lock *pen, void *gzip, char *packed);

/*
 * Open the file in the calling thread's descriptor table, unless it is open. A file that is gone
 * (it or its folder was removed) is made again, and counts as a new one. A file that was moved away
 * stays as it is, and another is made.
 */
int tl_sink_open(struct tl_sink *sink);
void tl_sink_close(struct tl_sink *sink);

/* The file is a pipe, or will be. */
bool tl_sink_is_stream(const struct tl_sink *sink);

/* The number that the next block will have. */
uint64_t tl_sink_next_block(const struct tl_sink *sink);

/* What of a block is compressed already. The last one has no bytes. */
struct tl_packed {
	const char *bytes;
	struct tl_gzip_piece piece;
};

/*
 * Write a block with so many events. .gz: what is in `packed`, in the vector's order, goes to the file
 * as it is, and the rest is compressed. `dropped` tells recovery how many events no file took. Changes
 * the vector.
 */
int tl_sink_put(struct tl_sink *sink, struct iovec *vector, unsigned count,
		const struct tl_packed *packed, uint64_t events, uint64_t dropped);

/*
 * Write the end behind the last block. All blocks before it must have been written. The end may be
 * written again later.
 */
int tl_sink_end(struct tl_sink *sink, struct iovec *vector, unsigned count);

/* The file is complete. The next block needs a new one. */
void tl_sink_leave(struct tl_sink *sink);

#endif
