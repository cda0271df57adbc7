/* SPDX-License-Identifier: MIT */
/*
 * libclang.c: see libclang.h.
 */
#define LIBCLANG_INSIDE
#include "gen/libclang.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "gen/allocate.h"

struct libclang libclang;

#define LIBCLANG_ROW(name) {#name, offsetof(struct libclang, name)},
static const struct {
	const char *name;
	size_t offset;
} functions[] = {LIBCLANG_FUNCTIONS(LIBCLANG_ROW)};

/* Load the release that tracegen was built with: from where the dynamic linker searches, then from the
 * folder that configure found. */
static void *libclang_open(void)
{
	void *library = dlopen(LIBCLANG_SONAME, RTLD_NOW | RTLD_LOCAL);

	return library ? library
		       : dlopen(LIBCLANG_FOLDER "/" LIBCLANG_SONAME, RTLD_NOW | RTLD_LOCAL);
}

/* The number in the name of Debian's package: libclang1-14 has libclang-14.so.13. */
static int libclang_release(void)
{
	int release = 14;

	sscanf(LIBCLANG_SONAME, "libclang-%d", &release);
	return release;
}

bool libclang_load(void)
{
	static void *library;
	const char *why = NULL;

	if (library)
		return true;
	library = libclang_open();
	if (!library)
		why = copy_text(dlerror());
	for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
		void *address = dlsym(library, functions[i].name);

		if (!address) {
			why = format_text("%s: it has no %s", LIBCLANG_SONAME, functions[i].name);
			dlclose(library);
			library = NULL;
			break;
		}
		memcpy((char *)&libclang + functions[i].offset, &address, sizeof address);
	}
	if (!library)
		fprintf(stderr,
			"tracegen: headers can't be read without libclang (%s); install it (Debian: libclang1-%d), or name no header: `tracelayer run --lib LIBRARY` needs none\n",
			why, libclang_release());
	return library != NULL;
}
