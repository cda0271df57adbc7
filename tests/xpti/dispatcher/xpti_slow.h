/* SPDX-License-Identifier: MIT */
/*
 * xpti_slow.h: a callback that takes its time, for tests of who waits for it.
 */
#ifndef TESTS_XPTI_SLOW_H
#define TESTS_XPTI_SLOW_H

#include <stdint.h>
#include <unistd.h>

#include "tracelayer/xpti.h"

/* How many threads are in slow; whether they may leave it. */
static _Atomic int inside, may_leave;

static inline void slow(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
			const void *user_data)
{
	(void)type, (void)parent, (void)object, (void)instance, (void)user_data;
	inside++;
	while (!may_leave)
		usleep(1000);
	usleep(20000);
	inside--;
}

/* A thread that lets them leave, after a while. */
static inline void *leaver(void *unused)
{
	usleep(50000);
	may_leave = 1;
	return unused;
}

#endif
