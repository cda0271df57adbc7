/* SPDX-License-Identifier: MIT */
/*
 * A library whose constructor makes a call, a while after it began: so it holds the dynamic
 * linker's lock when another thread makes the process's first call (tool_calls plugin).
 */
#include <CL/cl.h>
#include <unistd.h>

static __attribute__((constructor)) void load(void)
{
	cl_uint platforms;

	usleep(400000);
	clGetPlatformIDs(0, NULL, &platforms);
}
