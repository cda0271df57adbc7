/* SPDX-License-Identifier: MIT */
/*
 * Another tool that interposes an OpenCL function by LD_PRELOAD, before us or behind us: counts
 * clFlush, and calls the next one.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>

static int flushes, lost;

cl_int clFlush(cl_command_queue queue)
{
	cl_int (*next)(cl_command_queue) = (cl_int(*)(cl_command_queue))dlsym(RTLD_NEXT, "clFlush");

	flushes++;
	lost += !next;
	return next ? next(queue) : CL_SUCCESS;
}

__attribute__((destructor)) static void tell(void)
{
	if (flushes)
		fprintf(stderr, "interposed%s\n", lost ? ", with nothing behind" : "");
}
