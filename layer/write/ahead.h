/* SPDX-License-Identifier: MIT */
/*
 * ahead.h: chunks are encoded ahead of the file, by two threads.
 *
 * When a program ends, the thread that ends it waits for the writer's thread. It helps: the writer
 * takes several chunks, and each of the two encodes (and for .gz compresses) one that nobody has begun,
 * into memory of its own. The writer puts what is ready into blocks, in the chunks' order. So the file
 * is as it would be without, and only the pen's holder writes to it.
 *
 * Only calls are encoded so, in formats that can (struct tl_format.touching). A chunk with anything
 * else, or whose first slice touches one before it, is encoded again as usual.
 *
 * No allocation, system calls only.
 */
#ifndef TL_LAYER_WRITE_AHEAD_H
#define TL_LAYER_WRITE_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/write/block.h"

/*
 * The caller is going to wait, and to call tl_ahead_help meanwhile, until tl_ahead_withdraw. False:
 * another thread does that already.
 */
bool tl_ahead_offer(void);
void tl_ahead_withdraw(void);

/* Encodes one chunk. False: there is none that nobody has begun. */
bool tl_ahead_help(void);

/* Sleep until tl_ahead_ring is called, unless it was called since tl_ahead_bell gave `bell`. */
uint32_t tl_ahead_bell(void);
void tl_ahead_wait(uint32_t bell, int ms);
void tl_ahead_ring(void);

/* --- For the pen's holder. */

/* Whether there is a thread that helps, and all it takes. A block is begun. */
bool tl_ahead_begin(const struct tl_block *block, const struct tl_sink *sink);

/* Lets a part of the block be encoded ahead, if there is room for one. */
bool tl_ahead_has_room(void);
void tl_ahead_put(struct tl_part *part);

/* Whether tl_ahead_take would not wait. */
bool tl_ahead_is_ready(const struct tl_part *part);

/*
 * Puts the records of a part into the block, if they were encoded ahead. False: encode them as usual.
 */
bool tl_ahead_take(struct tl_block *block, struct tl_part *part);

/* The first and the last call of a part that tl_ahead_take has put into a block. */
struct tl_call_record;
void tl_ahead_calls(const struct tl_part *part, const struct tl_call_record **first,
		    const struct tl_call_record **last);

/* The block's parts are in the file. Called before tl_block_kept. */
void tl_ahead_kept(struct tl_block *block);

/* What was put and not kept is forgotten. Nobody uses the chunks after this. */
void tl_ahead_stop(void);

/* In a forked child, whose other threads are gone. */
void tl_ahead_after_fork(void);

#endif
