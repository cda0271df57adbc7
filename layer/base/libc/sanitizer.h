/* SPDX-License-Identifier: MIT */
/*
 * sanitizer.h: what the layer tells ThreadSanitizer, in a program that was built with it.
 *
 * ThreadSanitizer follows the program's code and libc's functions. It sees neither the layer's
 * locks nor its atomics. So what one thread hands to another through the layer would look like a
 * race in the driver, in libc's allocator or in the program. When it is told of the locks, it knows
 * which came first. In other programs each function here is a load and a branch.
 */
#ifndef TL_LAYER_BASE_LIBC_SANITIZER_H
#define TL_LAYER_BASE_LIBC_SANITIZER_H

#include <stddef.h>

#include "tracelayer/shim.h"

extern void __tsan_acquire(void *address) __attribute__((weak, visibility("default")));
extern void __tsan_release(void *address) __attribute__((weak, visibility("default")));

/* After a lock was taken. */
static inline void tl_tsan_taken(void *lock)
{
	if (TL_UNLIKELY(__tsan_acquire != NULL))
		__tsan_acquire(lock);
}

/* Before it is given back. */
static inline void tl_tsan_given(void *lock)
{
	if (TL_UNLIKELY(__tsan_release != NULL))
		__tsan_release(lock);
}

#endif
