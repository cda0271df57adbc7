/* SPDX-License-Identifier: MIT */
/*
 * futex.h: sleeping until a word changes, and waking the threads that sleep.
 *
 * Any thread, also one that the C library does not know of; async-signal-safe. errno is the system
 * call's.
 */
#ifndef TL_LAYER_BASE_FUTEX_H
#define TL_LAYER_BASE_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline struct timespec tl_futex_time(int ms)
{
	return (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
}

/*
 * Sleep while *word is value, at most as long as *time says (NULL: for ever). 0: another thread
 * woke this one; -1: it did not, and errno says why (ETIMEDOUT, EAGAIN, EINTR).
 */
static inline int tl_futex_sleep(_Atomic uint32_t *word, uint32_t value,
				 const struct timespec *time)
{
	return (int)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, time, NULL, 0);
}

/* The same, at most ms milliseconds. */
static inline int tl_futex_wait(_Atomic uint32_t *word, uint32_t value, int ms)
{
	const struct timespec time = tl_futex_time(ms);

	return tl_futex_sleep(word, value, &time);
}

/* Wake up to so many of the threads that sleep; wake all. */
static inline void tl_futex_wake_some(_Atomic uint32_t *word, int count)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static inline void tl_futex_wake(_Atomic uint32_t *word)
{
	tl_futex_wake_some(word, INT_MAX);
}

/* The same for a word in memory that processes share. */
static inline int tl_futex_wait_shared(_Atomic uint32_t *word, uint32_t value, int ms)
{
	const struct timespec time = tl_futex_time(ms);

	return (int)syscall(SYS_futex, word, FUTEX_WAIT, value, &time, NULL, 0);
}

static inline void tl_futex_wake_shared(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

#endif
