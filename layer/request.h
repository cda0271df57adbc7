/*
 * request.h: the request that the calling thread works on, by the number that its program gave it.
 *
 * The calls that a thread makes inside a request carry its number (TL_RECORD_CAUSE), and so does the work that they cause. Such calls are served
 * out of line, so that calls outside of requests cost nothing for it. Who sets it: trace contexts (layer/context.c). A thread has one at a time:
 * requests inside of others are kept by who sets them.
 */
#ifndef TL_LAYER_REQUEST_H
#define TL_LAYER_REQUEST_H

#include <stdint.h>

extern __thread uint32_t tl_request_here __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* 0: none. Async-signal-safe. */
static inline uint32_t tl_request_current(void)
{
	return tl_request_here;
}

/* From now on the calling thread works on this one; 0: on none. Returns the one that it worked on. Async-signal-safe. */
uint32_t tl_request_set(uint32_t request);

#endif
