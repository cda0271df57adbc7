/* SPDX-License-Identifier: MIT */
/*
 * time_ns.h: the kernel's times in nanoseconds.
 */
#ifndef TL_CLI_BASICS_TIME_NS_H
#define TL_CLI_BASICS_TIME_NS_H

#include <stdint.h>
#include <time.h>

static inline uint64_t time_ns(struct timespec time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#endif
