/* SPDX-License-Identifier: MIT */
/*
 * cl_device.h: what the programs that test device lanes share: a device with kernels, and a count
 * of what they enqueue.
 *
 * They run on PoCL and on the test driver (tests/drivers/icd.h), whose kernels go by the same
 * names.
 */
#ifndef CL_DEVICE_H
#define CL_DEVICE_H

#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "cl_app.h"

#define ITEMS		256
#define BYTES		(ITEMS * sizeof(cl_float))
#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

static const char device_source[] =
	"__kernel void vector_add(__global const float *a, __global const float *b, __global float *c, uint n)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	if (i < n)\n"
	"		c[i] = a[i] + b[i];\n"
	"}\n"
	"__kernel void fill(__global uint *p, uint value, uint n)\n"
	"{\n"
	"	size_t i = get_global_id(0);\n"
	"	if (i < n)\n"
	"		p[i] = value;\n"
	"}\n"
	"__kernel void empty(void)\n"
	"{\n"
	"}\n";

struct device {
	struct app app;
	cl_program program;
	bool unordered, images, shared, native;
	bool is_test_driver; /* it has kernels that sleep, fail and hang */
};

/* Commands enqueued so far. */
static atomic_uint device_commands;

static inline void device_ask(struct device *device, cl_device_info which, size_t size, void *to)
{
	if (clGetDeviceInfo(device->app.device, which, size, to, NULL) != CL_SUCCESS)
		memset(to, 0, size);
}

/* The first device of the platform of that number, from 0. */
static inline struct app device_open_app(cl_uint platform)
{
	cl_platform_id platforms[8];
	struct app app = {0};
	cl_int error;

	if (!platform)
		return app_open();
	DO(clGetPlatformIDs(8, platforms, NULL));
	app.platform = platforms[platform];
	DO(clGetDeviceIDs(app.platform, CL_DEVICE_TYPE_ALL, 1, &app.device, NULL));
	app.context = clCreateContext(NULL, 1, &app.device, NULL, NULL, &error);
	CHECK(error, "clCreateContext");
	return app;
}

static inline struct device device_open(cl_uint platform)
{
	struct device device = {.app = device_open_app(platform)};
	cl_command_queue_properties queues;
	cl_device_svm_capabilities shared;
	cl_device_exec_capabilities executes;
	cl_bool images;
	char name[128] = "";

	device.program = app_build(&device.app, device_source);
	device_ask(&device, CL_DEVICE_QUEUE_PROPERTIES, sizeof(queues), &queues);
	device_ask(&device, CL_DEVICE_SVM_CAPABILITIES, sizeof(shared), &shared);
	device_ask(&device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(executes), &executes);
	device_ask(&device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images);
	device_ask(&device, CL_DEVICE_NAME, sizeof(name), name);
	device.unordered = queues & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	device.images = images;
	device.shared = shared;
	device.native = executes & CL_EXEC_NATIVE_KERNEL;
	device.is_test_driver = !strcmp(name, "tracelayer test device");
	return device;
}

static inline void device_close(struct device *device)
{
	DO(clReleaseProgram(device->program));
	app_close(&device->app);
}

/* By the older function, which every driver has. */
static inline cl_command_queue device_queue(struct device *device,
					    cl_command_queue_properties properties)
{
	cl_int error;

	if (!device->unordered)
		properties &= ~(cl_command_queue_properties)CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
	cl_command_queue queue =
		clCreateCommandQueue(device->app.context, device->app.device, properties, &error);
	CHECK(error, "clCreateCommandQueue");
	return queue;
}

static inline cl_mem device_buffer(struct device *device)
{
	cl_int error;
	cl_mem mem = clCreateBuffer(device->app.context, CL_MEM_READ_WRITE, BYTES, NULL, &error);

	CHECK(error, "clCreateBuffer");
	return mem;
}

static inline cl_kernel device_kernel(struct device *device, const char *name)
{
	cl_int error;
	cl_kernel kernel = clCreateKernel(device->program, name, &error);

	CHECK(error, name);
	return kernel;
}

/* A kernel of the test driver's that takes a number. */
static inline cl_kernel device_kernel_with(struct device *device, const char *name, cl_ulong number,
					   size_t size)
{
	cl_kernel kernel = device_kernel(device, name);

	DO(clSetKernelArg(kernel, 0, size, &number));
	return kernel;
}

/* One work-item. */
static inline void device_run(cl_command_queue queue, cl_kernel kernel, cl_uint nwaits,
			      const cl_event *waits, cl_event *event)
{
	const size_t one = 1;

	device_commands++;
	DO(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, nwaits, waits, event));
}

#endif
