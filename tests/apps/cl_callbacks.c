/* SPDX-License-Identifier: MIT */
/*
 * cl_callbacks: hands every kind of callback to the driver, and prints which came, with what.
 *
 * What a callback receives (handle, status, its user pointer) is checked in it; one that makes
 * OpenCL calls of its own gets its answers too.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "cl_app.h"

static struct app app;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* What one callback reports: how often it came, and whether all it was given was right. */
struct called {
	const char *name;
	const void *expect;
	int times;
	int wrong;
};

static void report(struct called *called, int right)
{
	pthread_mutex_lock(&lock);
	called->times++;
	called->wrong += !right;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* Wait (10 seconds) until it has come, then print. */
static void expect(struct called *called)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	pthread_mutex_lock(&lock);
	while (!called->times && !pthread_cond_timedwait(&changed, &lock, &until))
		;
	printf("%s: %d time%s, %s\n", called->name, called->times, called->times == 1 ? "" : "s",
	       called->wrong ? "WRONG" : "right");
	pthread_mutex_unlock(&lock);
}

static void CL_CALLBACK on_context_error(const char *message, const void *more, size_t size,
					 void *user)
{
	report(user, message != NULL);
}

static void CL_CALLBACK on_program(cl_program program, void *user)
{
	struct called *called = user;

	report(called, program != NULL && (!called->expect || called->expect == program));
}

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *user)
{
	struct called *called = user;
	cl_int seen = -12345;
	cl_int error =
		clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(seen), &seen, NULL);

	report(called,
	       event == called->expect && status == CL_COMPLETE && !error && seen == CL_COMPLETE);
}

static void CL_CALLBACK on_release(cl_mem memory, void *user)
{
	struct called *called = user;

	report(called, memory == called->expect);
}

struct native_arguments {
	struct called *called;
	int *memory;
	int value;
};

static void CL_CALLBACK native(void *arguments)
{
	struct native_arguments *in = arguments;

	in->memory[0] = in->value;
	report(in->called, in->value == 4711);
}

static void try_builds(void)
{
	static const char *const source = "__kernel void f(__global int *a) { a[0] = 1; }\n";
	struct called built = {.name = "clBuildProgram"}, compiled = {.name = "clCompileProgram"},
		      linked = {.name = "clLinkProgram"};
	const char *text = source;
	cl_int error;

	cl_program program = clCreateProgramWithSource(app.context, 1, &text, NULL, &error);
	CHECK(error, "clCreateProgramWithSource");
	built.expect = program;
	DO(clBuildProgram(program, 1, &app.device, NULL, on_program, &built));
	expect(&built);
	DO(clReleaseProgram(program));

	program = clCreateProgramWithSource(app.context, 1, &text, NULL, &error);
	CHECK(error, "clCreateProgramWithSource");
	compiled.expect = program;
	DO(clCompileProgram(program, 1, &app.device, NULL, 0, NULL, NULL, on_program, &compiled));
	expect(&compiled);
	cl_program whole = clLinkProgram(app.context, 1, &app.device, NULL, 1, &program, on_program,
					 &linked, &error);
	CHECK(error, "clLinkProgram");
	expect(&linked);
	DO(clReleaseProgram(whole));
	DO(clReleaseProgram(program));
}

static void try_events(void)
{
	struct called first = {.name = "clSetEventCallback"},
		      second = {.name = "clSetEventCallback, second"};
	cl_int error;
	cl_event event = clCreateUserEvent(app.context, &error);

	CHECK(error, "clCreateUserEvent");
	first.expect = second.expect = event;
	DO(clSetEventCallback(event, CL_COMPLETE, on_event, &first));
	DO(clSetEventCallback(event, CL_COMPLETE, on_event, &second));
	DO(clSetUserEventStatus(event, CL_COMPLETE));
	expect(&first);
	expect(&second);
	DO(clReleaseEvent(event));
}

static void try_memory(void)
{
	struct called released = {.name = "clSetMemObjectDestructorCallback"};
	cl_int error;
	cl_mem memory = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 64, NULL, &error);

	CHECK(error, "clCreateBuffer");
	released.expect = memory;
	DO(clSetMemObjectDestructorCallback(memory, on_release, &released));
	DO(clReleaseMemObject(memory));
	expect(&released);
}

static void try_native(void)
{
	struct called called = {.name = "clEnqueueNativeKernel"};
	struct native_arguments arguments = {.called = &called, .value = 4711};
	cl_device_exec_capabilities can = 0;
	const void *places[] = {&arguments.memory};
	cl_int error, answer = 0;

	DO(clGetDeviceInfo(app.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(can), &can, NULL));
	if (!(can & CL_EXEC_NATIVE_KERNEL)) {
		printf("no native kernels here\n");
		return;
	}
	cl_command_queue queue = app_queue(&app);
	cl_mem memory = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 64, NULL, &error);
	CHECK(error, "clCreateBuffer");
	DO(clEnqueueNativeKernel(queue, native, &arguments, sizeof(arguments), 1, &memory, places,
				 0, NULL, NULL));
	DO(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof(answer), &answer, 0, NULL, NULL));
	expect(&called);
	printf("it wrote %d\n", (int)answer);
	DO(clReleaseMemObject(memory));
	DO(clReleaseCommandQueue(queue));
}

int main(void)
{
	struct called context_error = {.name = "clCreateContext"};
	cl_int error;

	DO(clGetPlatformIDs(1, &app.platform, NULL));
	DO(clGetDeviceIDs(app.platform, CL_DEVICE_TYPE_ALL, 1, &app.device, NULL));
	app.context =
		clCreateContext(NULL, 1, &app.device, on_context_error, &context_error, &error);
	CHECK(error, "clCreateContext");
	try_builds();
	try_events();
	try_memory();
	try_native();
	app_close(&app);
	/* The driver calls this one only where something went wrong. */
	printf("%s: %d times\n", context_error.name, context_error.times);
	return 0;
}
