/* SPDX-License-Identifier: MIT */
/*
 * exports.h: the functions that shared libraries export, by what the dynamic linker reads of them.
 * check.c compares them with a model; parse.c takes from headers what they declare of them.
 */
#ifndef TL_GEN_EXPORTS_H
#define TL_GEN_EXPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One exported function, once for each of its versions. */
struct export
{
	const char *name;
	const char *version; /* "" where symbols have none */
	bool hidden;	     /* not the version that new programs get */
	bool indirect;	     /* an ifunc: the address is its resolver's */
	bool compared;	     /* by exports_find_compared */
	uint64_t address;
};

/* Of one library, or of several together. */
struct exports {
	const char **paths;
	size_t npaths;
	const char **sonames; /* of those that have one; else the file's name */
	size_t nsonames;
	struct export
		*list; /* functions, by name; for each name, the version for new programs first */
	size_t count;
	size_t nfunctions;   /* different names */
	struct export *data; /* variables, by name */
	size_t ndata;
	const char **versions; /* in the library's order, without its own name */
	size_t nversions;
	unsigned machine; /* EM_*, of the last library */
};

/*
 * The path of a library as the dynamic loader would find it: a name with a slash is a path, another
 * is looked up in LD_LIBRARY_PATH, in the loader's cache, and in the standard folders. NULL after
 * an error (printed).
 */
const char *library_find(const char *name);

/* The same without a message. */
const char *library_find_quietly(const char *name);

/* Add the exports of the library at `path`. -1 after an error (printed). */
int exports_read(const char *path, struct exports *to);

/*
 * Mark the functions whose address the library takes without the dynamic linker's search, and may
 * compare. `exports` are those of the library at `path` alone.
 */
void exports_find_compared(const char *path, struct exports *exports);

/* The first version of a function; NULL: the libraries don't export it. */
const struct export *exports_find(const struct exports *exports, const char *name);
bool exports_has_data(const struct exports *exports, const char *name);

/*
 * The exported function whose name has the longest beginning in common with `name`. Stores the
 * length of that beginning; for `name` as a C++ function this is the whole name. NULL: there is
 * none.
 */
const struct export *exports_nearest(const struct exports *exports, const char *name,
				     size_t *common);

#endif
