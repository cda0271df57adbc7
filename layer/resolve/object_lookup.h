/* SPDX-License-Identifier: MIT */
/*
 * object_lookup.h: which loaded object an address lies in, fast: by the C library's
 * _dl_find_object, which takes no lock, where the C library has it (glibc 2.35), else by a walk.
 */
#ifndef TL_LAYER_RESOLVE_OBJECT_LOOKUP_H
#define TL_LAYER_RESOLVE_OBJECT_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

/* The program or a library. */
struct tl_object {
	uintptr_t start, end; /* where it is mapped */
	/* the dynamic linker's own address for it; or how many libraries were loaded and unloaded */
	uintptr_t mark;
	const uint8_t *table; /* .eh_frame_hdr; NULL: it has none */
};

/* False: the address lies in no object. Async-signal-safe, keeps errno. */
bool tl_object_at(uintptr_t address, struct tl_object *object);

#endif
