/* SPDX-License-Identifier: MIT */
/*
 * A program that is linked with the OpenCL loader.
 *
 *	cl_linked WAY
 *
 *	calls		calls the functions, as programs do
 *	default, next	takes pointers from dlsym(RTLD_DEFAULT), dlsym(RTLD_NEXT)
 *	program		takes pointers from dlsym on the program's own handle
 *	idle		only counts the platforms
 */
#include <dlfcn.h>

static const char *way;
static void *handle;

static void *find(const char *name, void *linked);

#define CL_FUNCTION(function) ((__typeof__(&function))find(#function, (void *)function))
#include "cl_work.h"

static void *find(const char *name, void *linked)
{
	void *found = handle || !strcmp(way, "default") || !strcmp(way, "next")
			      ? dlsym(handle, name)
			      : linked;

	if (!found) {
		printf("%s\n", dlerror());
		exit(1);
	}
	return found;
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "calls";
	if (!strcmp(way, "next"))
		handle = RTLD_NEXT;
	else if (!strcmp(way, "program"))
		handle = dlopen(NULL, RTLD_LAZY);
	return work_everywhere(!strcmp(way, "idle"));
}
