/* SPDX-License-Identifier: MIT */
/*
 * loader_tables.h: the runtime's interface for the loaders' own layers (layer/doors). A process has
 * one runtime, whichever way it was loaded.
 *
 * A loader that has an interface for layers offers its tables of functions to them. A layer hands
 * each pointer on to here. It gives the loader our shim in the pointer's place; the shim's real
 * function is that pointer. If the shims are preloaded, and so come before the loader anyway,
 * nothing is replaced, so that a call is traced once.
 *
 * Functions are identified by name, not by number: the two sides may have been made from different
 * headers. A function that has no shim stays as it is.
 */
#ifndef TL_LAYER_RESOLVE_LOADER_TABLES_H
#define TL_LAYER_RESOLVE_LOADER_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelayer/shim.h"

/*
 * The loader of this function's API is about to offer its functions. True: the layer takes them.
 * False: it leaves all as they are.
 */
TL_EXPORT bool tl_door_opens(const char *function);

/* Put the shim of that function in the pointer's place. Any thread; NULL stays NULL. */
TL_EXPORT void tl_door_pointer(const char *function, void **place);

/*
 * The same for each member of a table that `getter` (a function like zeGetEventProcAddrTable)
 * fills, up to the last member that this version has.
 */
TL_EXPORT void tl_door_table(const char *getter, uint32_t version, void *table);

/*
 * How Level Zero's loaders find out whether a driver is alive. They call the driver's initialising
 * functions before the program's call. Those calls are not the program's, and get the real
 * functions.
 */
enum tl_door_check {
	/* up to 1.17.27: by a table that they ask each driver for */
	TL_DOOR_CHECKS_BY_OTHER_TABLES,
	/* up to 1.25: by the table that the program's calls go through */
	TL_DOOR_CHECKS_BY_ITS_TABLE,
	TL_DOOR_CHECKS_NOTHING,
};
TL_EXPORT void tl_door_loader(enum tl_door_check check);

/* A symbol of the library that the address lies in, or NULL. */
TL_EXPORT void *tl_door_symbol(const void *address, const char *name);

/* For tl_resolve_foreign: this call is such a check. */
struct tl_call;
bool tl_door_is_check(const struct tl_call *call);

#endif
