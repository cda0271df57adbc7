/* SPDX-License-Identifier: MIT */
/*
 * event_metadata.h: the map from string ids to object ids that each event has.
 */
#ifndef TL_XPTI_DISPATCHER_EVENT_METADATA_H
#define TL_XPTI_DISPATCHER_EVENT_METADATA_H

#include "xpti/dispatcher/dispatcher_state.h"

void tl_xpti_metadata_init(xpti_metadata *map);
/*
 * `found` is a copy of what lies at `address`. True if it looks like an event with a map, or like
 * an event that a program in C has set to zero and given a payload.
 */
bool tl_xpti_metadata_can_be(const xpti_event *found, const xpti_event *address);
/* Free what the map holds, and make it empty. */
void tl_xpti_metadata_clear(xpti_metadata *map);

/* For fork. */
void tl_xpti_metadata_lock(void);
void tl_xpti_metadata_unlock(void);

#endif
