/* SPDX-License-Identifier: MIT */
/*
 * A program that is not linked with the OpenCL loader.
 *
 *	cl_found WAY [PLUGIN]
 *
 *	local, deep, global	opens the loader with that flag, and takes pointers from dlsym on
 * the handle
 *	version			the same by dlvsym, asking for the versions that the loader gives
 * its functions default, program	opens it with RTLD_GLOBAL, and takes pointers from
 * dlsym(RTLD_DEFAULT), or the program's own handle reopened		opens and closes the loader
 * many times, and takes the pointers anew each time
 *	idle			as local, but only counts the platforms
 *	plugin:WAY		opens PLUGIN with RTLD_LOCAL and has it work; WAY as of cl_linked,
 *				or deep: opens it with RTLD_DEEPBIND, and calls
 *	absent			asks for functions of a loader that isn't there, in every way, and
 * prints what it gets
 */
#include <dlfcn.h>

static const char *way;
static void *handle;

static void *find(const char *name);

#define CL_FUNCTION(function) ((__typeof__(&function))find(#function))
#include "cl_work.h"

static const char *const versions[] = {"OPENCL_1.0", "OPENCL_1.1", "OPENCL_1.2", "OPENCL_2.0",
				       "OPENCL_2.1", "OPENCL_2.2", "OPENCL_3.0"};

static void *find_version(const char *name)
{
	void *found = NULL;

	for (unsigned i = 0; i < sizeof(versions) / sizeof(*versions) && !found; i++)
		found = dlvsym(handle, name, versions[i]);
	return found;
}

static void *find(const char *name)
{
	void *found = !strcmp(way, "version") ? find_version(name) : dlsym(handle, name);

	if (!found) {
		printf("%s\n", dlerror());
		exit(1);
	}
	return found;
}

static int work_as_plugin(const char *plugin, const char *its_way)
{
	void *opened = dlopen(plugin, RTLD_NOW | RTLD_LOCAL |
					      (strcmp(its_way, "deep") ? 0 : RTLD_DEEPBIND));
	int (*work)(const char *) =
		opened ? (int (*)(const char *))dlsym(opened, "plugin_work") : NULL;

	if (!work) {
		printf("%s\n", dlerror());
		return 1;
	}
	return work(its_way);
}

static void print_answer(const char *what, void *answer)
{
	const char *error = dlerror();

	printf("%s: %s, %s; ", what, answer ? "found" : "nothing", error ? error : "no error");
	printf("then %s\n", dlerror() ? "again" : "no more");
}

static int ask_for_nothing(void)
{
	void *program = dlopen(NULL, RTLD_LAZY);

	print_answer("default", dlsym(RTLD_DEFAULT, "clGetPlatformIDs"));
	print_answer("next", dlsym(RTLD_NEXT, "clGetPlatformIDs"));
	print_answer("program", dlsym(program, "clGetPlatformIDs"));
	print_answer("default, version", dlvsym(RTLD_DEFAULT, "clGetPlatformIDs", "OPENCL_1.0"));
	print_answer("next, version", dlvsym(RTLD_NEXT, "clGetPlatformIDs", "OPENCL_1.0"));
	print_answer("program, version", dlvsym(program, "clGetPlatformIDs", "OPENCL_1.0"));
	print_answer("default, of Level Zero", dlsym(RTLD_DEFAULT, "zeInit"));
	print_answer("no such function", dlsym(RTLD_DEFAULT, "clNoSuchFunction"));
	print_answer("one that is there", dlsym(RTLD_DEFAULT, "printf"));
	print_answer("no such library", dlopen("libtracelayer-no-such-library.so", RTLD_LAZY));
	return 0;
}

/* The first half of the work with a loader that is closed meanwhile: it must not go away under its
 * functions. */
static int work_reopened(void)
{
	for (int i = 0; i < 3; i++) {
		handle = dlopen("libOpenCL.so.1", RTLD_NOW);
		work_everywhere(0);
		dlclose(handle);
	}
	return 0;
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "local";
	if (!strncmp(way, "plugin:", 7))
		return work_as_plugin(argc > 2 ? argv[2] : "", way + 7);
	if (!strcmp(way, "absent"))
		return ask_for_nothing();
	if (!strcmp(way, "reopened"))
		return work_reopened();
	int global = !strcmp(way, "global") || !strcmp(way, "default") || !strcmp(way, "program");

	handle = dlopen("libOpenCL.so.1", RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL) |
						  (strcmp(way, "deep") ? 0 : RTLD_DEEPBIND));
	if (!handle) {
		printf("%s\n", dlerror());
		return 1;
	}
	if (!strcmp(way, "default"))
		handle = RTLD_DEFAULT;
	else if (!strcmp(way, "program"))
		handle = dlopen(NULL, RTLD_LAZY);
	return work_everywhere(!strcmp(way, "idle"));
}
