/*
 * resolve.h: the real functions, and who is asking.
 *
 * A loader is a library whose soname an API names. A driver is a library that a loader took symbols from with dlsym.
 * What they call themselves always gets the real thing; what the program asks for gets shims.
 */
#ifndef TL_LAYER_RESOLVE_H
#define TL_LAYER_RESOLVE_H

#include <stdbool.h>

#include "tracelayer/shim.h"

/*
 * Find the real function behind a shim: after us in the global scope, by the handle the program opened, in the scope of the caller's own
 * library, by soname; and hold its library. Sets shim->real and returns it, NULL where there is none. Keeps errno and dlerror.
 */
void *tl_resolve_real(struct tl_shim *shim, void *caller);

/*
 * A call came through a shim with TL_MODE_CALLER. Returns the function it must get if it is a loader's or a driver's own, which is
 * then called with nothing recorded; NULL: it is the program's call, go on.
 */
void *tl_resolve_foreign(struct tl_shim *shim, void *caller);

/* The call returned success: wrap what it gave out (TL_FUNCTION_GETPROC). words are the parameters', result the returned word's place. */
void tl_resolve_wrap(struct tl_shim *shim, const uint64_t *words, void *result);

/*
 * What the program gets for the pointer `real` of function `shim`: the shim's entry where real is (or becomes) its own, else a
 * closure of its own. `real` itself where no closure can be had.
 */
void *tl_resolve_closure(struct tl_shim *shim, void *real);

/* Make the shims of an API known to dlsym and the get-proc functions. */
void tl_resolve_add(struct tl_shim_library *library);

/* Library that an address lies in: its soname or file name, or NULL. */
const char *tl_resolve_library(const void *address);

/* Libraries of the APIs that the process has loaded (a bit per API number): for "only libraries without shims". */
bool tl_resolve_is_loaded(const struct tl_api *api);

#endif
