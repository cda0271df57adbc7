/* SPDX-License-Identifier: MIT */
/*
 * cl_passing.c: a layer of OpenCL's loader that is gone after its exit handler has run. It registers
 * that when a context is made. The handler takes its time; a question about an event, or its
 * release, ends the process from then on.
 *
 *	OPENCL_LAYERS=FILE ./program
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <stdlib.h>
#include <string.h>

#include <CL/cl_layer.h>

#include "tests/lib/passing.h"

#define EXPORT __attribute__((visibility("default")))

static struct _cl_icd_dispatch own, next;

static cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint count,
					     const cl_device_id *devices,
					     void(CL_CALLBACK *notify)(const char *, const void *,
								       size_t, void *),
					     void *user, cl_int *error)
{
	atexit(leave);
	return next.clCreateContext(properties, count, devices, notify, user, error);
}

static cl_int CL_API_CALL event_info(cl_event event, cl_event_info name, size_t size, void *value,
				     size_t *needed)
{
	check();
	return next.clGetEventInfo(event, name, size, value, needed);
}

static cl_int CL_API_CALL profiling_info(cl_event event, cl_profiling_info name, size_t size,
					 void *value, size_t *needed)
{
	check();
	return next.clGetEventProfilingInfo(event, name, size, value, needed);
}

static cl_int CL_API_CALL release_event(cl_event event)
{
	check();
	return next.clReleaseEvent(event);
}

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value,
					 size_t *needed)
{
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

	if (name != CL_LAYER_API_VERSION)
		return CL_INVALID_VALUE;
	if (value && size >= sizeof(version))
		memcpy(value, &version, sizeof(version));
	if (needed)
		*needed = sizeof(version);
	return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint count, const struct _cl_icd_dispatch *target,
				      cl_uint *entries, const struct _cl_icd_dispatch **dispatch)
{
	if (count < sizeof(own) / sizeof(void *))
		return CL_INVALID_VALUE;
	own = next = *target;
	own.clCreateContext = create_context;
	own.clGetEventInfo = event_info;
	own.clGetEventProfilingInfo = profiling_info;
	own.clReleaseEvent = release_event;
	*entries = sizeof(own) / sizeof(void *);
	*dispatch = &own;
	return CL_SUCCESS;
}
