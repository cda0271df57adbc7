/* SPDX-License-Identifier: MIT */
/*
 * Objects that are not destroyed as they should be, for the leaks tool; and failures that it is
 * told of.
 *
 *	tool_objects ze		one event and one allocation are never destroyed; one event is
 *				destroyed twice, and used after that
 *	tool_objects clean	everything is destroyed, once
 *	tool_objects cl		OpenCL: a buffer is retained once too often, and a command's event
 *				is not released; one event and a retained buffer are
 *	tool_objects late	a destructor of the program destroys its event
 *	tool_objects buffers N	OpenCL: make N buffers, print each one's error code, and release
 *				what there is
 *
 * The wrong calls never reach the driver where the faults tool keeps them away from it.
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ze_app.h"

static struct ze_app app;
static ze_event_pool_handle_t pool;
static ze_event_handle_t kept;

void make_leaked_event(void);

/* Seen from outside, so that backtraces name it. */
__attribute__((noinline)) void make_leaked_event(void)
{
	ze_event_handle_t event = ze_app_event(pool, 0);

	printf("leaked %p\n", (void *)event);
}

static void open_ze(void)
{
	ze_app_open(&app);
	pool = ze_app_pool(&app, 8, 0);
}

static void close_ze(void)
{
	zeEventPoolDestroy(pool);
	ze_app_close(&app);
}

static void wrong_ze(void)
{
	ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
	ze_event_handle_t event;
	void *memory;

	open_ze();
	make_leaked_event();
	MUST(zeMemAllocHost(app.context, &desc, 64, 8, &memory));
	event = ze_app_event(pool, 1);
	printf("twice %p\n", (void *)event);
	MUST(zeEventDestroy(event));
	zeEventDestroy(event);
	zeEventHostReset(event);
	close_ze();
}

static void clean_ze(void)
{
	ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
	void *memory;

	open_ze();
	MUST(zeMemAllocHost(app.context, &desc, 64, 8, &memory));
	/* The same handles come again and again. */
	for (int i = 0; i < 100; i++)
		MUST(zeEventDestroy(ze_app_event(pool, 0)));
	MUST(zeMemFree(app.context, memory));
	close_ze();
}

static void late_ze(void)
{
	open_ze();
	kept = ze_app_event(pool, 0);
}

static __attribute__((destructor)) void unload(void)
{
	if (kept)
		zeEventDestroy(kept);
}

static cl_context context;
static cl_command_queue queue;

static void open_cl(void)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_int error;

	if (clGetPlatformIDs(1, &platform, NULL) ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		exit(77);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
}

static void close_cl(void)
{
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
}

static void wrong_cl(void)
{
	cl_event event[2];
	char bytes[64] = "";
	cl_int error;

	open_cl();
	cl_mem right = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(bytes), NULL, &error);
	cl_mem wrong = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(bytes), NULL, &error);
	clRetainMemObject(right);
	clRetainMemObject(wrong);
	for (int i = 0; i < 2; i++)
		clEnqueueWriteBuffer(queue, right, CL_TRUE, 0, sizeof(bytes), bytes, 0, NULL,
				     &event[i]);
	clReleaseEvent(event[0]);
	clReleaseMemObject(right);
	clReleaseMemObject(right);
	clReleaseMemObject(wrong);
	close_cl();
}

static void buffers(int count)
{
	open_cl();
	for (int i = 0; i < count; i++) {
		cl_int error = 1;
		cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);
		printf("%d%s ", error, !buffer == !error ? " (wrong)" : "");
		if (buffer)
			clReleaseMemObject(buffer);
	}
	puts("");
	close_cl();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "ze"))
		wrong_ze();
	else if (!strcmp(what, "clean"))
		clean_ze();
	else if (!strcmp(what, "late"))
		late_ze();
	else if (!strcmp(what, "cl"))
		wrong_cl();
	else if (!strcmp(what, "buffers") && argc == 3)
		buffers(atoi(argv[2]));
	else
		return 2;
	return 0;
}
