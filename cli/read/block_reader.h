/* SPDX-License-Identifier: MIT */
/*
 * block_reader.h: the bytes of a file, block by block, uncompressed where it is gzip. A thread of its
 * own uncompresses some blocks ahead, while the caller looks at the ones before.
 *
 * One thread uses a reader. An error in the file is reported when the caller takes the block that
 * has it, so that the message can say how far the caller has come.
 */
#ifndef TL_CLI_READ_BLOCK_READER_H
#define TL_CLI_READ_BLOCK_READER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/read/inflater.h"

/* Tests make them small. */
#ifndef BLOCK_ROOM
#define BLOCK_ROOM  (256u << 10)
#define BLOCK_CARRY (64u << 10) /* bytes of the block before that a block has room for, in front */
#endif
#define BLOCKS 6u

struct block {
	unsigned char
		*room; /* BLOCK_CARRY, BLOCK_ROOM, and some bytes behind; NULL: not used yet */
	size_t size;
	int error;	 /* of the read, */
	bool is_damaged; /* or of the inflater */
	bool is_last;
};

struct block_reader {
	const char *shown; /* the path, for messages */
	int descriptor;
	unsigned char *packed; /* NULL: the file is not compressed */
	struct inflater inflater;
	bool cut; /* the compressed data ended before its own end. After the last block */

	struct block blocks[BLOCKS]; /* used one after the other, again and again */
	unsigned long filled, taken;
	pthread_t thread;
	bool is_ahead;	      /* there is a thread */
	bool stop;	      /* it has to end */
	pthread_mutex_t lock; /* of .filled, .taken and .stop; what is filled is the caller's */
	pthread_cond_t change;
};

/* The reader owns the descriptor, but for that of standard input. `shown` must stay valid. */
void block_reader_start(struct block_reader *reader, int descriptor, const char *shown);
void block_reader_end(struct block_reader *reader);

/*
 * The next block, from *at to *end; the one before is gone. The last `carry` bytes of that one, at
 * most BLOCK_CARRY, stand in front of it. There is a 0 behind the end, and room to look at 16 bytes.
 * False: there is nothing more. *failed: because of what has been printed; `line` is how far the
 * caller has come, in lines.
 */
bool block_next(struct block_reader *reader, unsigned char **at, unsigned char **end, size_t carry,
		bool *failed, unsigned long line);

#endif
