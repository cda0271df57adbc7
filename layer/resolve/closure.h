/* SPDX-License-Identifier: MIT */
/*
 * closure.h: a function pointer of its own for each further real function of a name.
 *
 * If two platforms give different functions for one name, the shim of that name can call only one
 * of them. Each further one gets a closure. It contains a shim of its own with the real function in
 * it, and is traced as the same function.
 */
#ifndef TL_LAYER_RESOLVE_CLOSURE_H
#define TL_LAYER_RESOLVE_CLOSURE_H

#include "tracelayer/shim.h"

/*
 * The closure for this shim and real function, made at the first call and never freed. Returns
 * `real` itself if the system refuses executable memory, libffi can't be loaded, or a parameter's type cannot be passed on.
 * Any thread.
 */
void *tl_closure_for(struct tl_shim *shim, void *real);

/*
 * An address in libffi's code, which lies between a closure's caller and the layer: in
 * libtracelayer.so, or in a library of its own. Once there is a closure. NULL: built without
 * libffi. Any thread.
 */
const void *tl_closure_code(void);

/* The shim of the closure whose entry this is, or NULL. Any thread; takes no lock. */
struct tl_shim *tl_closure_at(const void *entry);

#endif
