/* SPDX-License-Identifier: MIT */
/*
 * runtime_library.h: how the loaders' layers find libtracelayer.so.
 *
 * A layer is not linked to libtracelayer.so. The loader may open the layer by a symbolic link, and
 * for the dynamic linker $ORIGIN is then the link's folder. So the layer looks beside its real file.
 * A libtracelayer.so that is preloaded comes first: a process has one runtime.
 */
#ifndef TL_LAYER_DOORS_RUNTIME_LIBRARY_H
#define TL_LAYER_DOORS_RUNTIME_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/resolve/loader_tables.h"

struct tl_zel;

/*
 * The functions of libtracelayer.so that a layer uses; layer/resolve/loader_tables.h and
 * layer/program/zel_tracer.h describe them.
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
 * Loads the library at the first call. NULL: a line on stderr has said that there is no usable one,
 * or the program is set-user-id. Then the layer leaves the loader's tables as they are.
 */
const struct tl_door_library *tl_door_library(void);

#endif
