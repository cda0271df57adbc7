/* SPDX-License-Identifier: MIT */
/*
 * cl_sizes.c: two kernels in several work sizes, on one queue. Prints a line for each size of a
 * kernel, as `tracelayer summary --by=size` names it: the size, the kernel, and how often it was
 * enqueued.
 */
#include "cl_app.h"

#include <stdbool.h>

struct launch {
	const char *kernel, *size;
	cl_uint dimensions;
	size_t global[3], local[3];
	bool has_local;
	int times;
};

static const struct launch launches[] = {
	{"plain", "64 in 8", 1, {64}, {8}, true, 3},
	{"plain", "64 in 16", 1, {64}, {16}, true, 2},
	{"tiled", "64 in 16", 1, {64}, {16}, true, 1},
	{"plain", "32x2 in 8x2", 2, {32, 2}, {8, 2}, true, 1},
	{"plain", "4x4x4 in 2x2x1", 3, {4, 4, 4}, {2, 2, 1}, true, 4},
	{"plain", "48", 1, {48}, {0}, false, 2},
};

static const char source[] = "kernel void plain(global int *to) { to[get_global_id(0)] = 1; }\n"
			     "kernel void tiled(global int *to) {\n"
			     "	local int tile[16];\n"
			     "	tile[get_local_id(0)] = (int)get_global_id(0);\n"
			     "	barrier(CLK_LOCAL_MEM_FENCE);\n"
			     "	to[get_global_id(0)] = tile[15 - get_local_id(0)];\n"
			     "}\n";

static void enqueue(cl_command_queue queue, cl_kernel kernel, const struct launch *launch)
{
	for (int i = 0; i < launch->times; i++)
		DO(clEnqueueNDRangeKernel(queue, kernel, launch->dimensions, NULL, launch->global,
					  launch->has_local ? launch->local : NULL, 0, NULL, NULL));
	printf("%s,%s,%d\n", launch->size, launch->kernel, launch->times);
}

int main(void)
{
	struct app app = app_open();
	cl_program program = app_build(&app, source);
	cl_command_queue queue = app_queue(&app);
	cl_int error;
	cl_mem buffer =
		clCreateBuffer(app.context, CL_MEM_READ_WRITE, 64 * sizeof(int), NULL, &error);

	CHECK(error, "clCreateBuffer");
	for (size_t i = 0; i < sizeof(launches) / sizeof(*launches); i++) {
		cl_kernel kernel = clCreateKernel(program, launches[i].kernel, &error);

		CHECK(error, "clCreateKernel");
		DO(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
		enqueue(queue, kernel, &launches[i]);
		DO(clReleaseKernel(kernel));
	}
	DO(clFinish(queue));
	DO(clReleaseMemObject(buffer));
	DO(clReleaseCommandQueue(queue));
	DO(clReleaseProgram(program));
	app_close(&app);
	return 0;
}
