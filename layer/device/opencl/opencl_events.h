/* SPDX-License-Identifier: MIT */
/*
 * opencl_events.h: hooks around the questions that the program asks about its events.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_EVENTS_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_EVENTS_H

#include "layer/device/opencl/opencl_call.h"

TL_CL_BEFORE(tl_cl_event_info_before);
TL_CL_AFTER(tl_cl_event_info_after);
TL_CL_BEFORE(tl_cl_event_times_before);
TL_CL_AFTER(tl_cl_event_times_after);

#endif
