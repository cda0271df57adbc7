/* SPDX-License-Identifier: MIT */
/*
 * chunks.h: making chunks, lists of free chunks, waiting for a free one, and the queue of full
 * ones. For layer/buffers only.
 *
 * All signals must be blocked, but for tl_buffer_wait and tl_buffer_wake.
 */
#ifndef TL_LAYER_BUFFERS_CHUNKS_H
#define TL_LAYER_BUFFERS_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/buffers/buffer.h"

/* what lies before a chunk's records */
#define TL_CHUNK_HEAD ((uint64_t)sizeof(struct tl_chunk_piece))

static inline uint64_t tl_chunk_size(const struct tl_chunk *chunk)
{
	return chunk->room + TL_CHUNK_HEAD;
}

/* A free chunk of the size asked for, or else of the other size. NULL: there is none. */
void *tl_chunk_get(bool large);

/* An empty chunk goes to its free list. */
void tl_chunk_free(struct tl_chunk *chunk);

/* Some free list has a chunk. */
bool tl_chunk_is_free(void);

/* With the policy drop: no chunk is free. */
bool tl_chunk_is_exhausted(void);

/*
 * Helps the writer, or waits for it, until `get` returns something. Called when `get` returns NULL
 * and the arena is used up. NULL: nobody has given a chunk back for long. After that events are
 * dropped without waiting, until a chunk is given back.
 */
void *tl_chunk_wait_for(void *(*get)(bool large), bool large);
bool tl_chunk_may_wait(void);

/* The reader has freed a chunk: threads that wait may go on. */
void tl_chunk_tell_free(void);

/* Nobody needs the chunk's records any more. */
void tl_chunk_clear(struct tl_chunk *chunk);

/*
 * tl_chunk_push hands a sealed chunk over. It starts or wakes the writer for a large chunk, or for
 * as many bytes in small ones. tl_chunk_take_pushed takes all of the queue, newest first, linked by
 * .next.
 */
void tl_chunk_push(struct tl_chunk *chunk);
struct tl_chunk *tl_chunk_take_pushed(void);

/* Every chunk there is, linked by .all. */
struct tl_chunk *tl_chunk_all(void);

/* In a forked child: forget the parent's chunks. */
void tl_chunk_after_fork(void);

#endif
