/*
 * request.c: see request.h.
 */
#include "layer/request.h"

#include "layer/thread.h"

__thread uint32_t tl_request_here;

uint32_t tl_request_set(uint32_t request)
{
	uint32_t former = tl_request_here;

	tl_request_here = request;
	if (tl_self)
		tl_thread_serve_inline(tl_self);
	return former;
}
