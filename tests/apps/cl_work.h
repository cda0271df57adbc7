/* SPDX-License-Identifier: MIT */
/*
 * cl_work.h: one small piece of OpenCL work, for programs that differ in how they find the
 * functions.
 *
 * The includer defines CL_FUNCTION(name): the function itself, or a pointer found for it. Each call
 * is counted by name; write_counts() writes "name count" lines to the file that TEST_CL_APP_COUNTS
 * names.
 */
#ifndef TESTS_CL_WORK_H
#define TESTS_CL_WORK_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORK_FUNCTIONS 64
#define WORK_ITEMS     1024

static struct {
	const char *name;
	unsigned long count;
} work_calls[WORK_FUNCTIONS];

static void work_count(const char *name)
{
	for (unsigned i = 0; i < WORK_FUNCTIONS; i++) {
		if (!work_calls[i].name)
			work_calls[i].name = name;
		if (!strcmp(work_calls[i].name, name)) {
			work_calls[i].count++;
			return;
		}
	}
}

static void write_counts(void)
{
	const char *path = getenv("TEST_CL_APP_COUNTS");
	FILE *file = path ? fopen(path, "w") : NULL;

	for (unsigned i = 0; file && i < WORK_FUNCTIONS && work_calls[i].name; i++)
		fprintf(file, "%s %lu\n", work_calls[i].name, work_calls[i].count);
	if (file)
		fclose(file);
}

#define CL(function, ...) (work_count(#function), CL_FUNCTION(function)(__VA_ARGS__))

#define MUST(call)                                                                                 \
	do {                                                                                       \
		cl_int must_ = (call);                                                             \
		if (must_) {                                                                       \
			printf("line %d: %s: %d\n", __LINE__, #call, must_);                       \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

struct work {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_kernel kernel;
	cl_mem buffers[3];
	cl_uint sum;
};

static void CL_CALLBACK work_event_done(cl_event event, cl_int status, void *seen)
{
	__atomic_store_n((int *)seen, status == CL_COMPLETE, __ATOMIC_RELEASE);
}

static void work_begin(struct work *work, cl_platform_id platform)
{
	const char *source = "builtin";
	cl_int error;

	MUST(CL(clGetDeviceIDs, platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &work->device, NULL));
	work->context = CL(clCreateContext, NULL, 1, &work->device, NULL, NULL, &error);
	MUST(error);
	work->queue =
		CL(clCreateCommandQueueWithProperties, work->context, work->device, NULL, &error);
	MUST(error);
	work->program = CL(clCreateProgramWithSource, work->context, 1, &source, NULL, &error);
	MUST(error);
	MUST(CL(clBuildProgram, work->program, 1, &work->device, "", NULL, NULL));
	work->kernel = CL(clCreateKernel, work->program, "vector_add", &error);
	MUST(error);
	for (int i = 0; i < 3; i++) {
		work->buffers[i] = CL(clCreateBuffer, work->context, CL_MEM_READ_WRITE,
				      WORK_ITEMS * sizeof(cl_float), NULL, &error);
		MUST(error);
	}
}

static void work_compute(struct work *work)
{
	const size_t items = WORK_ITEMS, bytes = WORK_ITEMS * sizeof(cl_float);
	const cl_uint count = WORK_ITEMS;
	cl_float values[WORK_ITEMS];
	cl_event event;
	int done = 0;

	for (unsigned i = 0; i < WORK_ITEMS; i++)
		values[i] = (cl_float)i;
	MUST(CL(clEnqueueWriteBuffer, work->queue, work->buffers[0], CL_TRUE, 0, bytes, values, 0,
		NULL, NULL));
	MUST(CL(clEnqueueCopyBuffer, work->queue, work->buffers[0], work->buffers[1], 0, 0, bytes,
		0, NULL, NULL));
	for (cl_uint i = 0; i < 3; i++)
		MUST(CL(clSetKernelArg, work->kernel, i, sizeof(cl_mem), &work->buffers[i]));
	MUST(CL(clSetKernelArg, work->kernel, 3, sizeof(count), &count));
	MUST(CL(clEnqueueNDRangeKernel, work->queue, work->kernel, 1, NULL, &items, NULL, 0, NULL,
		&event));
	MUST(CL(clSetEventCallback, event, CL_COMPLETE, work_event_done, &done));
	MUST(CL(clWaitForEvents, 1, &event));
	MUST(CL(clReleaseEvent, event));
	MUST(CL(clEnqueueReadBuffer, work->queue, work->buffers[2], CL_TRUE, 0, bytes, values, 0,
		NULL, NULL));
	MUST(CL(clFlush, work->queue));
	MUST(CL(clFinish, work->queue));
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		;
	for (unsigned i = 0; i < WORK_ITEMS; i++)
		work->sum += (cl_uint)values[i];
}

static void work_end(struct work *work)
{
	for (int i = 0; i < 3; i++)
		MUST(CL(clReleaseMemObject, work->buffers[i]));
	MUST(CL(clReleaseKernel, work->kernel));
	MUST(CL(clReleaseProgram, work->program));
	MUST(CL(clReleaseCommandQueue, work->queue));
	MUST(CL(clReleaseContext, work->context));
}

/* On every platform there is; with `idle`, only ask how many there are (what the loader itself does
 * then, it always does). */
static int work_everywhere(int idle)
{
	cl_platform_id platforms[8];
	cl_uint count = 0;

	MUST(CL(clGetPlatformIDs, 8, platforms, &count));
	printf("%u platforms\n", count);
	for (cl_uint i = 0; i < count && !idle; i++) {
		struct work work = {0};
		char name[128];

		MUST(CL(clGetPlatformInfo, platforms[i], CL_PLATFORM_NAME, sizeof(name), name,
			NULL));
		work_begin(&work, platforms[i]);
		work_compute(&work);
		work_end(&work);
		printf("%s: %u\n", name, work.sum);
	}
	write_counts();
	return 0;
}

#endif
