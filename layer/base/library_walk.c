/* SPDX-License-Identifier: MIT */
/*
 * library_walk.c: see library_walk.h.
 *
 * `walks` counts the walks that are under way, and has FORKING while somebody forks: then no
 * further one begins. A nested walk is part of its outer one, which `nested` tells, as nobody else
 * can be asked: the lock under it is the thread's already.
 */
#include "layer/base/library_walk.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FORKING	 (1u << 31)
#define PATIENCE 20 /* tenths of a second that a fork waits: a walk takes microseconds */

static _Atomic uint32_t walks;
static _Atomic uint32_t forkers; /* threads that fork at once */
static __thread uint32_t nested __attribute__((tls_model("initial-exec")));

static void wait_while(uint32_t value)
{
	const struct timespec tenth = {.tv_nsec = 100000000};

	syscall(SYS_futex, &walks, FUTEX_WAIT_PRIVATE, value, &tenth, NULL, 0);
}

static void wake(void)
{
	syscall(SYS_futex, &walks, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/*
 * Acquire and release: pair with each other, so that a walk that a fork has waited for is over in
 * the child.
 */
static void begin(void)
{
	uint32_t seen = atomic_load_explicit(&walks, memory_order_relaxed);

	for (;;) {
		if (seen & FORKING) {
			wait_while(seen);
			seen = atomic_load_explicit(&walks, memory_order_relaxed);
		} else if (atomic_compare_exchange_weak_explicit(&walks, &seen, seen + 1,
								 memory_order_acquire,
								 memory_order_relaxed)) {
			return;
		}
	}
}

static void end(void)
{
	if (atomic_fetch_sub_explicit(&walks, 1, memory_order_release) & FORKING)
		wake();
}

int tl_library_walk(int (*callback)(struct dl_phdr_info *library, size_t size, void *data),
		    void *data)
{
	uint64_t all = UINT64_MAX, signals = 0;

	if (nested)
		return dl_iterate_phdr(callback, data);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &signals, sizeof(signals));
	begin();
	nested = 1;
	int result = dl_iterate_phdr(callback, data);
	nested = 0;
	end();
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals, NULL, sizeof(signals));
	return result;
}

/* A walk that does not end (its thread was stopped, say) is not waited for any longer than that. */
void tl_library_walk_before_fork(void)
{
	atomic_fetch_add_explicit(&forkers, 1, memory_order_relaxed);
	uint32_t seen = atomic_fetch_or_explicit(&walks, FORKING, memory_order_acquire) | FORKING;

	for (int i = 0; i < PATIENCE && seen != FORKING && !nested; i++) {
		wait_while(seen);
		seen = atomic_load_explicit(&walks, memory_order_acquire);
	}
}

void tl_library_walk_after_fork_parent(void)
{
	if (atomic_fetch_sub_explicit(&forkers, 1, memory_order_relaxed) != 1)
		return;
	atomic_fetch_and_explicit(&walks, ~FORKING, memory_order_release);
	wake();
}

void tl_library_walk_after_fork_child(void)
{
	atomic_store_explicit(&forkers, 0, memory_order_relaxed);
	atomic_store_explicit(&walks, 0, memory_order_relaxed);
}
