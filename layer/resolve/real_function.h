/* SPDX-License-Identifier: MIT */
/*
 * real_function.h: the real functions of shims, and what the program gets for a pointer to one.
 *
 * No function here changes errno. They leave the program's pending dlerror alone, unless a library
 * that the program opened has to be kept loaded or found by soname, which happens once for each.
 */
#ifndef TL_LAYER_RESOLVE_REAL_FUNCTION_H
#define TL_LAYER_RESOLVE_REAL_FUNCTION_H

#include <stdbool.h>

#include "tracelayer/shim.h"

/*
 * Find the real function behind a shim: after us in the global scope, by the handle that the
 * program opened, in the scope of the caller's own library, by soname; and keep its library loaded.
 * Sets shim->real and returns it; NULL: there is none.
 *
 * This also looks at newly loaded libraries, and may give this shim or others TL_MODE_CALLER: read
 * shim->mode again after it.
 */
void *tl_resolve_real(struct tl_shim *shim, void *caller);

/* The same for all shims of an API, with no caller. Most of them take no system call of their own. */
void tl_resolve_real_all(struct tl_shim *shims, uint32_t count);

/* The same as tl_resolve_real, unless a library would have to be loaded for it; for dladdr. */
void *tl_resolve_real_if_loaded(struct tl_shim *shim);

/*
 * Keep a library loaded whose functions shims call, since the program may close it. This calls
 * libc's own dlopen: another interposer of dlopen must not see a call that the program did not
 * make. False: no library of this path is loaded.
 */
bool tl_resolve_hold(const char *path);

/*
 * The call succeeded: wrap the pointers that it gave out (TL_FUNCTION_GETPROC). `words` are the
 * parameters, `result` is the place of the returned word.
 */
void tl_resolve_wrap(struct tl_shim *shim, const uint64_t *words, void *result);

/*
 * What the program gets for the pointer `real` of function `shim`: the shim's entry if `real` is
 * (or becomes) the shim's real function, else a closure. `real` itself if no closure can be made.
 */
void *tl_resolve_closure(struct tl_shim *shim, void *real);

/*
 * Make the shims of an API known to dlsym and to the get-proc functions. Does nothing for a library
 * that was added before.
 */
void tl_resolve_add(struct tl_shim_library *library);

/*
 * Whether this pointer, which the program got for this function by a handle, lies in a loader. If
 * the API names no library, the one that has the function counts as the loader from now on.
 */
bool tl_resolve_is_loaders(const struct tl_shim *shim, const void *pointer);

/* A library that implements the API is loaded. For the message "only libraries without shims". */
bool tl_resolve_is_loaded(const struct tl_api *api);

/* The shim of that name, or NULL. */
struct tl_shim *tl_resolve_named(const char *name);

#endif
