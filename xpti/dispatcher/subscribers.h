/* SPDX-License-Identifier: MIT */
/*
 * subscribers.h: the libraries that XPTI_SUBSCRIBERS names: loading them, telling them of streams,
 * unloading them.
 */
#ifndef TL_XPTI_DISPATCHER_SUBSCRIBERS_H
#define TL_XPTI_DISPATCHER_SUBSCRIBERS_H

#include "xpti/dispatcher/dispatcher_state.h"

struct tl_xpti_subscriber;

/* Load the subscribers that XPTI_SUBSCRIBERS names. Returns how many can be used. */
unsigned tl_xpti_subscribers_load(void);
/*
 * Take all subscribers off the list: from here on the dispatcher tells them nothing. NULL: there
 * are none, or they have to stay loaded, since one of them runs or the caller is in a callback.
 */
struct tl_xpti_subscriber *tl_xpti_subscribers_take(void);
void tl_xpti_subscribers_unload(struct tl_xpti_subscriber *taken);
/* Call xptiTraceInit of all subscribers. */
void tl_xpti_subscribers_init(uint32_t major, uint32_t minor, const char *version,
			      const char *stream);
/* Call xptiTraceFinish of all subscribers. */
void tl_xpti_subscribers_finish(const char *stream);
/* The highest level of detail that a subscriber wants of this stream. */
uint8_t tl_xpti_subscribers_detail(const char *stream);

#endif
