/* SPDX-License-Identifier: MIT */
/*
 * library_roles.h: which role each loaded library has: ours, a loader, a driver.
 *
 * A shim is entangled if a loader or a driver refers to a function of its name by symbol, and the
 * dynamic linker has bound that to us, or may still do so. Examples are a loader that has its own
 * exports in a table, and a driver whose symbols have the loader's names. Such a shim gets
 * TL_MODE_CALLER. A loader's direct calls of its own exports are bound to itself instead
 * (own_references.h).
 */
#ifndef TL_LAYER_RESOLVE_LIBRARY_ROLES_H
#define TL_LAYER_RESOLVE_LIBRARY_ROLES_H

#include <stdbool.h>

#include "layer/base/loaded_libraries.h"
#include "tracelayer/shim.h"

enum tl_role {
	TL_ROLE_NONE,
	TL_ROLE_OWN,	/* it contains shims */
	TL_ROLE_LOADER, /* its soname is one of an API's, or the real functions were found in it */
	/*
	 * a loader is linked into it, which asks the dynamic loader, or drivers, for functions; in
	 * all else it belongs to the program
	 */
	TL_ROLE_LINKED,
	/*
	 * a loader took symbols from it, or dispatched to it; or it looks like a driver
	 * (library_roles.c)
	 */
	TL_ROLE_DRIVER,
};

/*
 * What is known of each name. Where there are more names (OpenBLAS exports 15,000 functions), some
 * share a place: then a library counts as bound that is not, which is only looked at once more.
 */
#define TL_ROLES_NAMES 4096

struct tl_known_library {
	struct tl_elf elf;
	enum tl_role role;
	/* the place in the global scope; UINT_MAX: it was opened later, or may have been */
	unsigned place;
	_Atomic bool gone; /* unloaded; its addresses may be another library's by now */
	/*
	 * a bit for each name: one of the library's own tables has our shim where it had its own
	 * function without us
	 */
	_Atomic uint64_t bound[TL_ROLES_NAMES / 64];
	/* a bit for each name: another library's function comes first, also for this library's calls */
	_Atomic uint64_t overridden[TL_ROLES_NAMES / 64];
};

/*
 * Look at the libraries that were loaded since the last time. Cheap if there are none. Not within
 * tl_loaded_with.
 */
void tl_roles_look(void);

/* The library at that address, if it has a role; NULL: it is the program's own. Takes no lock. */
const struct tl_known_library *tl_roles_at(const void *address);

/* The library at that address is ours; is a loader. */
bool tl_roles_is_own_at(const void *address);
bool tl_roles_is_loader_at(const void *address);

/* The nth library of the list; NULL past the last. Unloaded libraries (.gone) are among them. */
const struct tl_known_library *tl_roles_nth(unsigned n);

/* The same for a library of the list. */
enum tl_role tl_roles_of(const struct tl_elf *elf);

/*
 * Whether a library that was opened later, other than `elf` and ours, defines the function. Only
 * the dynamic linker knows whether a reference finds that one before `elf`.
 */
bool tl_roles_others_define(const struct tl_loaded *loaded, const struct tl_elf *elf,
			    const char *name);

/* The library's soname is one of those that the API names. */
bool tl_roles_is_named_by(const struct tl_elf *elf, const struct tl_api *api);

/*
 * The first library of the global scope that defines a function which `elf` defines, too. Our
 * libraries do not count. NULL: no library that the program started with defines it. References of
 * libraries that are opened later lead there, too. (With RTLD_DEEPBIND a library's own functions come
 * first, but then its references don't lead to us.)
 */
const struct tl_elf *tl_roles_first_at_start(const struct tl_loaded *loaded,
					     const struct tl_elf *elf, const char *name);

/*
 * The library at that address implements an API whose loader is not known by name. It becomes the
 * API's loader, unless it is the program, or has another role.
 */
void tl_roles_note_loader(const void *address);

/*
 * A loader took a symbol from the library at that address: it becomes a driver, unless it is ours,
 * a loader or the program.
 */
void tl_roles_note_driver(const void *address);

/*
 * The library at that address does what only one does that has a loader linked into it. With an API
 * it counts as that API's loader all the same if the program or another library has references to
 * the API's functions.
 */
void tl_roles_note_linked(const void *address, const struct tl_api *api);

/* A table of this library holds the shim instead of the library's own function. */
bool tl_roles_is_bound(const struct tl_known_library *known, const struct tl_shim *shim);

/*
 * Without us, the library's calls of its function get to another library's, by the order in which the
 * dynamic linker searches.
 */
bool tl_roles_is_overridden(const struct tl_known_library *known, const struct tl_shim *shim);

/*
 * The shim stands for this library's function, whatever is opened later: both the shim and the
 * library are in the global scope, the shim first. A library that is opened later may define a
 * function of this name; still, a reference of it that leads to the shim leads to this library
 * without us, since the dynamic linker searches the global scope first. (A reference that finds its
 * own library's function first, as with RTLD_DEEPBIND, does not lead to the shim.) Takes no lock.
 */
bool tl_roles_is_settled(const struct tl_known_library *known, const struct tl_shim *shim);

/*
 * The API's loader has a layer of ours (layer/resolve/loader_tables.h), so all calls come through
 * its tables: no shim of the API is entangled, and callers need not be told apart.
 */
void tl_roles_note_layered(const struct tl_api *api);
bool tl_roles_is_layered(const struct tl_api *api);

/*
 * A loader dispatched to this shim through a table, or an exported function tail-called another.
 * Libraries that have the shim in one of their tables become drivers, unless they have another
 * role. A search that found nothing is not repeated until a library is loaded.
 */
void tl_roles_suspect(const struct tl_shim *shim);

#endif
