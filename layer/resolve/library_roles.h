/* SPDX-License-Identifier: MIT */
/*
 * library_roles.h: which loaded library plays which role: ours, a loader, a driver.
 *
 * A shim is entangled where a loader or a driver refers to a function of its name by symbol, and
 * the dynamic linker has bound that to us, or may do so yet: a loader that has its own exports in a
 * table, a driver whose symbols have the loader's names. Such a shim gets TL_MODE_CALLER. A loader's
 * direct calls of its own exports are bound to itself instead (own_references.h).
 */
#ifndef TL_LAYER_RESOLVE_LIBRARY_ROLES_H
#define TL_LAYER_RESOLVE_LIBRARY_ROLES_H

#include <stdbool.h>

#include "layer/base/loaded_libraries.h"
#include "tracelayer/shim.h"

enum tl_role {
	TL_ROLE_NONE,
	TL_ROLE_OWN,	/* shims live there */
	TL_ROLE_LOADER, /* its soname is one of an API's; or the real functions are found there */
	/*
	 * a loader is linked into it, which asks the dynamic one for its functions; else it is the
	 * program's
	 */
	TL_ROLE_LINKED,
	TL_ROLE_DRIVER, /* a loader took symbols from it, or dispatched to it; or it looks like one
			   (see library_roles.c) */
};

#define TL_ROLES_NAMES 4096

struct tl_known_library {
	struct tl_elf elf;
	enum tl_role role;
	_Atomic bool gone; /* unloaded; its addresses may be another library's by now */
	_Atomic uint64_t bound[TL_ROLES_NAMES / 64]; /* by name: some table of its own holds our
							shim where its own function was meant */
};

/* Look at what was loaded since the last time. Cheap where nothing was. Not within
 * tl_loaded_with. */
void tl_roles_look(void);

/* What the library at that address is known as; NULL: none of these, the program's own. Takes no
 * lock. */
const struct tl_known_library *tl_roles_at(const void *address);

/* The library at that address is ours; is a loader. */
bool tl_roles_is_own_at(const void *address);
bool tl_roles_is_loader_at(const void *address);

/* The nth, for walking; NULL past the last. Those that are gone are among them. */
const struct tl_known_library *tl_roles_nth(unsigned n);

/* The same for a library of the list. */
enum tl_role tl_roles_of(const struct tl_elf *elf);

/* The library at that address implements an API whose loader is not known by name. It is its
 * loader, unless it is the program, or known as something else. */
void tl_roles_note_loader(const void *address);

/* A loader took a symbol from the library at that address: it is a driver, unless it is ours, a
 * loader or the program. */
void tl_roles_note_driver(const void *address);

/* The library at that address looked up what only a loader that is linked into a library uses. */
void tl_roles_note_linked(const void *address);

/* A table of this library holds the shim instead of the library's own function. */
bool tl_roles_is_bound(const struct tl_known_library *known, const struct tl_shim *shim);

/*
 * The API's loader has a layer of ours (layer/resolve/loader_tables.h), so that all calls come by
 * its tables: no shim of it is entangled, and nobody has to be told apart.
 */
void tl_roles_note_layered(const struct tl_api *api);
bool tl_roles_is_layered(const struct tl_api *api);

/*
 * A loader dispatched to this shim through a table, or an exported function tail-called another:
 * libraries that have it in one of theirs are drivers, if nothing else told so. Does not look again
 * for what it did not find, while no library was loaded.
 */
void tl_roles_suspect(const struct tl_shim *shim);

#endif
