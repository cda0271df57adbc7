/* SPDX-License-Identifier: MIT */
/*
 * request.h: the number of the request that the calling thread works on. The program gives it.
 *
 * The calls that a thread makes inside a request have its number in their records
 * (TL_RECORD_CAUSE), and so does the work that they cause. Both are recorded only if the request's
 * levels include theirs. Such calls take the slow path, so that calls outside requests cost nothing
 * more. Trace contexts set the request (layer/program/context_request.c). A thread has one request
 * at a time here: trace contexts keep those around it.
 */
#ifndef TL_LAYER_CALLS_REQUEST_H
#define TL_LAYER_CALLS_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One word, so that a signal handler sees all of a request or nothing: its number, its levels,
 * INSIDE. 0: the thread is in no request.
 */
#define TL_REQUEST_LEVELS 32
#define TL_REQUEST_INSIDE (UINT64_C(1) << 63)

extern __thread uint64_t tl_request_here
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Async-signal-safe, like all functions here. */
static inline bool tl_request_inside(void)
{
	return tl_request_here != 0;
}

/* 0: no request, or one that has no number. */
static inline uint32_t tl_request_current(void)
{
	return (uint32_t)tl_request_here;
}

/*
 * Whether the request allows to record what the calling thread does or causes now; `level`: enum
 * tl_level.
 */
static inline bool tl_request_wants(uint32_t level)
{
	return !tl_request_inside() || (tl_request_here >> TL_REQUEST_LEVELS & level & 0xff);
}

/* From now on the calling thread works on this request, with these levels; or on none. */
void tl_request_set(uint32_t request, uint32_t levels);
void tl_request_set_none(void);

#endif
