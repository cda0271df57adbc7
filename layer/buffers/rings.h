/* SPDX-License-Identifier: MIT */
/*
 * rings.h: the flight recorder: each producer keeps its newest chunks in a ring. For layer/buffers
 * only. buffer.c's head describes all of it.
 */
#ifndef TL_LAYER_BUFFERS_RINGS_H
#define TL_LAYER_BUFFERS_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/base/environment.h"
#include "layer/buffers/buffer.h"

/* Bits of tl_chunk.owner below the turn; TL_RING_NUMBER is the lowest bit of the chunk's number. */
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
 * A chunk to record into. The thread's ring grows up to its share while there is memory enough for
 * others; then the thread uses its oldest chunk again. It gives up chunks that it has beyond its
 * share. While a flush has the oldest, the share is twice as large: what the thread records
 * meanwhile is kept, too.
 */
struct tl_chunk *tl_ring_get(struct tl_producer *producer);

/*
 * A sealed chunk stays with its producer; if the thread has ended, it belongs to no producer. From
 * now on the writer's thread exists, to listen for requests.
 */
void tl_ring_keep(struct tl_producer *producer, struct tl_chunk *chunk);

/* The producer's thread ends: its ring belongs to no producer. */
void tl_ring_retire(struct tl_producer *producer);

/*
 * How many calls in a sealed chunk no flush has read. *finished: no interrupted code will still
 * write there.
 */
uint64_t tl_ring_count_unread(const struct tl_chunk *chunk, bool *finished);
void tl_ring_count_overwritten(struct tl_producer *producer, uint64_t calls);

/* Empties a sealed chunk that the caller alone has, for any producer's use. */
void tl_ring_empty(struct tl_chunk *chunk);

/* --- the reader's side */

/*
 * Takes all chunks that rings have: thread by thread, each thread's oldest first, linked by .next;
 * *last is the last one. NULL: there are none.
 */
struct tl_chunk *tl_ring_take_all(struct tl_chunk **last);

/*
 * Gives the chunk back to its producer's ring; a live one goes on being recorded into. What is read of
 * a thread that has ended is free.
 */
void tl_ring_give_back(struct tl_chunk *chunk);

/* In a forked child. */
void tl_ring_after_fork(void);

#endif
