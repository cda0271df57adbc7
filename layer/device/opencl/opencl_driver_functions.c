/* SPDX-License-Identifier: MIT */
/*
 * opencl_driver_functions.c: see opencl_driver_functions.h.
 */
#include "layer/device/opencl/opencl_driver_functions.h"

#include <pthread.h>

#include "layer/base/cache_near.h"
#include "layer/calls/hook.h"

struct tl_cl_driver tl_cl;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held during the lookup */
_Atomic enum tl_cl_known tl_cl_known TL_NEAR;

static void driver_find_functions(void)
{
#define FIND(name) tl_cl.name = (__typeof__(tl_cl.name))tl_hook_real(#name);
	TL_CL_FUNCTIONS(FIND)
#undef FIND
}

static bool driver_has_functions(void)
{
	return tl_cl.clGetEventInfo && tl_cl.clGetEventProfilingInfo && tl_cl.clReleaseEvent &&
	       tl_cl.clRetainEvent && tl_cl.clGetDeviceInfo && tl_cl.clGetCommandQueueInfo;
}

bool tl_cl_know(void)
{
	pthread_mutex_lock(&lock);
	if (atomic_load_explicit(&tl_cl_known, memory_order_relaxed) == TL_CL_UNKNOWN) {
		driver_find_functions();
		atomic_store_explicit(&tl_cl_known,
				      driver_has_functions() ? TL_CL_USABLE : TL_CL_LACKING,
				      memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return atomic_load_explicit(&tl_cl_known, memory_order_relaxed) == TL_CL_USABLE;
}

void tl_cl_driver_functions_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
}
