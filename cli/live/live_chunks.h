/* SPDX-License-Identifier: MIT */
/*
 * live_chunks.h: the chunks of a traced process that runs: new records in them, and how many bytes of
 * them were overwritten before they could be read.
 */
#ifndef TL_CLI_LIVE_LIVE_CHUNKS_H
#define TL_CLI_LIVE_LIVE_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/live/live_file.h"

/*
 * At most so many bytes of a thread are read in a look; the rest counts as missed. That bounds what a
 * look costs, however fast the program is.
 */
#define LIVE_READ_MOST (UINT64_C(64) << 10)

struct live_chunks {
	bool begun; /* there was a look */
	struct live_chunk *chunks;
	size_t nchunks;
	struct live_lane *lanes;
	size_t nlanes;
	struct live_freed *freed; /* in this look */
	size_t nfreed;
	_Alignas(8) char copy[LIVE_READ_MOST];
};

/* A chunk's piece of the buffers file, of `size` bytes. */
void live_chunks_add(struct live_chunks *chunks, const struct tl_piece *piece, uint64_t size);

/*
 * Gives `take` the lane's new records, whole ones, in a copy of its own. NULL: they are passed over, and
 * do not count as missed.
 */
void live_chunks_look(struct live_chunks *chunks, const struct live_file *file,
		      void (*take)(void *context, uint32_t lane, const char *bytes, uint64_t size),
		      void *context);

/* How many bytes of the lane's records the looks since the last question have read, and have missed. */
void live_chunks_missed(struct live_chunks *chunks, uint32_t lane, uint64_t *read,
			uint64_t *missed);

void live_chunks_free(struct live_chunks *chunks);

#endif
