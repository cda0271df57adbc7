/* SPDX-License-Identifier: MIT */
/*
 * shim_names.h: from a function's name to its shim.
 *
 * The table is made at the first question after an API was added, in one mapping, and published
 * whole; a reader takes no lock. Every dlsym of the program asks it, also that of a malloc that is
 * being set up. So it does not allocate from the heap.
 */
#ifndef TL_LAYER_RESOLVE_SHIM_NAMES_H
#define TL_LAYER_RESOLVE_SHIM_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "tracelayer/shim.h"

struct tl_shim_name {
	const char *name;
	struct tl_shim *shim;
	uint32_t hash; /* tl_elf_hash */
	uint32_t next; /* in its bucket: index + 1, 0: last */
};

struct tl_shim_names {
	const struct tl_shim_name *name;
	uint32_t count, libraries;
	uint32_t mask; /* buckets - 1 */
	const uint32_t *buckets;
	uint64_t bytes;
};

/* Make a library's functions known. A second time for the same library does nothing; the first
 * library to bring a name keeps it. */
void tl_shim_names_add(struct tl_shim_library *library);

/* All names there are; NULL where there are none, or memory was refused. */
const struct tl_shim_names *tl_shim_names(void);

/* The shim of that name, or NULL. */
struct tl_shim *tl_shim_names_find(const char *name);

/* The shim whose entry this is, or NULL. Takes no lock. */
struct tl_shim *tl_shim_names_at(const void *entry);

/* The name is one of the built-in APIs'; to be asked before these are registered. Calls nothing. */
bool tl_shim_names_is_builtin(const char *name);

/* The place of a shim's name among all names: it never changes. UINT32_MAX: it has none. */
uint32_t tl_shim_names_index(const struct tl_shim *shim);

/* The library with the API's shims, or the nth that was added (NULL past the last). */
struct tl_shim_library *tl_shim_names_library(const struct tl_api *api);
struct tl_shim_library *tl_shim_names_nth(unsigned n);

#endif
