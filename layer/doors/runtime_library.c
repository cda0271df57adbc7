/* SPDX-License-Identifier: MIT */
/*
 * runtime_library.c: see runtime_library.h.
 */
#include "layer/doors/runtime_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define NAME "libtracelayer.so.0"

static struct tl_door_library library;
static const struct tl_door_library *found;

/* From PREFIX/lib/tracelayer/level-zero/libze_tracing_layer.so.1 to PREFIX/lib/libtracelayer.so.0. */
static void *library_open_beside(char *path)
{
	for (int i = 0; i < 3; i++) {
		char *slash = strrchr(path, '/');

		if (!slash)
			return NULL;
		*slash = 0;
	}
	if (strlen(path) + sizeof("/" NAME) > PATH_MAX)
		return NULL;
	strcat(path, "/" NAME);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static void *library_open(char *path)
{
	Dl_info own;
	void *handle = dlopen(NAME, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);

	path[0] = 0;
	if (!handle && dladdr((void *)tl_door_library, &own) && realpath(own.dli_fname, path))
		handle = library_open_beside(path);
	/* The layer's file may be a copy elsewhere: then search by name. */
	return handle ? handle : dlopen(NAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static void library_say_missing(const char *path)
{
	char line[PATH_MAX + 256];
	int length = snprintf(line, sizeof(line),
			      "tracelayer: the loader's layer: no usable " NAME
			      "%s%s; install both, or name its folder in LD_LIBRARY_PATH\n",
			      path[0] ? " at " : "", path);

	if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
		return;
}

static void library_look(void)
{
	static const char *const names[] = {"tl_door_opens",  "tl_door_pointer", "tl_door_table",
					    "tl_door_loader", "tl_door_symbol",	 "tl_zel"};
	void *functions[sizeof(names) / sizeof(*names)];
	char path[PATH_MAX];
	int saved = errno;

	_Static_assert(sizeof(functions) == sizeof(library), "a name for each function");
	if (getauxval(AT_SECURE))
		return;
	void *handle = library_open(path);
	bool all = handle != NULL;

	for (size_t i = 0; all && i < sizeof(names) / sizeof(*names); i++)
		all = (functions[i] = dlsym(handle, names[i])) != NULL;
	if (all) {
		memcpy(&library, functions, sizeof(library));
		found = &library;
	} else {
		library_say_missing(path);
	}
	errno = saved;
}

const struct tl_door_library *tl_door_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, library_look);
	return found;
}
