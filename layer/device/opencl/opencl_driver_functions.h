/* SPDX-License-Identifier: MIT */
/*
 * opencl_driver_functions.h: the functions of the OpenCL driver that the layer itself calls.
 *
 * They are looked up once, at the first hook that needs them. No lock is held while one is called.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_DRIVER_FUNCTIONS_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_DRIVER_FUNCTIONS_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "layer/device/device_lanes.h"
#include "tracelayer/shim.h"

#define TL_CL_FUNCTIONS(X)                                                                         \
	X(clCreateUserEvent)                                                                       \
	X(clEnqueueMarker)                                                                         \
	X(clGetCommandQueueInfo)                                                                   \
	X(clGetContextInfo)                                                                        \
	X(clGetDeviceAndHostTimer)                                                                 \
	X(clGetDeviceInfo)                                                                         \
	X(clGetEventInfo)                                                                          \
	X(clGetEventProfilingInfo)                                                                 \
	X(clGetImageInfo)                                                                          \
	X(clGetKernelInfo)                                                                         \
	X(clGetKernelWorkGroupInfo)                                                                \
	X(clGetMemObjectInfo)                                                                      \
	X(clGetPlatformInfo)                                                                       \
	X(clReleaseEvent)                                                                          \
	X(clRetainEvent)

/* A member is NULL where the driver lacks the function. */
#define TL_CL_MEMBER(name) __typeof__(&(name)) name;
struct tl_cl_driver {
	TL_CL_FUNCTIONS(TL_CL_MEMBER)
};
#undef TL_CL_MEMBER
extern struct tl_cl_driver tl_cl;

/* Whether they are known. Stored with release, loaded with acquire: then tl_cl is filled in. */
enum tl_cl_known { TL_CL_UNKNOWN, TL_CL_LACKING, TL_CL_USABLE };
extern _Atomic enum tl_cl_known tl_cl_known;

/* Look them up. True: all that the layer can't do without are there. */
bool tl_cl_know(void);

/*
 * The driver may be called: its functions are known, and the lanes have not ended. Hooks that call
 * the driver check this first.
 */
static inline bool tl_cl_ready(void)
{
	return !tl_device_has_ended() &&
	       (TL_LIKELY(atomic_load_explicit(&tl_cl_known, memory_order_acquire) ==
			  TL_CL_USABLE) ||
		tl_cl_know());
}

void tl_cl_driver_functions_after_fork(void);

#endif
