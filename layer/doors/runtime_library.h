/* SPDX-License-Identifier: MIT */
/*
 * runtime_library.h: how the loaders' layers find libtracelayer.so.
 *
 * A layer is not linked to it. For the dynamic linker $ORIGIN is the folder of the name that a
 * library was opened by, and that may be a symbolic link anywhere. So the layer looks from where
 * its file really is. A libtracelayer.so that is preloaded comes first: a process has one runtime.
 */
#ifndef TL_LAYER_DOORS_RUNTIME_LIBRARY_H
#define TL_LAYER_DOORS_RUNTIME_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/resolve/loader_tables.h"

struct tl_zel;

/*
 * The functions of it that a layer uses: layer/resolve/loader_tables.h, layer/program/zel_tracer.h.
 */
struct tl_door_library {
	bool (*opens)(const char *function);
	void (*pointer)(const char *function, void **place);
	void (*table)(const char *getter, uint32_t version, void *table);
	void (*loader)(enum tl_door_check check);
	void *(*symbol)(const void *address, const char *name);
	const struct tl_zel *(*zel)(void);
};

/*
 * Loads the library at the first call. NULL: there is none, and a line on stderr has reported that;
 * or the program is set-user-id. Then the layer leaves everything as it is.
 */
const struct tl_door_library *tl_door_library(void);

#endif
