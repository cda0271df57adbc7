/* SPDX-License-Identifier: MIT */
/*
 * once.h: something that the first thread does once, while the others wait.
 *
 * There are two differences to pthread_once. The thread that does it may ask again from inside, and
 * gets TL_ONCE_INSIDE. And it survives a fork while another thread is doing it: the word holds that
 * thread's number, and in a process that has no such thread, the next one takes over.
 */
#ifndef TL_LAYER_BASE_ONCE_H
#define TL_LAYER_BASE_ONCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct tl_once {
	_Atomic uint32_t owner; /* 0: not begun; TL_ONCE_OVER: done; else the thread that does it */
};

#define TL_ONCE_OVER UINT32_MAX

enum tl_once_answer {
	TL_ONCE_DO, /* do it, then call tl_once_done */
	TL_ONCE_DONE,
	TL_ONCE_INSIDE, /* the calling thread is doing it now */
};

/* It is done, and the caller sees all that was done. */
static inline bool tl_once_is_over(const struct tl_once *once)
{
	/* Acquire: pairs with the release in tl_once_done. */
	return atomic_load_explicit(&once->owner, memory_order_acquire) == TL_ONCE_OVER;
}

/* Some thread does it, or has done it. */
static inline bool tl_once_has_begun(const struct tl_once *once)
{
	return atomic_load_explicit(&once->owner, memory_order_relaxed) != 0;
}

enum tl_once_answer tl_once_begin(struct tl_once *once);
void tl_once_done(struct tl_once *once);

#endif
