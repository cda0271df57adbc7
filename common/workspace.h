/* SPDX-License-Identifier: MIT */
/*
 * scratch.h: pieces of memory for who may be on a small stack: a thread of 16 KiB, or a signal
 * handler. There are as many as were ever in use at once; they are not freed, since a thread without
 * a lock may be about to take one. Async-signal-safe.
 */
#ifndef TL_COMMON_SCRATCH_H
#define TL_COMMON_SCRATCH_H

#include <stdatomic.h>
#include <stddef.h>

struct tl_scratch;

/* Pieces of one size. Zero but for .size. */
struct tl_scratches {
	size_t size;
	_Atomic(struct tl_scratch *) all;
};

/* NULL: there is no memory. Its bytes are those of its last user. Aligned to 16 bytes. */
void *tl_scratch_take(struct tl_scratches *scratches);
void tl_scratch_give_back(void *memory);

#endif
