/* SPDX-License-Identifier: MIT */
/*
 * chunks.h: making chunks, the lists of free ones, waiting for one, and the queue of full ones.
 * Used inside of layer/buffers.
 *
 * All of it with signals blocked, but for tl_buffer_wait and tl_buffer_wake.
 */
#ifndef TL_LAYER_BUFFERS_CHUNKS_H
#define TL_LAYER_BUFFERS_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/buffers/buffer.h"

#define TL_CHUNK_HEAD ((uint64_t)sizeof(struct tl_chunk_piece)) /* before a chunk's records */

static inline uint64_t tl_chunk_size(const struct tl_chunk *chunk)
{
	return chunk->room + TL_CHUNK_HEAD;
}

/* A free chunk of the size asked for, or else of the other. NULL: there is none. */
void *tl_chunk_get(bool large);

/* An empty chunk goes to its free list. */
void tl_chunk_free(struct tl_chunk *chunk);

/* With the policy drop: no chunk is free. */
bool tl_chunk_is_exhausted(void);

/*
 * `get` gets nothing and the arena is used up: help to write, or wait for those who do. NULL once
 * nobody has given a chunk back for long. Until somebody does, events are lost without waiting.
 */
void *tl_chunk_wait_for(void *(*get)(bool large), bool large);
bool tl_chunk_may_wait(void);

/* The reader has freed a chunk: those that wait may go on. */
void tl_chunk_tell_free(void);

/* Nobody wants what is in the chunk, from here until it is taken again. */
void tl_chunk_clear(struct tl_chunk *chunk);

/*
 * Hand a sealed chunk over. The writer is started, or woken, for a large chunk or as much in small
 * ones. The reader takes all of the queue, newest first, linked by .next.
 */
void tl_chunk_push(struct tl_chunk *chunk);
struct tl_chunk *tl_chunk_take_pushed(void);

/* Every chunk there is, linked by .all. */
struct tl_chunk *tl_chunk_all(void);

/* In a forked child. */
void tl_chunk_after_fork(void);

#endif
