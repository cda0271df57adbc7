/* SPDX-License-Identifier: MIT */
/*
 * spin_lock.h: a lock for work of a fraction of a microsecond that two threads hardly ever want at
 * once. Taking it costs one locked instruction, and giving it back costs a store: it wakes nobody.
 * A thread that finds it taken looks again, soon at first and then later.
 *
 * Not for signal handlers, and not recursive. All zero: free.
 */
#ifndef TL_LAYER_BASE_SPIN_LOCK_H
#define TL_LAYER_BASE_SPIN_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "layer/base/libc/sanitizer.h"
#include "tracelayer/shim.h"

struct tl_spin_lock {
	_Atomic uint32_t taken;
};

/* The slow path: wait for the holder, and take the lock. */
void tl_spin_lock_wait(struct tl_spin_lock *lock);

static inline void tl_spin_lock_take(struct tl_spin_lock *lock)
{
	/* Acquire: pairs with the release in tl_spin_lock_release. */
	if (TL_UNLIKELY(atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire)))
		tl_spin_lock_wait(lock);
	tl_tsan_taken(lock);
}

static inline void tl_spin_lock_release(struct tl_spin_lock *lock)
{
	tl_tsan_given(lock);
	atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

#endif
