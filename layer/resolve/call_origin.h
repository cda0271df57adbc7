/* SPDX-License-Identifier: MIT */
/*
 * call_origin.h: whose call it is: the program's, a loader's or a driver's.
 *
 * A loader is a library whose soname an API names. A driver is a library that a loader took symbols
 * from with dlsym, or that a loader was seen to dispatch to. What they call themselves always gets
 * the real function. What the program asks for gets shims.
 *
 * No function here changes errno.
 */
#ifndef TL_LAYER_RESOLVE_CALL_ORIGIN_H
#define TL_LAYER_RESOLVE_CALL_ORIGIN_H

#include <stdbool.h>

#include "tracelayer/shim.h"

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

#endif
