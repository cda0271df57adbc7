/* SPDX-License-Identifier: MIT */
/*
 * memory_limits.h: how much memory the calling process may have.
 *
 * The functions use system calls only, and allocate nothing. errno may change.
 */
#ifndef TL_COMMON_MEMORY_LIMITS_H
#define TL_COMMON_MEMORY_LIMITS_H

#include <stdint.h>

/*
 * The least limit of addresses, in bytes: RLIMIT_AS and RLIMIT_DATA. UINT64_MAX: there is none. May
 * run in any thread.
 */
uint64_t tl_limits_addresses(void);

/*
 * The least of the limits of its memory cgroup (version 1 or 2) and of all cgroups above that it can
 * see, in bytes; UINT64_MAX: there is none. Two threads must not call this at once: its buffers are
 * static. `root`: where to look for /proc and the cgroups' file systems; "" except in tests.
 */
uint64_t tl_limits_cgroup(const char *root);

#endif
