/* SPDX-License-Identifier: MIT */
/* opencl_call.h: a call of the program, as the hooks of this room see it. */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_CALL_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/buffers/buffer.h"
#include "layer/calls/hook.h"
#include "layer/device/opencl/opencl_driver_functions.h"

/* A parameter of a hooked call, as the driver sees it. */
#define TL_CL_PARAM(type, call, i) (*(type *)(call)->params[i])

#define TL_CL_BEFORE(name) void name(struct tl_call *call, void *state)
#define TL_CL_AFTER(name)                                                                          \
	void name(struct tl_call *call, void *state, uint64_t result, bool unwound)

/* The call returned CL_SUCCESS. */
static inline bool tl_cl_succeeded(uint64_t result, bool unwound)
{
	return !unwound && (cl_int)result == CL_SUCCESS;
}

/*
 * As struct tl_device_call, but in ticks, which a call has already. A command's times are converted
 * from ticks in the same way as the call's own record, so the order of the two stays right.
 */
struct tl_cl_call {
	/* first: of a command's .waited, an enqueue writes .end alone */
	uint64_t end, start;
	uint32_t tid, thread;
};

/* In a hook's `after`. */
static inline struct tl_cl_call tl_cl_call_of(const struct tl_call *call)
{
	const struct tl_producer *thread = (const struct tl_producer *)(const void *)call->thread;

	return (struct tl_cl_call){.tid = tl_hook_is_recorded(call) ? thread->shown : 0,
				   .thread = thread->tid,
				   .start = call->start,
				   .end = call->end};
}

#endif
