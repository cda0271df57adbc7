/* SPDX-License-Identifier: MIT */
/*
 * timeline_notified.h: what a notification becomes.
 */
#ifndef TL_XPTI_TIMELINE_TIMELINE_NOTIFIED_H
#define TL_XPTI_TIMELINE_TIMELINE_NOTIFIED_H

#include <stdint.h>

#include "tracelayer/xpti.h"

/* Record a notification of a stream. Called in the notifying thread. Keeps errno. */
void timeline_notified(uint16_t type, xpti_event *parent, xpti_event *object, uint64_t instance,
		       const void *user_data, uint8_t stream);
/* The process ends: all that is open is recorded as unfinished. */
void timeline_at_end(void);

#endif
