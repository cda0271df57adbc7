/* SPDX-License-Identifier: MIT */
/*
 * memory_limits.h: how much memory the calling process may have.
 *
 * The functions use system calls only, and allocate nothing. Two threads must not call these
 * functions at once: their buffers are static. errno may change.
 */
#ifndef TL_COMMON_MEMORY_LIMITS_H
#define TL_COMMON_MEMORY_LIMITS_H

#include <stdint.h>

/*
 * The least of its limits, in bytes; UINT64_MAX: there is none. Those are RLIMIT_AS, RLIMIT_DATA,
 * and the limits of its memory cgroup (version 1 or 2) and of all cgroups above that it can see.
 * `root`: where to look for /proc and the cgroups' file systems; "" except in tests.
 */
uint64_t tl_limits_memory(const char *root);

/* The same for addresses alone: RLIMIT_AS and RLIMIT_DATA. May run in any thread. */
uint64_t tl_limits_addresses(void);

/* The same for the memory cgroups alone. */
uint64_t tl_limits_cgroup(const char *root);

#endif
