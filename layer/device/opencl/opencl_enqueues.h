/* SPDX-License-Identifier: MIT */
/*
 * opencl_enqueues.h: hooks around the functions that enqueue something.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_ENQUEUES_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_ENQUEUES_H

#include <stdbool.h>

#include "layer/device/opencl/opencl_call.h"

/*
 * The driver makes this call itself, inside of a call of the program that enqueues something or
 * creates a queue.
 */
bool tl_cl_is_inner(const struct tl_call *call);
static inline bool tl_cl_is_drivers(const struct tl_call *call)
{
	return TL_UNLIKELY(call->open != call->thread->open) && tl_cl_is_inner(call);
}

TL_CL_BEFORE(tl_cl_enqueue_before);
TL_CL_AFTER(tl_cl_enqueue_after);
TL_CL_AFTER(tl_cl_create_buffer_of_commands_after);
void tl_cl_enqueues_after_fork(void);

#endif
