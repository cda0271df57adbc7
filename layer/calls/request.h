/* SPDX-License-Identifier: MIT */
/*
 * request.h: the request that the calling thread works on, by the number that its program gave it.
 *
 * The calls that a thread makes inside a request carry its number (TL_RECORD_CAUSE), and so does
 * the work that they cause. Both are recorded only where the request's levels have theirs. Such
 * calls are served out of line, so that calls outside of requests cost nothing for it. Who sets it:
 * trace contexts (layer/program/context_request.c). A thread has one at a time: requests inside of
 * others are kept by who sets them.
 */
#ifndef TL_LAYER_CALLS_REQUEST_H
#define TL_LAYER_CALLS_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One word, so that a signal handler sees all of a request or nothing: its number, its levels,
 * INSIDE. 0: in none.
 */
#define TL_REQUEST_LEVELS 32
#define TL_REQUEST_INSIDE (UINT64_C(1) << 63)

extern __thread uint64_t tl_request_here
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Async-signal-safe, as is all here. */
static inline bool tl_request_inside(void)
{
	return tl_request_here != 0;
}

/* 0: none, or one that has no number. */
static inline uint32_t tl_request_current(void)
{
	return (uint32_t)tl_request_here;
}

/*
 * What the calling thread does or causes now is to be recorded, as far as its request has a say;
 * `level`: enum tl_level.
 */
static inline bool tl_request_wants(uint32_t level)
{
	return !tl_request_inside() || (tl_request_here >> TL_REQUEST_LEVELS & level & 0xff);
}

/* From now on the calling thread works on this one, whose levels are these; or on none. */
void tl_request_set(uint32_t request, uint32_t levels);
void tl_request_set_none(void);

#endif
