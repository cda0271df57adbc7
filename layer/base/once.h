/* SPDX-License-Identifier: MIT */
/*
 * once.h: something that is done once, by whoever comes first, while the others wait.
 *
 * Unlike pthread_once it can be asked for from inside itself (the answer is "inside"), and survives
 * a fork while another thread is at it: the word holds the number of the thread that does it, and
 * where the process has no such thread, the next one takes over.
 */
#ifndef TL_LAYER_BASE_ONCE_H
#define TL_LAYER_BASE_ONCE_H

#include <stdint.h>

struct tl_once {
	_Atomic uint32_t owner; /* 0: not begun; TL_ONCE_OVER: done; else the thread that does it */
};

#define TL_ONCE_OVER UINT32_MAX

enum tl_once_answer {
	TL_ONCE_DO, /* do it, then call tl_once_done */
	TL_ONCE_DONE,
	TL_ONCE_INSIDE, /* the calling thread is at it */
};

enum tl_once_answer tl_once_begin(struct tl_once *once);
void tl_once_done(struct tl_once *once);

#endif
