/* SPDX-License-Identifier: MIT */
/*
 * cl_app.h: the few lines that every OpenCL test program begins with.
 *
 * The programs are linked with libOpenCL the usual way and know nothing of tracelayer. Each makes
 * the same calls in the same order every time it runs (per thread), so that two runs can be
 * compared, and checks what the driver returns.
 */
#ifndef CL_APP_H
#define CL_APP_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

struct app {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
};

/* Leave with status 2 where the driver refuses what it must do. */
static inline void app_check(cl_int error, const char *what, int line)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "line %d: %s returned %d\n", line, what, (int)error);
	exit(2);
}
#define CHECK(error, what) app_check((error), (what), __LINE__)
#define DO(call)	   app_check((call), #call, __LINE__)

/* The first device of the first platform, and a context on it. */
static inline struct app app_open(void)
{
	struct app app = {0};
	cl_int error;

	DO(clGetPlatformIDs(1, &app.platform, NULL));
	DO(clGetDeviceIDs(app.platform, CL_DEVICE_TYPE_ALL, 1, &app.device, NULL));
	cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
					      (cl_context_properties)app.platform, 0};
	app.context = clCreateContext(properties, 1, &app.device, NULL, NULL, &error);
	CHECK(error, "clCreateContext");
	return app;
}

static inline void app_close(struct app *app)
{
	DO(clReleaseContext(app->context));
}

static inline cl_program app_build(struct app *app, const char *source)
{
	cl_int error;
	cl_program program = clCreateProgramWithSource(app->context, 1, &source, NULL, &error);

	CHECK(error, "clCreateProgramWithSource");
	DO(clBuildProgram(program, 1, &app->device, "-cl-std=CL1.2", NULL, NULL));
	return program;
}

static inline cl_command_queue app_queue(struct app *app)
{
	cl_int error;
	cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	cl_command_queue queue =
		clCreateCommandQueueWithProperties(app->context, app->device, properties, &error);

	CHECK(error, "clCreateCommandQueueWithProperties");
	return queue;
}

/* The number behind an option, for programs that take `-x N`. */
static inline long app_number(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (end == text || *end || number < 0) {
		fprintf(stderr, "%s is not a number\n", text);
		exit(2);
	}
	return number;
}

#endif
