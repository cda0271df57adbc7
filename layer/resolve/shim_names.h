/* SPDX-License-Identifier: MIT */
/*
 * shim_names.h: from a function's name to its shim.
 *
 * The table is made by the first lookup after an API was added, in one mapping, and published when
 * complete; readers take no lock. Every dlsym of the program uses it, also one within a malloc that
 * is being set up. So it does not allocate from the heap.
 */
#ifndef TL_LAYER_RESOLVE_SHIM_NAMES_H
#define TL_LAYER_RESOLVE_SHIM_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/base/libc/elf_image.h"
#include "tracelayer/shim.h"

struct tl_shim_name {
	const char *name;
	struct tl_shim *shim;
	uint32_t hash; /* tl_elf_hash */
	uint32_t next; /* the next entry of its bucket: index + 1; 0: it is the last */
	/* the function's, here since a look at the libraries asks for those of all names */
	uint32_t flags;
	uint32_t index; /* among all names: it never changes */
};

#define TL_SHIM_BEGINNINGS 4096
#define TL_SHIM_HASHES	   32768

struct tl_shim_names {
	const struct tl_shim_name *name;
	uint32_t count, libraries;
	uint32_t mask; /* buckets - 1 */
	const uint32_t *buckets;
	uint64_t bytes;
	/* A bit for each beginning that a name has. Most names that are asked for have none of them. */
	uint64_t beginnings[TL_SHIM_BEGINNINGS / 64];
	/* A bit for each hash, without its lowest bit. */
	uint64_t hashes[TL_SHIM_HASHES / 64];
};

/*
 * Make a library's functions known. Does nothing for a library that was added before. If two
 * libraries have the same name, the first one keeps it.
 */
void tl_shim_names_add(struct tl_shim_library *library);

/* All names; NULL: there are none, or memory was refused. */
const struct tl_shim_names *tl_shim_names(void);

/*
 * False: the library defines none of the names. True: it may define some. As a rule it does, or it has
 * many more symbols than there are names.
 */
bool tl_shim_names_are_in(const struct tl_shim_names *names, const struct tl_elf *elf);

/* The name's entry in tl_shim_names, or NULL. */
const struct tl_shim_name *tl_shim_names_entry(const char *name);

/* The shim of that name, or NULL. */
struct tl_shim *tl_shim_names_find(const char *name);

/* How many libraries have functions with TL_FUNCTION_COMPARED. */
unsigned tl_shim_names_compared(void);

/* How many libraries are interposers, made by no compiler; the shim is one of these. */
unsigned tl_shim_names_generic(void);
bool tl_shim_names_is_generic(const struct tl_shim *shim);

/* The shim whose entry this is, or NULL. Takes no lock. */
struct tl_shim *tl_shim_names_at(const void *entry);

/*
 * The name, or the shim with this entry, belongs to a built-in API. For lookups before these are
 * registered. Calls nothing.
 */
bool tl_shim_names_is_builtin(const char *name);
bool tl_shim_names_is_builtin_at(const void *entry);

/*
 * Whether a function with these flags gives out an API's other functions, and only drivers have it
 * (vk_icdGetInstanceProcAddr).
 */
static inline bool tl_shim_flags_are_drivers_getproc(uint32_t flags)
{
	return flags & TL_FUNCTION_GETPROC && !(flags & TL_FUNCTION_EXPORTED);
}

/* The index of a shim's name. UINT32_MAX: it has none. */
uint32_t tl_shim_names_index(const struct tl_shim *shim);

/* The library with the API's shims, or the nth that was added (NULL past the last). */
struct tl_shim_library *tl_shim_names_library(const struct tl_api *api);
struct tl_shim_library *tl_shim_names_nth(unsigned n);

#endif
