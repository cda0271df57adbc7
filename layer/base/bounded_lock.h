/* SPDX-License-Identifier: MIT */
/*
 * bounded_lock.h: a lock that can be waited for with a bound, and whose holder shows that it gets
 * on.
 *
 * Works on any thread, also on one that the C library does not know of. Not recursive: who may be
 * interrupted by a signal handler that wants it blocks signals first.
 */
#ifndef TL_LAYER_BASE_BOUNDED_LOCK_H
#define TL_LAYER_BASE_BOUNDED_LOCK_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct tl_pen {
	_Atomic uint32_t word; /* 0 free, 1 held, 2 held and waited for */
	_Atomic uint32_t progress;
};

bool tl_pen_try(struct tl_pen *pen);

/*
 * Wait for it. False when the holder made no progress for `patience` milliseconds
 * (INT_MAX: for ever).
 */
bool tl_pen_take(struct tl_pen *pen, int patience);
/* True: somebody has been waiting for it, and should have it before the caller takes it again. */
bool tl_pen_release(struct tl_pen *pen);

/*
 * The same with signals blocked, whose handlers may want it; *signals is what was blocked before.
 */
static inline void tl_pen_take_quietly(struct tl_pen *pen, sigset_t *signals)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, signals);
	tl_pen_take(pen, INT_MAX);
}

static inline void tl_pen_release_quietly(struct tl_pen *pen, const sigset_t *signals)
{
	tl_pen_release(pen);
	pthread_sigmask(SIG_SETMASK, signals, NULL);
}

/* The holder gets on; and a number that differs when it did. */
void tl_pen_progress(struct tl_pen *pen);
uint32_t tl_pen_progress_made(const struct tl_pen *pen);

/* Sleep while *word is value, at most ms milliseconds; wake all who do. */
void tl_futex_wait(_Atomic uint32_t *word, uint32_t value, int ms);
void tl_futex_wake(_Atomic uint32_t *word);

#endif
