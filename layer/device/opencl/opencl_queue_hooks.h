/* SPDX-License-Identifier: MIT */
/*
 * opencl_queue_hooks.h: hooks around the functions that create, release and ask about queues.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_QUEUE_HOOKS_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_QUEUE_HOOKS_H

#include "layer/device/opencl/opencl_call.h"

TL_CL_BEFORE(tl_cl_create_queue_before);
TL_CL_AFTER(tl_cl_create_queue_after);
TL_CL_BEFORE(tl_cl_create_listed_queue_before);
TL_CL_AFTER(tl_cl_create_listed_queue_after);
TL_CL_AFTER(tl_cl_retain_queue_after);
TL_CL_BEFORE(tl_cl_release_queue_before);
TL_CL_BEFORE(tl_cl_queue_info_before);
TL_CL_AFTER(tl_cl_queue_info_after);
TL_CL_BEFORE(tl_cl_set_queue_before);
TL_CL_AFTER(tl_cl_set_queue_after);

#endif
