/*
 * doors.h: what the loaders' own layers (layer/doors/) ask of the runtime, which is the only one in a process, whichever way it came.
 *
 * A loader that has an interface for layers offers them its tables of functions. A layer hands each pointer on to here, and gives the
 * loader back what it finds in its place: our shim, whose real function is that pointer. Where the shims already stand before the loader
 * (preloaded), nothing is replaced, so that a call through both doors is traced once.
 *
 * Functions are named, and not numbered: the two may have been made from different headers. What is not known stays as it is.
 */
#ifndef TL_LAYER_DOORS_H
#define TL_LAYER_DOORS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelayer/shim.h"

/* A loader of this function's API is about to offer its functions: take them? False: leave them all. */
TL_EXPORT bool tl_door_opens(const char *function);

/* Put the shim of that function in the pointer's place. Any thread; NULL stays NULL. */
TL_EXPORT void tl_door_pointer(const char *function, void **place);

/* The same for each member of a table that `getter` (a function like zeGetEventProcAddrTable) fills; of the members that this version has. */
TL_EXPORT void tl_door_table(const char *getter, uint32_t version, void *table);

#endif
