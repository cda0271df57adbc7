/* SPDX-License-Identifier: MIT */
/*
 * once.c: see once.h.
 *
 * The release store of TL_ONCE_OVER pairs with the acquire loads here: a thread that gets
 * TL_ONCE_DONE sees all that was done.
 */
#include "layer/base/once.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layer/base/futex.h"

static bool owner_is_gone(uint32_t thread)
{
	return syscall(SYS_tgkill, getpid(), thread, 0) < 0 && errno == ESRCH;
}

enum tl_once_answer tl_once_begin(struct tl_once *once)
{
	uint32_t owner = atomic_load_explicit(&once->owner, memory_order_acquire);

	if (owner == TL_ONCE_OVER)
		return TL_ONCE_DONE;
	uint32_t self = (uint32_t)syscall(SYS_gettid);
	for (;;) {
		if (owner == self)
			return TL_ONCE_INSIDE;
		if (owner == 0 || owner_is_gone(owner)) {
			if (atomic_compare_exchange_strong_explicit(&once->owner, &owner, self,
								    memory_order_acquire,
								    memory_order_acquire))
				return TL_ONCE_DO;
		} else {
			tl_futex_wait(&once->owner, owner, 10);
			owner = atomic_load_explicit(&once->owner, memory_order_acquire);
		}
		if (owner == TL_ONCE_OVER)
			return TL_ONCE_DONE;
	}
}

void tl_once_done(struct tl_once *once)
{
	atomic_store_explicit(&once->owner, TL_ONCE_OVER, memory_order_release);
	tl_futex_wake(&once->owner);
}
