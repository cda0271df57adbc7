/* SPDX-License-Identifier: MIT */
/*
 * libc_mutex.c: the locks that threads of the program wait at, for libtracelayer.so alone. See
 * libc.h.
 *
 * They are plain locks in the first word of the C library's struct, which nobody else looks at: 0
 * free, 1 held, 2 held and waited for (Drepper, "Futexes Are Tricky"). All zero is free, like
 * PTHREAD_MUTEX_INITIALIZER. The acquire exchanges that take a lock pair with the release exchange
 * that gives it back.
 */
#include "layer/base/libc/own_libc.h"

#ifdef TL_OWN_LIBC

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "layer/base/libc/kernel.h"
#include "layer/base/libc/sanitizer.h"

static _Atomic uint32_t *mutex_word(pthread_mutex_t *mutex)
{
	return (_Atomic uint32_t *)(void *)mutex;
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	(void)attributes;
	memset(mutex, 0, sizeof(*mutex));
	return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	(void)mutex;
	return 0;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	uint32_t free = 0;

	if (!atomic_compare_exchange_strong_explicit(mutex_word(mutex), &free, 1,
						     memory_order_acquire, memory_order_relaxed))
		return EBUSY;
	tl_tsan_taken(mutex);
	return 0;
}

/* `until` NULL: for ever. */
static int mutex_lock(pthread_mutex_t *mutex, const struct timespec *until)
{
	if (!pthread_mutex_trylock(mutex))
		return 0;
	while (atomic_exchange_explicit(mutex_word(mutex), 2, memory_order_acquire))
		if (TL_KERNEL(SYS_futex, mutex, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 2,
			      until, NULL, FUTEX_BITSET_MATCH_ANY) == -ETIMEDOUT)
			return ETIMEDOUT;
	tl_tsan_taken(mutex);
	return 0;
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
	return mutex_lock(mutex, until);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	return mutex_lock(mutex, NULL);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	tl_tsan_given(mutex);
	if (atomic_exchange_explicit(mutex_word(mutex), 0, memory_order_release) == 2)
		TL_KERNEL(SYS_futex, mutex, FUTEX_WAKE_PRIVATE, 1);
	return 0;
}

#else
typedef int tl_nothing_here;
#endif
