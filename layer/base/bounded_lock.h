/* SPDX-License-Identifier: MIT */
/*
 * bounded_lock.h: a lock. A thread can wait for it with a bound, and the holder shows that it makes
 * progress.
 *
 * It works in any thread, also in one that the C library does not know of. It is not recursive:
 * where a signal handler may want the lock, the thread blocks signals before it takes the lock.
 */
#ifndef TL_LAYER_BASE_BOUNDED_LOCK_H
#define TL_LAYER_BASE_BOUNDED_LOCK_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct tl_bounded_lock {
	_Atomic uint32_t word; /* 0 free, 1 held, 2 held and waited for */
	_Atomic uint32_t progress;
};

bool tl_bounded_lock_try(struct tl_bounded_lock *lock);

/*
 * Wait for the lock. False: the holder made no progress for `patience` milliseconds (INT_MAX: for
 * ever).
 */
bool tl_bounded_lock_take(struct tl_bounded_lock *lock, int patience);
/*
 * Returns true if another thread has been waiting; that one should have the lock before the caller
 * takes it again.
 */
bool tl_bounded_lock_release(struct tl_bounded_lock *lock);

/*
 * The same with signals blocked, for a lock that signal handlers may want. *signals becomes the
 * mask from before.
 */
static inline void tl_bounded_lock_take_quietly(struct tl_bounded_lock *lock, sigset_t *signals)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, signals);
	tl_bounded_lock_take(lock, INT_MAX);
}

static inline void tl_bounded_lock_release_quietly(struct tl_bounded_lock *lock,
						   const sigset_t *signals)
{
	tl_bounded_lock_release(lock);
	pthread_sigmask(SIG_SETMASK, signals, NULL);
}

/*
 * The holder calls tl_bounded_lock_progress now and then. tl_bounded_lock_progress_made gives a
 * number that changes when it did.
 */
void tl_bounded_lock_progress(struct tl_bounded_lock *lock);
uint32_t tl_bounded_lock_progress_made(const struct tl_bounded_lock *lock);

#endif
