/* SPDX-License-Identifier: MIT */
/*
 * request.c: see request.h.
 */
#include "layer/calls/request.h"

#include "layer/calls/open_calls.h"
#include "layer/calls/thread.h"

__thread uint64_t tl_request_here;

static void request_set(uint64_t request)
{
	/* Calls that were left by longjmp belong to the former request. */
	if (tl_self)
		tl_call_end_left(tl_self, TL_CALLER);
	tl_request_here = request;
	if (tl_self)
		tl_thread_serve_inline(tl_self);
}

void tl_request_set(uint32_t request, uint32_t levels)
{
	request_set(TL_REQUEST_INSIDE | (uint64_t)(levels & 0xff) << TL_REQUEST_LEVELS | request);
}

void tl_request_set_none(void)
{
	request_set(0);
}
