/* SPDX-License-Identifier: MIT */
/*
 * spin_lock.c: see spin_lock.h.
 */
#include "layer/base/spin_lock.h"

#include <stddef.h>
#include <time.h>

#define LOOKS 4000u /* so many looks at the lock, some microseconds, before the thread sleeps */

void tl_spin_lock_wait(struct tl_spin_lock *lock)
{
	const struct timespec moment = {.tv_nsec = 20000};
	unsigned looks = 0;

	/* Acquire, as in tl_spin_lock_take. */
	while (atomic_load_explicit(&lock->taken, memory_order_relaxed) ||
	       atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire)) {
		/* The holder may be waiting for the processor that this thread runs on. */
		if (++looks >= LOOKS)
			nanosleep(&moment, NULL);
	}
}
