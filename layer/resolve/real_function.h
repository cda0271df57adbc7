/* SPDX-License-Identifier: MIT */
/*
 * real_function.h: the real functions of shims, and what the program gets for a pointer to one.
 *
 * No function here changes errno. They leave the program's pending dlerror alone, except where a
 * library that the program opened has to be held or found by soname, which happens once for each.
 */
#ifndef TL_LAYER_RESOLVE_REAL_FUNCTION_H
#define TL_LAYER_RESOLVE_REAL_FUNCTION_H

#include <stdbool.h>

#include "tracelayer/shim.h"

/*
 * Find the real function behind a shim: after us in the global scope, by the handle the program
 * opened, in the scope of the caller's own library, by soname; and hold its library. Sets
 * shim->real and returns it, NULL where there is none.
 *
 * It also looks at the libraries that came since the last time, and may give this shim or others
 * TL_MODE_CALLER: read shim->mode again after it.
 */
void *tl_resolve_real(struct tl_shim *shim, void *caller);

/* The same, as far as that can be had without loading a library for it; for dladdr. */
void *tl_resolve_real_if_loaded(struct tl_shim *shim);

/* The call returned success: wrap what it gave out (TL_FUNCTION_GETPROC). words are the
 * parameters', result the returned word's place. */
void tl_resolve_wrap(struct tl_shim *shim, const uint64_t *words, void *result);

/*
 * What the program gets for the pointer `real` of function `shim`: the shim's entry where real is
 * (or becomes) its own, else a closure of its own. `real` itself where no closure can be had.
 */
void *tl_resolve_closure(struct tl_shim *shim, void *real);

/* Make the shims of an API known to dlsym and the get-proc functions. A second time for the same
 * library does nothing. */
void tl_resolve_add(struct tl_shim_library *library);

/*
 * The program asked for this function by a handle, and got that pointer: it lies in a loader. Where
 * the API names no library, the one that has it counts as its loader from now on.
 */
bool tl_resolve_is_loaders(const struct tl_shim *shim, const void *pointer);

/* A library that implements the API is loaded: for "only libraries without shims". */
bool tl_resolve_is_loaded(const struct tl_api *api);

#endif
