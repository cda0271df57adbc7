/* SPDX-License-Identifier: MIT */
/*
 * bounded_lock.c: see bounded_lock.h. The lock is the three-state futex of Drepper's "Futexes Are
 * Tricky".
 *
 * The acquire exchanges and the compare-exchange that take the lock pair with the release exchange
 * that gives it back.
 */
#include "layer/base/bounded_lock.h"

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>

#include "layer/base/futex.h"

#define SLICE 100 /* milliseconds between two looks at the holder's progress */

bool tl_bounded_lock_try(struct tl_bounded_lock *lock)
{
	uint32_t free = 0;

	return atomic_compare_exchange_strong_explicit(&lock->word, &free, 1, memory_order_acquire,
						       memory_order_relaxed);
}

bool tl_bounded_lock_take(struct tl_bounded_lock *lock, int patience)
{
	uint32_t progress = tl_bounded_lock_progress_made(lock);
	int waited = 0;

	if (tl_bounded_lock_try(lock))
		return true;
	while (atomic_exchange_explicit(&lock->word, 2, memory_order_acquire)) {
		uint32_t now = tl_bounded_lock_progress_made(lock);
		waited = now == progress ? waited : 0;
		progress = now;
		if (waited >= patience)
			return false;
		tl_futex_wait(&lock->word, 2, SLICE);
		waited += patience == INT_MAX ? 0 : SLICE;
	}
	return true;
}

bool tl_bounded_lock_release(struct tl_bounded_lock *lock)
{
	bool wanted = atomic_exchange_explicit(&lock->word, 0, memory_order_release) == 2;

	if (wanted)
		tl_futex_wake(&lock->word);
	return wanted;
}

void tl_bounded_lock_progress(struct tl_bounded_lock *lock)
{
	atomic_fetch_add_explicit(&lock->progress, 1, memory_order_relaxed);
}

uint32_t tl_bounded_lock_progress_made(const struct tl_bounded_lock *lock)
{
	return atomic_load_explicit(&lock->progress, memory_order_relaxed);
}
