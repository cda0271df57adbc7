/* SPDX-License-Identifier: MIT */
/*
 * rings.h: the flight recorder: each producer keeps its newest chunks in a ring. Used inside of
 * layer/buffers. buffer.c's head has the whole of it.
 */
#ifndef TL_LAYER_BUFFERS_RINGS_H
#define TL_LAYER_BUFFERS_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/base/environment.h"
#include "layer/buffers/buffer.h"

/* In tl_chunk.owner, below the turn; TL_RING_NUMBER is one chunk more of the lane. */
enum { TL_RING_SEALED = 1, TL_RING_READER = 2, TL_RING_NUMBER = 4 };

static inline bool tl_ring_is_policy(void)
{
	return tl_config.full == TL_FULL_RING;
}

static inline uint64_t tl_ring_turn(const struct tl_producer *producer, uint32_t number)
{
	return (uint64_t)producer->lane << 32 | (uint64_t)number * TL_RING_NUMBER;
}

static inline uint64_t tl_ring_turn_of(uint64_t owner)
{
	return owner & ~(uint64_t)(TL_RING_SEALED | TL_RING_READER);
}

static inline uint32_t tl_ring_lane_of(uint64_t owner)
{
	return owner >> 32;
}

/* --- the producer's side, with signals blocked */

/*
 * A chunk to record into. The thread grows up to its share while there is memory enough for others;
 * then it uses its oldest again. A chunk that it has beyond its share is given up.
 */
struct tl_chunk *tl_ring_get(struct tl_producer *producer);

/*
 * A sealed chunk stays with its producer, or with nobody where the thread has ended. The writer's
 * thread is there from now on, to listen.
 */
void tl_ring_keep(struct tl_producer *producer, struct tl_chunk *chunk);

/* The producer's thread ends: its ring is nobody's. */
void tl_ring_retire(struct tl_producer *producer);

/*
 * The calls in a sealed chunk that no flush has read. *finished: no interrupted code is to write
 * there yet.
 */
uint64_t tl_ring_count_unread(const struct tl_chunk *chunk, bool *finished);
void tl_ring_count_overwritten(struct tl_producer *producer, uint64_t calls);

/* --- the reader's side */

/*
 * Takes all that rings have: the threads one after the other, each oldest first, linked by .next;
 * *last is the end. NULL: there is nothing.
 */
struct tl_chunk *tl_ring_take_all(struct tl_chunk **last);

/* The chunk goes back to its producer's ring, or goes on being recorded into. */
void tl_ring_give_back(struct tl_chunk *chunk);

/* In a forked child. */
void tl_ring_after_fork(void);

#endif
