/* SPDX-License-Identifier: MIT */
/*
 * spin_lock.h: a lock for what takes a fraction of a microsecond and is hardly ever wanted by two
 * at once. Who takes it and who gives it back pays for no more than one locked instruction: nobody
 * is woken, and who finds it taken looks again, soon at first and then later.
 *
 * Not for signal handlers, and not recursive. All zero: free.
 */
#ifndef TL_LAYER_BASE_SPIN_LOCK_H
#define TL_LAYER_BASE_SPIN_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "layer/base/libc/sanitizer.h"
#include "tracelayer/shim.h"

struct tl_lock {
	_Atomic uint32_t taken;
};

/* Out of line (hook.c): until it could be taken. */
void tl_lock_wait(struct tl_lock *lock);

static inline void tl_lock_take(struct tl_lock *lock)
{
	/* Acquire pairs with the release of who had it. */
	if (TL_UNLIKELY(atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire)))
		tl_lock_wait(lock);
	tl_tsan_taken(lock);
}

static inline void tl_lock_release(struct tl_lock *lock)
{
	tl_tsan_given(lock);
	atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

#endif
