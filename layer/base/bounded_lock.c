/* SPDX-License-Identifier: MIT */
/*
 * bounded_lock.c: see bounded_lock.h. The lock is the three-state futex of Drepper's "Futexes Are
 * Tricky".
 *
 * The acquire exchanges and compare-exchange that take the pen pair with the release exchange that
 * gave it back.
 */
#include "layer/base/bounded_lock.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLICE 100 /* milliseconds between two looks at the holder's progress */

void tl_futex_wait(_Atomic uint32_t *word, uint32_t value, int ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000l};

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &time, NULL, 0);
}

void tl_futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

bool tl_pen_try(struct tl_pen *pen)
{
	uint32_t free = 0;

	return atomic_compare_exchange_strong_explicit(&pen->word, &free, 1, memory_order_acquire,
						       memory_order_relaxed);
}

bool tl_pen_take(struct tl_pen *pen, int patience)
{
	uint32_t progress = tl_pen_progress_made(pen);
	int waited = 0;

	if (tl_pen_try(pen))
		return true;
	while (atomic_exchange_explicit(&pen->word, 2, memory_order_acquire)) {
		uint32_t now = tl_pen_progress_made(pen);
		waited = now == progress ? waited : 0;
		progress = now;
		if (waited >= patience)
			return false;
		tl_futex_wait(&pen->word, 2, SLICE);
		waited += patience == INT_MAX ? 0 : SLICE;
	}
	return true;
}

bool tl_pen_release(struct tl_pen *pen)
{
	bool wanted = atomic_exchange_explicit(&pen->word, 0, memory_order_release) == 2;

	if (wanted)
		tl_futex_wake(&pen->word);
	return wanted;
}

void tl_pen_progress(struct tl_pen *pen)
{
	atomic_fetch_add_explicit(&pen->progress, 1, memory_order_relaxed);
}

uint32_t tl_pen_progress_made(const struct tl_pen *pen)
{
	return atomic_load_explicit(&pen->progress, memory_order_relaxed);
}
