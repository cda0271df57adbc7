/* SPDX-License-Identifier: MIT */
/*
 * real_function.h: the real functions of shims, and whose call it is.
 *
 * A loader is a library whose soname an API names. A driver is a library that a loader took symbols
 * from with dlsym, or that a loader was seen to dispatch to. What they call themselves always gets
 * the real function. What the program asks for gets shims.
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

/*
 * A call came through a shim with TL_MODE_CALLER (call->shim, caller and params are set). Returns
 * the function it must get if it is a loader's or a driver's own, which is then called with nothing
 * recorded; NULL: it is the program's call, go on.
 */
void *tl_resolve_foreign(const struct tl_call *call);

/*
 * Where each of a few functions was called from the first time. True: this call comes from there.
 * Any thread; all are relaxed, since the calls that are told apart are made by one thread, one
 * after the other.
 */
#define TL_FIRST_PLACES 8
struct tl_first_places {
	struct {
		const struct tl_function *_Atomic function;
		const void *_Atomic place;
	} first[TL_FIRST_PLACES];
};
bool tl_resolve_comes_first(struct tl_first_places *places, const struct tl_call *call);

/*
 * A call came through a shim with TL_MODE_CALLER, and it is the program's: but a loader makes it
 * that is linked into the caller's library. Then nobody hears of it; what it gives out is wrapped
 * all the same.
 */
bool tl_resolve_brings_loader_up(const struct tl_function *function);
bool tl_resolve_is_linked_loaders(const struct tl_call *call);

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

/* A library that implements the API is loaded: for "only libraries without shims". */
bool tl_resolve_is_loaded(const struct tl_api *api);

#endif
