/* SPDX-License-Identifier: MIT */
/*
 * current_chunk.h: a producer's current chunk, which its records go to: opening and sealing it, and
 * the records about losses. For layer/buffers only.
 *
 * Runs in the producer's thread with signals blocked, or when that thread is gone.
 */
#ifndef TL_LAYER_BUFFERS_CURRENT_CHUNK_H
#define TL_LAYER_BUFFERS_CURRENT_CHUNK_H

#include <stdint.h>

#include "layer/buffers/buffer.h"

/* An empty chunk becomes the producer's current one. */
void tl_current_open(struct tl_producer *producer, struct tl_chunk *chunk);

/*
 * Take the current chunk, if any, from the producer and hand it over. Reservations from `at` on
 * found no room.
 */
void tl_current_seal(struct tl_producer *producer, uint64_t at);

/* The same of what is recorded so far, by the producer's own thread or when that is gone. */
void tl_current_hand_over(struct tl_producer *producer);

/* Room for a record of `size` bytes. NULL: the chunk has none. */
uint64_t *tl_current_place(struct tl_producer *producer, uint64_t size);

/* There is room again: record how many events were lost until now. */
void tl_current_say_lost(struct tl_producer *producer);

/*
 * A reservation of `size` at `at` was made in the chunk before this one, which a signal handler has
 * handed over since. Nothing will be written into the room that it holds there: mark that room as
 * unused. If the chunk changed twice in between, that room stays, and its chunk waits until the
 * thread ends.
 */
void tl_current_give_up(struct tl_producer *producer, uint64_t at, uint64_t size);

#endif
