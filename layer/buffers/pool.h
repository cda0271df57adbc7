/* SPDX-License-Identifier: MIT */
/*
 * pool.h: the process's own memory beside the arena: what the process must know of threads and
 * chunks to work with them, and what nobody needs once it is dead.
 *
 * It is never given back, and never inherited: in a child of fork, however that was made, all of it
 * reads as zero. struct tl_thread's fields lie here. So a thread that goes on in a child with its
 * parent's state finds that state empty, comes out of line, and the fork is noticed.
 *
 * Everything here is async-signal-safe and may run in any thread.
 */
#ifndef TL_LAYER_BUFFERS_POOL_H
#define TL_LAYER_BUFFERS_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* How large it is beside an arena of that size. */
uint64_t tl_pool_size(uint64_t arena);

/* Zeroed memory, aligned to 64 bytes; NULL where there is no more. */
void *tl_pool_take(uint32_t size);

/* Between addresses in the pool and numbers from 1 on that fit 32 bits. */
uint32_t tl_pool_number(const void *address);
void *tl_pool_address(uint32_t number);

/*
 * This process is a child of the one that took memory here, and tl_pool_after_fork has not been
 * called yet.
 */
bool tl_pool_wiped(void);

/*
 * In a forked child: begin a new pool. The old one stays mapped, since calls that were open across
 * the fork still point into it.
 */
void tl_pool_after_fork(void);

#endif
