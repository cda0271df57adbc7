/* SPDX-License-Identifier: MIT */
/*
 * stream_names.h: the numbers of streams, and the level of detail that is wanted of each.
 */
#ifndef TL_XPTI_DISPATCHER_STREAM_NAMES_H
#define TL_XPTI_DISPATCHER_STREAM_NAMES_H

#include "xpti/dispatcher/dispatcher_state.h"

/* The number of a stream, given to it now where it has none. XPTI_INVALID_STREAM: none is left. */
uint8_t tl_xpti_stream_number(const char *name);
/* `level`: enum xpti_detail_level. */
void tl_xpti_stream_set_detail(uint8_t stream, uint8_t level);
/* All streams have the normal level again. */
void tl_xpti_streams_forget_detail(void);

/* For fork. */
void tl_xpti_names_lock(void);
void tl_xpti_names_unlock(void);

#endif
