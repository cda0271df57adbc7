/* SPDX-License-Identifier: MIT */
/*
 * opencl.c: device lanes of OpenCL: the hooks, the driver's functions, the end. opencl.h tells what
 * the other files have.
 */
#include "layer/device/opencl/opencl.h"

#include "layer/device/device.h"
#include "layer/device/opencl/opencl_commands.h"
#include "layer/base/cache_near.h"

struct tl_cl_driver tl_cl;

/* --- the driver's functions */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* who looks for them */
_Atomic enum tl_cl_known tl_cl_known TL_NEAR;

static void find_functions(void)
{
#define FIND(name) tl_cl.name = (__typeof__(tl_cl.name))tl_hook_real(#name);
	TL_CL_FUNCTIONS(FIND)
#undef FIND
}

static bool has_functions(void)
{
	return tl_cl.clGetEventInfo && tl_cl.clGetEventProfilingInfo && tl_cl.clReleaseEvent &&
	       tl_cl.clRetainEvent && tl_cl.clGetDeviceInfo && tl_cl.clGetCommandQueueInfo;
}

bool tl_cl_know(void)
{
	pthread_mutex_lock(&lock);
	if (atomic_load_explicit(&tl_cl_known, memory_order_relaxed) == TL_CL_UNKNOWN) {
		find_functions();
		atomic_store_explicit(&tl_cl_known, has_functions() ? TL_CL_USABLE : TL_CL_LACKING,
				      memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return atomic_load_explicit(&tl_cl_known, memory_order_relaxed) == TL_CL_USABLE;
}

/* --- the hooks */

#define COMMAND(function, ...)                                                                     \
	{#function, tl_cl_enqueue_before, tl_cl_enqueue_after, TL_HOOK_STRAIGHT},
#define OBJECT(function)     {#function, NULL, tl_cl_create_object_after, TL_HOOK_PLAIN},
#define ALLOCATION(function) {#function, NULL, tl_cl_allocate_after, TL_HOOK_PLAIN},

static const struct tl_hook hooks[] = {
	TL_CL_COMMANDS(COMMAND)

		{"clCreateCommandBufferKHR", NULL, tl_cl_create_buffer_of_commands_after,
		 TL_HOOK_PLAIN},
	{"clFinish", tl_cl_finish_before, tl_cl_finish_after, TL_HOOK_STRAIGHT},
	{"clWaitForEvents", tl_cl_wait_before, tl_cl_wait_after, TL_HOOK_STRAIGHT},

	{"clCreateCommandQueue", tl_cl_create_queue_before, tl_cl_create_queue_after,
	 TL_HOOK_PLAIN},
	{"clCreateCommandQueueWithProperties", tl_cl_create_listed_queue_before,
	 tl_cl_create_listed_queue_after, TL_HOOK_PLAIN},
	{"clCreateCommandQueueWithPropertiesKHR", tl_cl_create_listed_queue_before,
	 tl_cl_create_listed_queue_after, TL_HOOK_PLAIN},
	{"clRetainCommandQueue", NULL, tl_cl_retain_queue_after, TL_HOOK_PLAIN},
	{"clReleaseCommandQueue", tl_cl_release_queue_before, NULL, TL_HOOK_PLAIN},
	{"clGetCommandQueueInfo", tl_cl_queue_info_before, tl_cl_queue_info_after, TL_HOOK_PLAIN},
	{"clSetCommandQueueProperty", tl_cl_set_queue_before, tl_cl_set_queue_after, TL_HOOK_PLAIN},

	{"clGetEventInfo", tl_cl_event_info_before, tl_cl_event_info_after, TL_HOOK_PLAIN},
	{"clGetEventProfilingInfo", tl_cl_event_times_before, tl_cl_event_times_after,
	 TL_HOOK_PLAIN},
	{"clGetContextInfo", tl_cl_collect_before, NULL, TL_HOOK_PLAIN},
	{"clReleaseContext", tl_cl_collect_before, NULL, TL_HOOK_PLAIN},

	{"clReleaseKernel", tl_cl_release_kernel_before, NULL, TL_HOOK_PLAIN},

	OBJECT(clCreateBuffer) OBJECT(clCreateBufferWithProperties) OBJECT(
		clCreateBufferWithPropertiesINTEL) OBJECT(clCreateSubBuffer) OBJECT(clCreateImage)
		OBJECT(clCreateImageWithProperties) OBJECT(clCreateImage2D) OBJECT(clCreateImage3D)
			OBJECT(clCreatePipe){"clRetainMemObject", NULL, tl_cl_retain_object_after,
					     TL_HOOK_PLAIN},
	{"clReleaseMemObject", tl_cl_release_object_before, tl_cl_release_object_after,
	 TL_HOOK_PLAIN},
	ALLOCATION(clSVMAlloc) ALLOCATION(clSVMAllocARM) ALLOCATION(clHostMemAllocINTEL)
		ALLOCATION(clDeviceMemAllocINTEL) ALLOCATION(clSharedMemAllocINTEL){
			"clSVMFree", tl_cl_free_before, NULL, TL_HOOK_PLAIN},
	{"clSVMFreeARM", tl_cl_free_before, NULL, TL_HOOK_PLAIN},
	{"clMemFreeINTEL", tl_cl_free_before, NULL, TL_HOOK_PLAIN},
	{"clMemBlockingFreeINTEL", tl_cl_free_before, NULL, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

static void after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	tl_cl_commands_after_fork();
	tl_cl_queues_after_fork();
	tl_cl_devices_after_fork();
	tl_cl_kernels_after_fork();
	tl_cl_memory_after_fork();
}

const struct tl_device_api tl_device_opencl = {
	.prefix = "cl",
	.hooks = hooks,
	.end = tl_cl_collect_end,
	.collect = tl_cl_collect_some,
	.awaits = tl_cl_awaits,
	.after_fork = after_fork,
};
