/* SPDX-License-Identifier: MIT */
/*
 * dlsym.h: the program's dlsym, dlvsym and dlerror (dladdr.c: dladdr and dladdr1), and the real ones.
 *
 * libtracelayer.so exports them all. dlsym and dlvsym give the program a shim where it would have
 * got a function that has one. Everything else jumps on to the real function with the caller's own
 * return address, so that RTLD_NEXT and RTLD_DEFAULT mean what they mean there.
 */
#ifndef TL_LAYER_RESOLVE_DLSYM_H
#define TL_LAYER_RESOLVE_DLSYM_H

#include <dlfcn.h>

/* libc's own, found by reading its symbol table: not another interposer's. NULL where libc has
 * none. */
struct tl_dl {
	void *(*dlsym)(void *handle, const char *name);
	void *(*dlvsym)(void *handle, const char *name, const char *version);
	char *(*dlerror)(void);
	int (*dladdr)(const void *address, Dl_info *info);
	int (*dladdr1)(const void *address, Dl_info *info, void **extra, int flags);
};

const struct tl_dl *tl_dl(void);

/*
 * The function that the program would get if we did not export one of that name. NULL: there is
 * none; the program's dlerror does not hear of it.
 */
void *tl_dlsym_next(const char *name);

#endif
