/* SPDX-License-Identifier: MIT */
/*
 * call_origin.h: who makes a call: the program, a loader or a driver.
 *
 * A loader is a library whose soname an API names. A driver is a library that a loader took symbols
 * from with dlsym, or that a loader was seen to dispatch to. Their own calls always get the real
 * function. The program's calls get shims.
 *
 * No function here changes errno.
 */
#ifndef TL_LAYER_RESOLVE_CALL_ORIGIN_H
#define TL_LAYER_RESOLVE_CALL_ORIGIN_H

#include <stdbool.h>

#include "tracelayer/shim.h"

/*
 * A call came through a shim with TL_MODE_CALLER (call->shim, caller and params are set). Returns
 * the function that the call must get if it is a loader's or a driver's own; it is then called and
 * nothing is recorded. NULL: it is the program's call, go on.
 */
void *tl_resolve_foreign(const struct tl_call *call);

/*
 * The same for the most frequent of these calls, without the call's parameters: a loader calls its
 * own function, and the shim stands for that one (tl_roles_is_settled); or it calls it by a
 * pointer, as C++'s virtual functions do, and no driver is known. NULL: ask tl_resolve_foreign. If
 * the shim is not settled, takes the same locks as a look at the libraries.
 */
void *tl_resolve_own(const struct tl_shim *shim, const void *caller);

/*
 * The call returns to us, since the function of the call around it jumped here, or to a callback that
 * did. True: that function is in none of the API's libraries, so the call is the program's. A library
 * that replaces some of the API's functions calls the others in this way.
 */
bool tl_resolve_is_jump_of_others(const struct tl_call *call, const struct tl_shim *around);

/*
 * Remembers, for a few functions and each of the libraries that call them, the place of the first call.
 * True: this call comes from the same place. Any thread; all are relaxed, since one thread makes a
 * library's calls in question, one after the other.
 */
#define TL_FIRST_PLACES 32
struct tl_first_places {
	struct {
		const struct tl_function *_Atomic function;
		const void *_Atomic place;
	} first[TL_FIRST_PLACES];
};
bool tl_resolve_comes_first(struct tl_first_places *places, const struct tl_call *call);

/* A loader that is linked into a library initialises the dynamic loader by this function. */
bool tl_resolve_brings_loader_up(const struct tl_function *function);

/*
 * For a call through a shim with TL_MODE_CALLER that is the program's (tl_resolve_foreign). True: a
 * loader that is linked into the caller's library makes it. Then it is not recorded and no tracer
 * sees it, but the pointers that it gives out are still wrapped.
 */
bool tl_resolve_is_linked_loaders(const struct tl_call *call);

/*
 * A call of a shim with TL_MODE_CALLER that returns to `caller` is the program's, and means the shim's
 * own real function. False: it may be another's; tl_resolve_foreign knows.
 */
bool tl_resolve_is_programs(const struct tl_shim *shim, const void *caller);

#endif
