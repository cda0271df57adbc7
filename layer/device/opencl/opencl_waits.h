/* SPDX-License-Identifier: MIT */
/*
 * opencl_waits.h: calls that waited for commands: they are noted on the commands, so that the trace
 * has an arrow from a command to the call that waited for it.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_WAITS_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_WAITS_H

#include "layer/device/opencl/opencl_call.h"

/*
 * The call has returned, and so it has waited for these events' commands (and, in in-order queues,
 * for those before them).
 */
void tl_cl_waited_events(const struct tl_call *call, const cl_event *events, cl_uint count);

TL_CL_BEFORE(tl_cl_finish_before);
TL_CL_AFTER(tl_cl_finish_after);
TL_CL_BEFORE(tl_cl_wait_before);
TL_CL_AFTER(tl_cl_wait_after);

#endif
