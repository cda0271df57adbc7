/* SPDX-License-Identifier: MIT */
/*
 * labels.c: a program with labels and OpenCL calls, to be looked at by `tracelayer profile`.
 *
 *	cc -O2 -DTRACELAYER_PROFILING -o labels labels.c -lOpenCL		(before glibc 2.34
 *										also -lpthread -ldl)
 *	tracelayer profile -- ./labels						labels and calls,
 *										from outside
 *	./labels own								labels alone, by the
 *										program itself
 *
 * Without -DTRACELAYER_PROFILING labels are nothing, and there is no "own". Two threads fill
 * buffers, have the device work on them, and check.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelayer/profiler.h>

#define COUNT  20000
#define STEPS  12
#define DEGREE 1000

static const char *const source = "kernel void sum(global float *x) {\n"
				  "	float all = 0;\n"
				  "	for (int i = 1; i < 1000; i++)\n"
				  "		all += x[get_global_id(0)] / i;\n"
				  "	x[get_global_id(0)] = all;\n"
				  "}";

static cl_context context;
static cl_device_id device;
static cl_program program;

static void fill(float *values)
{
	TL_PROFILE_SCOPE("fill");
	for (int i = 0; i < COUNT; i++) {
		unsigned hash = (unsigned)i;
		for (int j = 0; j < 300; j++)
			hash = hash * 1664525u + 1013904223u;
		values[i] = (float)(hash >> 24);
	}
}

static void run(cl_command_queue queue, cl_kernel kernel, cl_mem memory, const float *before,
		float *values)
{
	TL_PROFILE_SCOPE_NAMED("upload", part);
	const size_t count = COUNT;

	clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, COUNT * sizeof(*before), before, 0, NULL,
			     NULL);
	TL_PROFILE_UPDATE(part, "compute");
	clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
	clFinish(queue);
	TL_PROFILE_UPDATE(part, "download");
	clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, COUNT * sizeof(*values), values, 0, NULL,
			    NULL);
}

static int check(const float *before, const float *values)
{
	TL_PROFILE_SCOPE("check");
	int wrong = 0;

	for (int i = 0; i < COUNT; i += 4) {
		float all = 0;
		for (int j = 1; j < DEGREE; j++)
			all += before[i] / (float)j;
		wrong += all - values[i] > 0.01f * all || values[i] - all > 0.01f * all;
	}
	return wrong;
}

static void *work(void *wrong)
{
	TL_PROFILE_SCOPE("worker");
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
	cl_kernel kernel = clCreateKernel(program, "sum", NULL);
	cl_mem memory =
		clCreateBuffer(context, CL_MEM_READ_WRITE, COUNT * sizeof(float), NULL, NULL);
	float *before = malloc(2 * COUNT * sizeof(*before)), *values = before + COUNT;

	tl_profile_thread();
	clSetKernelArg(kernel, 0, sizeof(memory), &memory);
	for (int i = 0; before && i < STEPS; i++) {
		TL_PROFILE_SCOPE("step");
		fill(before);
		run(queue, kernel, memory, before, values);
		*(int *)wrong += check(before, values);
	}
	free(before);
	clReleaseMemObject(memory);
	clReleaseKernel(kernel);
	clReleaseCommandQueue(queue);
	return NULL;
}

static int set_up(void)
{
	TL_PROFILE_SCOPE("set up");
	cl_platform_id platform;

	if (clGetPlatformIDs(1, &platform, NULL) ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 0;
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, NULL);
	TL_PROFILE_SCOPE("build");
	return !clBuildProgram(program, 1, &device, "", NULL, NULL);
}

int main(int argc, char **argv)
{
	TL_PROFILE_SCOPE("main");
	int wrong[2] = {0};
	pthread_t thread[2];

	tl_profile_thread();
#ifdef TRACELAYER_PROFILING
	int own = argc == 2 && !strcmp(argv[1], "own");

	if (own)
		tl_profile_start();
#else
	(void)argc;
	(void)argv;
#endif
	if (!set_up()) {
		fprintf(stderr,
			"labels: there is no OpenCL device that the kernel can be built for\n");
		return 1;
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, &wrong[i]);
	for (int i = 0; i < 2; i++) {
		TL_PROFILE_SCOPE("wait for workers");
		pthread_join(thread[i], NULL);
	}
#ifdef TRACELAYER_PROFILING
	if (own)
		tl_profile_finish();
#endif
	printf("%d wrong\n", wrong[0] + wrong[1]);
	clReleaseProgram(program);
	clReleaseContext(context);
	return wrong[0] || wrong[1];
}
