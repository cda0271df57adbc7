/* SPDX-License-Identifier: MIT */
/*
 * opencl_hooks.c: OpenCL's device lanes put together: the table of all hooks, the end, forks.
 */
#include "layer/device/opencl/opencl.h"

#include "layer/buffers/buffer.h"
#include "layer/device/opencl/opencl_collect.h"
#include "layer/device/opencl/opencl_devices.h"
#include "layer/device/opencl/opencl_driver_functions.h"
#include "layer/device/opencl/opencl_enqueue_table.h"
#include "layer/device/opencl/opencl_enqueues.h"
#include "layer/device/opencl/opencl_events.h"
#include "layer/device/opencl/opencl_kernels.h"
#include "layer/device/opencl/opencl_memory.h"
#include "layer/device/opencl/opencl_queue_hooks.h"
#include "layer/device/opencl/opencl_queues.h"
#include "layer/device/opencl/opencl_waiting.h"
#include "layer/device/opencl/opencl_waits.h"

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
	{"clGetContextInfo", tl_cl_context_info_before, NULL, TL_HOOK_PLAIN},
	{"clReleaseContext", tl_cl_release_context_before, NULL, TL_HOOK_PLAIN},

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

static const struct tl_hook *const lists[] = {hooks, NULL};

/* A thread may have ended before it noted what its call waited for. */
static void thread_begins(struct tl_producer *producer)
{
	atomic_store_explicit(&tl_cl_thread_of(producer)->waiting, NULL, memory_order_relaxed);
}

/* What was under way is the parent's. */
static void after_fork(void)
{
	for (struct tl_producer *producer = tl_buffer_producers(); producer;
	     producer = producer->next)
		thread_begins(producer);
	tl_cl_driver_functions_after_fork();
	tl_cl_enqueues_after_fork();
	tl_cl_queues_after_fork();
	tl_cl_devices_after_fork();
	tl_cl_kernels_after_fork();
	tl_cl_memory_after_fork();
}

const struct tl_device_api tl_device_opencl = {
	.prefix = "cl",
	.hooks = lists,
	.end = tl_cl_collect_end,
	.await = tl_cl_collect_await,
	.give_up = tl_cl_give_up,
	.collect = tl_cl_collect_some,
	.awaits = tl_cl_awaits,
	.thread_begins = thread_begins,
	.after_fork = after_fork,
};
