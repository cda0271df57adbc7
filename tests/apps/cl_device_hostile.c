/* SPDX-License-Identifier: MIT */
/*
 * cl_device_hostile: what no polite program does with events and queues, but may do. Prints what
 * the driver says and "commands N".
 */
#include <errno.h>

#include "cl_device.h"

#define MANY 200

static struct device device;
static cl_command_queue queue;
static cl_kernel empty;
static cl_mem mem;

static cl_int counted(cl_int error)
{
	device_commands += error == CL_SUCCESS;
	return error;
}

static void said(const char *what, cl_int error)
{
	printf("%s: %d\n", what, (int)error);
}

static cl_event gate(void)
{
	cl_int error;
	cl_event event = clCreateUserEvent(device.app.context, &error);

	CHECK(error, "clCreateUserEvent");
	return event;
}

static void open_gate(cl_event event)
{
	DO(clSetUserEventStatus(event, CL_COMPLETE));
	DO(clReleaseEvent(event));
}

/* --- events that are given up while their commands are under way */

static void release_early(void)
{
	cl_event held = gate(), event, other;

	device_run(queue, empty, 1, &held, &event);
	DO(clReleaseEvent(event));
	device_run(queue, empty, 1, &held, &event);
	DO(clRetainEvent(event));
	device_run(queue, empty, 1, &event, &other);
	DO(clReleaseEvent(event));
	DO(clReleaseEvent(event));
	DO(clRetainEvent(other));
	DO(clReleaseEvent(other));
	open_gate(held);
	DO(clWaitForEvents(1, &other));
	DO(clReleaseEvent(other));
	DO(clFinish(queue));
}

static atomic_uint called;

static void CL_CALLBACK release_in_callback(cl_event event, cl_int status, void *with)
{
	DO(clReleaseEvent(event));
	called++;
}

static void await_calls(unsigned calls)
{
	for (int i = 0; i < 10000 && called < calls; i++)
		usleep(1000);
	printf("%u callbacks\n", called);
	called = 0;
}

static void release_in_callbacks(void)
{
	cl_event held = gate(), events[8];

	for (int i = 0; i < 8; i++) {
		device_run(queue, empty, 1, &held, &events[i]);
		DO(clSetEventCallback(events[i], i % 2 ? CL_COMPLETE : CL_RUNNING,
				      release_in_callback, NULL));
	}
	open_gate(held);
	DO(clFinish(queue));
	await_calls(8);
}

/* --- the same variable for all of them */

static void reuse_the_pointer(void)
{
	cl_event event = NULL, first, lost;

	for (int i = 0; i < 5; i++) {
		device_run(queue, empty, 0, NULL, &event);
		DO(clReleaseEvent(event));
	}
	/* Lost: never released. */
	device_run(queue, empty, 0, NULL, &lost);
	device_run(queue, empty, 0, NULL, &lost);
	if (device.is_test_driver) {
		/* It waits for what it is about to overwrite. PoCL dies of it. */
		device_run(queue, empty, 0, NULL, &event);
		first = event;
		device_run(queue, empty, 1, &event, &event);
		said("another event", event != first);
		DO(clWaitForEvents(1, &event));
		DO(clReleaseEvent(first));
		DO(clReleaseEvent(event));
	}
	DO(clFinish(queue));
}

/* --- commands that callbacks enqueue */

static void CL_CALLBACK enqueue_more(cl_event event, cl_int status, void *left)
{
	cl_event next;

	if (left) {
		device_run(queue, empty, 0, NULL, &next);
		DO(clSetEventCallback(next, CL_COMPLETE, enqueue_more,
				      (void *)((uintptr_t)left - 1)));
		DO(clFlush(queue));
	}
	DO(clReleaseEvent(event));
	called++;
}

static void enqueue_in_callbacks(void)
{
	cl_event event;

	device_run(queue, empty, 0, NULL, &event);
	DO(clSetEventCallback(event, CL_COMPLETE, enqueue_more, (void *)10));
	DO(clFlush(queue));
	await_calls(11);
	DO(clFinish(queue));
}

/* --- queues that go while they have commands */

static void release_queue_under_way(void)
{
	cl_event held = gate(), last;
	cl_command_queue short_lived = device_queue(&device, 0);
	cl_kernel kernel = device_kernel(&device, "empty");
	cl_mem short_buffer = device_buffer(&device);
	char bytes[16] = "";

	device_commands += 2;
	DO(clEnqueueFillBuffer(short_lived, short_buffer, "x", 1, 0, 16, 1, &held, NULL));
	device_run(short_lived, kernel, 0, NULL, NULL);
	DO(clEnqueueReadBuffer(short_lived, short_buffer, CL_FALSE, 0, 15, bytes, 0, NULL, &last));
	DO(clFlush(short_lived));
	DO(clReleaseKernel(kernel));
	DO(clReleaseMemObject(short_buffer));
	if (device.is_test_driver) /* PoCL would wait for them */
		DO(clReleaseCommandQueue(short_lived));
	open_gate(held);
	DO(clWaitForEvents(1, &last));
	if (!device.is_test_driver)
		DO(clReleaseCommandQueue(short_lived));
	DO(clReleaseEvent(last));
	printf("it read %s\n", bytes);
}

static void CL_CALLBACK release_queue(cl_event event, cl_int status, void *which)
{
	DO(clReleaseCommandQueue(which));
	called++;
}

static void release_queue_in_callback(void)
{
	cl_command_queue short_lived = device_queue(&device, CL_QUEUE_PROFILING_ENABLE);
	cl_event event;

	if (!device.is_test_driver) {
		DO(clReleaseCommandQueue(short_lived));
		return;
	}
	device_run(short_lived, empty, 0, NULL, &event);
	DO(clSetEventCallback(event, CL_COMPLETE, release_queue, short_lived));
	await_calls(1);
	DO(clReleaseEvent(event));
}

static void many_queues(void)
{
	for (int i = 0; i < MANY; i++) {
		cl_command_queue one = device_queue(&device, i % 2 ? CL_QUEUE_PROFILING_ENABLE : 0);

		device_run(one, empty, 0, NULL, NULL);
		device_run(one, empty, 0, NULL, NULL);
		DO(clFinish(one));
		DO(clReleaseCommandQueue(one));
	}
}

static void many_events(void)
{
	cl_event events[MANY];

	for (int i = 0; i < MANY; i++)
		device_run(queue, empty, 0, NULL, &events[i]);
	DO(clWaitForEvents(MANY, events));
	for (int i = MANY; i--;)
		DO(clReleaseEvent(events[i]));
}

/* --- commands that fail */

static void fail(void)
{
	cl_event failed, behind;
	cl_int status;

	if (!device.is_test_driver)
		return;
	cl_kernel kernel =
		device_kernel_with(&device, "fail", (cl_uint)CL_OUT_OF_RESOURCES, sizeof(cl_uint));

	device_run(queue, kernel, 0, NULL, &failed);
	device_run(queue, kernel, 0, NULL, NULL);
	device_run(queue, empty, 1, &failed, &behind);
	said("a command that fails", clWaitForEvents(1, &failed));
	said("one behind it", clWaitForEvents(1, &behind));
	DO(clFinish(queue));
	DO(clGetEventInfo(behind, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
			  NULL));
	said("its status", status);
	DO(clReleaseEvent(failed));
	DO(clReleaseEvent(behind));
	DO(clReleaseKernel(kernel));
	/* A user event may fail, too. */
	cl_event held = gate();
	device_run(queue, empty, 1, &held, &behind);
	DO(clSetUserEventStatus(held, -7));
	said("behind a user event that fails", clWaitForEvents(1, &behind));
	DO(clReleaseEvent(held));
	DO(clReleaseEvent(behind));
}

/* --- NULL, and what else is refused */

static void nothing(void)
{
	if (!device.is_test_driver) /* PoCL dies of some of it */
		return;

	const size_t zero[3] = {0}, one[3] = {1, 1, 1};
	const cl_event none = NULL;
	char bytes[64] = "";
	cl_int error;

	said("read", counted(clEnqueueReadBuffer(NULL, NULL, CL_TRUE, 0, 0, NULL, 0, NULL, NULL)));
	said("read",
	     counted(clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 8, bytes, 0, NULL, NULL)));
	said("read", counted(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 8, NULL, 0, NULL, NULL)));
	said("read", counted(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 8, bytes, 1, NULL, NULL)));
	said("read",
	     counted(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, 8, bytes, 1, &none, NULL)));
	said("write",
	     counted(clEnqueueWriteBuffer(NULL, mem, CL_TRUE, 0, 8, bytes, 0, NULL, NULL)));
	said("copy", counted(clEnqueueCopyBuffer(queue, NULL, NULL, 0, 0, 8, 0, NULL, NULL)));
	said("fill", counted(clEnqueueFillBuffer(queue, mem, NULL, 0, 0, 8, 0, NULL, NULL)));
	said("kernel",
	     counted(clEnqueueNDRangeKernel(queue, NULL, 1, NULL, one, NULL, 0, NULL, NULL)));
	said("kernel",
	     counted(clEnqueueNDRangeKernel(NULL, empty, 1, NULL, one, NULL, 0, NULL, NULL)));
	said("kernel",
	     counted(clEnqueueNDRangeKernel(queue, empty, 0, NULL, zero, NULL, 0, NULL, NULL)));
	said("migrate", counted(clEnqueueMigrateMemObjects(queue, 0, NULL, 0, 0, NULL, NULL)));
	said("marker", counted(clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL)));
	said("barrier", counted(clEnqueueBarrierWithWaitList(NULL, 0, NULL, NULL)));
	said("barrier", counted(clEnqueueBarrier(NULL)));
	said("old marker", counted(clEnqueueMarker(queue, NULL)));
	said("unmap", counted(clEnqueueUnmapMemObject(queue, NULL, NULL, 0, NULL, NULL)));
	said("map",
	     (clEnqueueMapBuffer(queue, NULL, CL_TRUE, 0, 0, 8, 0, NULL, NULL, &error), error));
	said("map", clEnqueueMapBuffer(NULL, NULL, CL_TRUE, 0, 0, 8, 0, NULL, NULL, NULL) != NULL);
	said("wait", clWaitForEvents(1, &none));
	said("wait", clWaitForEvents(0, NULL));
	said("finish", clFinish(NULL));
	said("flush", clFlush(NULL));
	said("retain", clRetainEvent(NULL));
	said("release", clReleaseEvent(NULL));
	said("retain", clRetainCommandQueue(NULL));
	said("release", clReleaseCommandQueue(NULL));
	said("callback", clSetEventCallback(NULL, CL_COMPLETE, release_in_callback, NULL));
	said("times", clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_END, 8, bytes, NULL));
	said("info", clGetEventInfo(NULL, CL_EVENT_COMMAND_TYPE, 8, bytes, NULL));
	said("info", clGetCommandQueueInfo(NULL, CL_QUEUE_PROPERTIES, 8, bytes, NULL));
}

/* What the API leaves to the C library is not disturbed. */
static void keep_errno(void)
{
	errno = ERANGE;
	device_run(queue, empty, 0, NULL, NULL);
	DO(clFlush(queue));
	said("errno is kept", errno == ERANGE);
	DO(clFinish(queue));
}

int main(void)
{
	device = device_open(0);
	queue = device_queue(&device, 0);
	empty = device_kernel(&device, "empty");
	mem = device_buffer(&device);
	release_early();
	release_in_callbacks();
	reuse_the_pointer();
	enqueue_in_callbacks();
	release_queue_under_way();
	release_queue_in_callback();
	many_queues();
	many_events();
	fail();
	nothing();
	keep_errno();
	DO(clReleaseMemObject(mem));
	DO(clReleaseKernel(empty));
	DO(clReleaseCommandQueue(queue));
	device_close(&device);
	printf("commands %u\n", device_commands);
	return 0;
}
