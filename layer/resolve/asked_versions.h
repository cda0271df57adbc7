/* SPDX-License-Identifier: MIT */
/*
 * asked_versions.h: libraries and programs that ask for an older version of an API's function.
 *
 * A compiled shim has no version, so references to foo@V1 and to foo@@V2 both lead to it, and its
 * real function is the default one, foo@@V2. If something that is loaded asks for another version,
 * the shim gets TL_MODE_CALLER, and each call gets the version that its caller's library asks for.
 * As a rule nothing asks, and then calls cost nothing more. (An interposer has a shim for each
 * version.)
 */
#ifndef TL_LAYER_RESOLVE_ASKED_VERSIONS_H
#define TL_LAYER_RESOLVE_ASKED_VERSIONS_H

#include "layer/base/loaded_libraries.h"
#include "tracelayer/shim.h"

/*
 * Within tl_loaded_with: look through the library's references. Calls `note` for each shim of which
 * the library asks for a version that is not the default one.
 */
void tl_asked_versions_look(const struct tl_loaded *loaded, const struct tl_elf *elf,
			    void (*note)(struct tl_shim *shim, void *closure), void *closure);

/*
 * The version of the real function that the caller's library asks for; `real` if it asks for none.
 * Any thread; does not change errno.
 */
void *tl_asked_version(const struct tl_call *call, void *real);

/* The same by what is known already, without a system call: in a process that is confined. */
void *tl_asked_version_known(const struct tl_call *call, void *real);

/* Some library asks for another version of that function. */
bool tl_asked_version_is_known(const struct tl_shim *shim);

#endif
