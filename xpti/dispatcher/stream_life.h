/* SPDX-License-Identifier: MIT */
/*
 * stream_life.h: what framework.c needs of stream_life.c.
 */
#ifndef TL_XPTI_DISPATCHER_STREAM_LIFE_H
#define TL_XPTI_DISPATCHER_STREAM_LIFE_H

#include <stdbool.h>

/* The framework's own stream. It has the first number, 1. */
#define TL_XPTI_FRAMEWORK_STREAM "xpti.framework"

/*
 * True if other code may be waiting for the calling thread: it ends the framework, tells a
 * subscriber something, or is in a callback. Such a thread must not wait.
 */
bool tl_xpti_may_be_waited_for(void);
/* In a forked child, under the life lock: nobody is telling the subscribers anything any more. */
void tl_xpti_stream_life_after_fork(void);

#endif
