/* SPDX-License-Identifier: MIT */
/*
 * pool.h: the process's own memory beside the arena: the state of threads and chunks that the
 * process needs while it lives, and that nobody needs once it is dead.
 *
 * This memory is never given back, and never inherited: in a child of fork, however it was made,
 * all of it reads as zero. The fields of struct tl_thread lie here. So when a thread goes on in a
 * child with its parent's state, it finds that state empty, takes the slow path, and the layer
 * notices the fork.
 *
 * Everything here is async-signal-safe and may run in any thread.
 */
#ifndef TL_LAYER_BUFFERS_POOL_H
#define TL_LAYER_BUFFERS_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* The pool's size beside an arena of that size. */
uint64_t tl_pool_size(uint64_t arena);

/* Zeroed memory, aligned to 64 bytes; NULL where there is no more. */
void *tl_pool_take(uint32_t size);

/* Convert between addresses in the pool and numbers, which begin at 1 and fit 32 bits. */
uint32_t tl_pool_number(const void *address);
void *tl_pool_address(uint32_t number);

/*
 * This process is a child of the process that took memory here, and has not called
 * tl_pool_after_fork yet.
 */
bool tl_pool_wiped(void);

/*
 * In a forked child: begin a new pool. The old one stays mapped, since calls that were open across
 * the fork still point into it.
 */
void tl_pool_after_fork(void);

#endif
