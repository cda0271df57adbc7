/* SPDX-License-Identifier: MIT */
/*
 * cl_device_answers: what the driver says of queues and events, in every way to ask. Prints all
 * answers; none may change because somebody gave a queue profiling or keeps an event.
 *
 * How often an event is referred to while it is under way depends, on PoCL, on how far it has come:
 * that is asked on the test driver only.
 */
#include "cl_device.h"

static struct device device;

static void said(const char *what, cl_int error)
{
	printf("%s: %d\n", what, (int)error);
}

/*
 * What is left of 32 bytes of 0xAA after the question, so that nothing is written that the driver
 * didn't write.
 */
static void print_answer(const char *what, cl_int error, const unsigned char *bytes, size_t needed)
{
	printf("%s: %d, %zu bytes:", what, (int)error, needed);
	for (int i = 0; i < 32; i++)
		printf(" %02x", bytes[i]);
	putchar('\n');
}

#define ASK(function, object, which, room)                                                         \
	do {                                                                                       \
		unsigned char to_[32];                                                             \
		size_t needed_ = 99;                                                               \
		memset(to_, 0xaa, sizeof(to_));                                                    \
		cl_int error_ = function(object, which, room, to_, &needed_);                      \
		print_answer(#function " " #which " " #room, error_, to_, needed_);                \
	} while (0)

#define ASK_ALL_WAYS(function, object, which, size)                                                \
	do {                                                                                       \
		ASK(function, object, which, size);                                                \
		ASK(function, object, which, (size)-1);                                            \
		ASK(function, object, which, (size) + 5);                                          \
		size_t alone_ = 99;                                                                \
		said(#function " " #which " no answer",                                            \
		     function(object, which, 0, NULL, &alone_));                                   \
		printf("%zu\n", alone_);                                                           \
		said(#function " " #which " nothing", function(object, which, 0, NULL, NULL));     \
		said(#function " " #which " of none", function(NULL, which, 0, NULL, NULL));       \
	} while (0)

/* Handles differ from run to run. */
#define IS(function, object, which, type, expected)                                                \
	do {                                                                                       \
		type is_ = NULL;                                                                   \
		cl_int error_ = function(object, which, sizeof(is_), &is_, NULL);                  \
		printf(#which " %d, %s\n", (int)error_,                                            \
		       is_ == (expected) ? "the same" : "another");                                \
	} while (0)

static void ask_times(cl_event event)
{
	static const cl_profiling_info which[] = {
		CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
		CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END, 0x1};
	cl_ulong times[5] = {0};
	size_t needed;

	for (int i = 0; i < 5; i++) {
		needed = 99;
		cl_int error = clGetEventProfilingInfo(event, which[i], sizeof(*times), &times[i],
						       &needed);
		printf("time %d: %d, %zu bytes, %s, %s the one before\n", i, (int)error, needed,
		       times[i] ? "some" : "none",
		       i && times[i] < times[i - 1] ? "less than" : "not less than");
	}
	said("time, no room", clGetEventProfilingInfo(event, which[3], 4, times, NULL));
	needed = 99;
	said("time, no answer", clGetEventProfilingInfo(event, which[3], 0, NULL, &needed));
	printf("%zu\n", needed);
}

static void ask_references(cl_event event)
{
	if (device.is_test_driver)
		ASK(clGetEventInfo, event, CL_EVENT_REFERENCE_COUNT, sizeof(cl_uint));
}

static void ask_event(cl_event event, cl_command_queue queue)
{
	ASK_ALL_WAYS(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE, sizeof(cl_command_type));
	ASK_ALL_WAYS(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(cl_int));
	IS(clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE, cl_command_queue, queue);
	IS(clGetEventInfo, event, CL_EVENT_CONTEXT, cl_context, device.app.context);
	if (device.is_test_driver)
		ASK_ALL_WAYS(clGetEventInfo, event, CL_EVENT_REFERENCE_COUNT, sizeof(cl_uint));
	DO(clRetainEvent(event));
	ask_references(event);
	DO(clReleaseEvent(event));
	ask_references(event);
	ask_times(event);
}

static void CL_CALLBACK asked_in_callback(cl_event event, cl_int status, void *done)
{
	printf("in a callback: %d\n", (int)status);
	ask_references(event);
	ask_times(event);
	atomic_store((atomic_bool *)done, true);
}

static void ask_events_of(cl_command_queue queue)
{
	cl_kernel empty = device_kernel(&device, "empty");
	atomic_bool done = false;
	cl_int error;
	cl_event event, gate = clCreateUserEvent(device.app.context, &error);

	CHECK(error, "clCreateUserEvent");
	device_run(queue, empty, 1, &gate, &event);
	if (device.is_test_driver) /* PoCL may call it much later */
		DO(clSetEventCallback(event, CL_COMPLETE, asked_in_callback, &done));
	else
		done = true;
	DO(clFlush(queue));
	ask_references(event);
	ask_times(event);
	ask_times(gate);
	DO(clSetUserEventStatus(gate, CL_COMPLETE));
	DO(clFinish(queue));
	for (int i = 0; i < 10000 && !atomic_load(&done); i++)
		usleep(1000);
	ask_event(event, queue);
	ask_event(gate, NULL);
	DO(clReleaseEvent(gate));
	DO(clReleaseEvent(event));
	/* One that it never waits for, and one that it asks again and again. */
	device_run(queue, empty, 0, NULL, NULL);
	device_run(queue, empty, 0, NULL, &event);
	for (cl_int status = CL_QUEUED; status > CL_COMPLETE; usleep(100))
		DO(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
				  NULL));
	ask_references(event);
	ask_times(event);
	DO(clReleaseEvent(event));
	DO(clReleaseKernel(empty));
}

static void ask_queue(const char *what, cl_command_queue queue, cl_int error)
{
	printf("--- %s: %d, %s\n", what, (int)error, queue ? "a queue" : "none");
	if (!queue)
		return;
	ASK_ALL_WAYS(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES,
		     sizeof(cl_command_queue_properties));
	ASK_ALL_WAYS(clGetCommandQueueInfo, queue, CL_QUEUE_REFERENCE_COUNT, sizeof(cl_uint));
	ASK_ALL_WAYS(clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES_ARRAY, 24);
	ASK(clGetCommandQueueInfo, queue, CL_QUEUE_SIZE, 4);
	ASK(clGetCommandQueueInfo, queue, 0x1, 8);
	IS(clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT, cl_context, device.app.context);
	IS(clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE, cl_device_id, device.app.device);
	DO(clRetainCommandQueue(queue));
	ASK(clGetCommandQueueInfo, queue, CL_QUEUE_REFERENCE_COUNT, sizeof(cl_uint));
	DO(clReleaseCommandQueue(queue));
	ask_events_of(queue);
	if (device.is_test_driver)
		ASK(clGetCommandQueueInfo, queue, CL_QUEUE_REFERENCE_COUNT, sizeof(cl_uint));
}

/* OpenCL 1.0 let a program change its mind; PoCL doesn't. */
static void change_queue(cl_command_queue queue)
{
	cl_command_queue_properties old = 99;

	if (!device.is_test_driver)
		return;
	said("profiling off",
	     clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, &old));
	printf("it was %u\n", (unsigned)old);
	ask_queue("changed", queue, 0);
	said("profiling on",
	     clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &old));
	printf("it was %u\n", (unsigned)old);
	ask_queue("changed again", queue, 0);
	said("no such property", clSetCommandQueueProperty(queue, 0x80, CL_TRUE, &old));
}

static void ask_old_queues(void)
{
	static const cl_command_queue_properties tried[] = {
		0,
		CL_QUEUE_PROFILING_ENABLE,
		CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
		CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE,
		0x4000,
	};

	for (size_t i = 0; i < COUNT_OF(tried); i++) {
		cl_int error = 99;
		cl_command_queue queue = clCreateCommandQueue(device.app.context, device.app.device,
							      tried[i], &error);

		ask_queue("clCreateCommandQueue", queue, error);
		if (queue)
			change_queue(queue);
		if (queue)
			said("released", clReleaseCommandQueue(queue));
	}
}

static void ask_new_queues(void)
{
	static const cl_queue_properties tried[][5] = {
		{0},
		{CL_QUEUE_PROPERTIES, 0, 0},
		{CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0},
		{CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0},
		{CL_QUEUE_PROPERTIES, 0x4000, 0},
		{0x7777, 1, 0},
		{CL_QUEUE_PROPERTIES, 0, 0x7777, 1, 0},
	};

	for (size_t i = 0; i <= COUNT_OF(tried); i++) {
		cl_int error = 99;
		cl_command_queue queue = clCreateCommandQueueWithProperties(
			device.app.context, device.app.device, i ? tried[i - 1] : NULL, &error);

		ask_queue("clCreateCommandQueueWithProperties", queue, error);
		if (queue)
			said("released", clReleaseCommandQueue(queue));
	}
}

static void fail_to_create(void)
{
	cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, 0, 0};
	cl_int error = 99;

	said("no context", (clCreateCommandQueue(NULL, device.app.device, 0, &error), error));
	said("no device", (clCreateCommandQueue(device.app.context, NULL, 0, &error), error));
	said("no context",
	     (clCreateCommandQueueWithProperties(NULL, device.app.device, list, &error), error));
	said("no device",
	     (clCreateCommandQueueWithProperties(device.app.context, NULL, list, &error), error));
	said("nothing at all", clCreateCommandQueueWithProperties(NULL, NULL, NULL, NULL) != NULL);
	said("its list is as it was", list[1] == 0 && list[2] == 0);
}

/* A call that fails leaves the event where it was. */
static void fail_to_enqueue(void)
{
	cl_command_queue queue = device_queue(&device, 0);
	cl_event event = (cl_event)&device, untouched = event;
	cl_mem mem = device_buffer(&device);
	char bytes[8];
	cl_int error;

	said("beyond the buffer",
	     clEnqueueReadBuffer(queue, mem, CL_TRUE, BYTES, 8, bytes, 0, NULL, &event));
	said("no buffer", clEnqueueWriteBuffer(queue, NULL, CL_TRUE, 0, 8, bytes, 0, NULL, &event));
	said("no list", clEnqueueMarkerWithWaitList(queue, 1, NULL, &event));
	if (device.is_test_driver) /* PoCL dies of it */
		said("no kernel",
		     clEnqueueNDRangeKernel(queue, NULL, 1, NULL, NULL, NULL, 0, NULL, &event));
	said("no queue", clEnqueueBarrierWithWaitList(NULL, 0, NULL, &event));
	clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, BYTES, 8, 0, NULL, &event, &error);
	said("map beyond the buffer", error);
	said("the event is untouched", event == untouched);
	said("beyond the buffer, no event",
	     clEnqueueReadBuffer(queue, mem, CL_TRUE, BYTES, 8, bytes, 0, NULL, NULL));
	DO(clReleaseMemObject(mem));
	DO(clReleaseCommandQueue(queue));
}

/* How many events. Each is asked for some 200 times until it has ended. */
static int events_beside(void)
{
	return getenv("STRESS") ? 1000 : 250;
}

/* Another thread's commands in the same queue, which it waits for all the time. */
static void *work_beside(void *queue)
{
	for (int i = 0; i < events_beside() / 10; i++) {
		for (int j = 0; j < 100; j++, device_commands++)
			DO(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
		DO(clFinish(queue));
	}
	return NULL;
}

/* An event that has ended is its owner's alone, whoever is told of it just now. */
static void ask_beside(void)
{
	cl_command_queue queue = device_queue(&device, 0);
	unsigned others = 0;
	pthread_t thread;
	cl_event event;

	pthread_create(&thread, NULL, work_beside, queue);
	for (int i = 0; i < events_beside(); i++, device_commands++) {
		cl_int status = CL_QUEUED;
		cl_uint references = 0;
		DO(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
		DO(clFlush(queue));
		while (status > CL_COMPLETE)
			DO(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
					  &status, NULL));
		DO(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(references), &references,
				  NULL));
		others += references != 1;
		DO(clReleaseEvent(event));
	}
	pthread_join(thread, NULL);
	DO(clReleaseCommandQueue(queue));
	printf("beside another thread: %u events with other references\n", others);
}

int main(void)
{
	device = device_open(0);
	if (device.is_test_driver)
		ask_beside();
	ask_old_queues();
	ask_new_queues();
	fail_to_create();
	fail_to_enqueue();
	device_close(&device);
	printf("commands %u\n", device_commands);
	return 0;
}
