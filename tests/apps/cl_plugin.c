/* SPDX-License-Identifier: MIT */
/*
 * A plugin that is linked with the OpenCL loader, opened by cl_found, which is not.
 *
 * plugin_work(WAY): calls, default, next, as cl_linked.
 */
#include <dlfcn.h>

static const char *way;

static void *find(const char *name, void *linked);

#define CL_FUNCTION(function) ((__typeof__(&function))find(#function, (void *)function))
#include "cl_work.h"

int plugin_work(const char *its_way);

static void *find(const char *name, void *linked)
{
	void *found = !strcmp(way, "default") ? dlsym(RTLD_DEFAULT, name)
		      : !strcmp(way, "next")  ? dlsym(RTLD_NEXT, name)
					      : linked;

	if (!found) {
		printf("%s\n", dlerror());
		exit(1);
	}
	return found;
}

int plugin_work(const char *its_way)
{
	way = its_way;
	return work_everywhere(0);
}
