/* SPDX-License-Identifier: MIT */
/*
 * A library whose constructor does OpenCL work, found by dlsym: it runs before the program's main,
 * and may run before other preloaded libraries' constructors. It works only where TEST_CL_EARLY is
 * set.
 */
#include <dlfcn.h>

static void *handle;

#define CL_FUNCTION(function) ((__typeof__(&function))dlsym(handle, #function))
#include "cl_work.h"

__attribute__((constructor)) static void work_early(void)
{
	handle = getenv("TEST_CL_EARLY") ? dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL) : NULL;
	if (handle)
		work_everywhere(0);
}
