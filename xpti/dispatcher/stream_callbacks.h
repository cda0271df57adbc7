/* SPDX-License-Identifier: MIT */
/*
 * stream_callbacks.h: turning many callbacks off at once, for the end of a stream and for a reset.
 */
#ifndef TL_XPTI_DISPATCHER_STREAM_CALLBACKS_H
#define TL_XPTI_DISPATCHER_STREAM_CALLBACKS_H

#include "xpti/dispatcher/dispatcher_state.h"

/*
 * Turn the callbacks of a stream off. Returns when none of them runs in another thread. False: the
 * stream never had a callback.
 */
bool tl_xpti_callbacks_off(uint8_t stream);
/*
 * Turn all callbacks off, and forget that there were any. Returns when none of them runs in another
 * thread.
 */
void tl_xpti_callbacks_reset(void);

/* For fork. */
void tl_xpti_callbacks_lock(void);
void tl_xpti_callbacks_unlock(void);

#endif
