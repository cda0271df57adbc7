/* SPDX-License-Identifier: MIT */
/*
 * dlsym.h: the program's dlsym, dlvsym and dlerror (dladdr.c: dladdr and dladdr1), and the real
 * ones.
 *
 * libtracelayer.so exports them all. dlsym and dlvsym give the program a shim instead of a function
 * that has one. For everything else they jump to the real function with the caller's own return
 * address, so that RTLD_NEXT and RTLD_DEFAULT have their usual meaning.
 */
#ifndef TL_LAYER_RESOLVE_DLSYM_H
#define TL_LAYER_RESOLVE_DLSYM_H

#include <dlfcn.h>

/*
 * libc's own functions, found by reading its symbol table, so not another interposer's. NULL: libc
 * has none.
 */
struct tl_dl {
	void *(*dlopen)(const char *path, int mode);
	void *(*dlsym)(void *handle, const char *name);
	void *(*dlvsym)(void *handle, const char *name, const char *version);
	char *(*dlerror)(void);
	int (*dladdr)(const void *address, Dl_info *info);
	int (*dladdr1)(const void *address, Dl_info *info, void **extra, int flags);
};

const struct tl_dl *tl_dl(void);

/*
 * The function that the program would get if libtracelayer.so did not export one of that name.
 * NULL: there is none. The program's dlerror does not change.
 */
void *tl_dlsym_next(const char *name);

/*
 * dlsym and dlvsym for a library that was opened with RTLD_DEEPBIND (deep_bound.h): RTLD_DEFAULT and
 * RTLD_NEXT have their meaning there.
 */
__attribute__((visibility("hidden"))) void *tl_dlsym_deep(void *handle, const char *name);
__attribute__((visibility("hidden"))) void *tl_dlvsym_deep(void *handle, const char *name,
							   const char *version);

#endif
