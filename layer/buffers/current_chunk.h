/* SPDX-License-Identifier: MIT */
/*
 * current_chunk.h: a producer's current chunk, which its records go to: opened, sealed, and what is
 * said in it of losses. Used inside of layer/buffers.
 *
 * All of it in the producer's thread with signals blocked, or when that thread is gone.
 */
#ifndef TL_LAYER_BUFFERS_CURRENT_CHUNK_H
#define TL_LAYER_BUFFERS_CURRENT_CHUNK_H

#include <stdint.h>

#include "layer/buffers/buffer.h"

/* An empty chunk becomes the producer's current one. */
void tl_current_open(struct tl_producer *producer, struct tl_chunk *chunk);

/*
 * Take the current chunk, if any, from the producer and hand it over. `at` is where reservations
 * began to fail.
 */
void tl_current_seal(struct tl_producer *producer, uint64_t at);

/* Room for a record of `size` bytes. NULL: the chunk has none. */
uint64_t *tl_current_place(struct tl_producer *producer, uint64_t size);

/* There is room again: say in the trace what was lost until now. */
void tl_current_say_lost(struct tl_producer *producer);

/*
 * A reservation of `size` at `at` was made in the chunk before this one, which a signal handler has
 * handed over since. It holds room there that nothing will be written to: say so. (Two changes of
 * chunk in between: that chunk waits until its thread ends.)
 */
void tl_current_give_up(struct tl_producer *producer, uint64_t at, uint64_t size);

#endif
