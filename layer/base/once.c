/* SPDX-License-Identifier: MIT */
/*
 * once.c: something that is done once. See once.h.
 *
 * The release store of TL_ONCE_OVER pairs with the acquire loads here: who is told "done" sees all
 * that was done.
 */
#include "layer/base/once.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool is_gone(uint32_t thread)
{
	return syscall(SYS_tgkill, getpid(), thread, 0) < 0 && errno == ESRCH;
}

static void wait_for(struct tl_once *once, uint32_t owner)
{
	struct timespec timeout = {.tv_nsec = 10000000};

	syscall(SYS_futex, &once->owner, FUTEX_WAIT_PRIVATE, owner, &timeout, NULL, 0);
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
		if (owner == 0 || is_gone(owner)) {
			if (atomic_compare_exchange_strong_explicit(&once->owner, &owner, self,
								    memory_order_acquire,
								    memory_order_acquire))
				return TL_ONCE_DO;
		} else {
			wait_for(once, owner);
			owner = atomic_load_explicit(&once->owner, memory_order_acquire);
		}
		if (owner == TL_ONCE_OVER)
			return TL_ONCE_DONE;
	}
}

void tl_once_done(struct tl_once *once)
{
	atomic_store_explicit(&once->owner, TL_ONCE_OVER, memory_order_release);
	syscall(SYS_futex, &once->owner, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
