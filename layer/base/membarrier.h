/* SPDX-License-Identifier: MIT */
/*
 * membarrier.h: one thread makes a full memory barrier in every running thread of the process. The
 * other threads need no fence of their own.
 *
 * Any thread; async-signal-safe. A forked child inherits the registration.
 */
#ifndef TL_LAYER_BASE_MEMBARRIER_H
#define TL_LAYER_BASE_MEMBARRIER_H

#include <linux/membarrier.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Call this before the first barrier. False: the kernel has none, or a sandbox forbids it. */
static inline bool tl_membarrier_register(void)
{
	return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static inline void tl_membarrier(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

#endif
