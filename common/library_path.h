/* SPDX-License-Identifier: MIT */
/*
 * library_path.h: where the dynamic linker looks for libraries: folders, and its cache,
 * /etc/ld.so.cache. One thread only.
 */
#ifndef TL_COMMON_LIBRARY_PATH_H
#define TL_COMMON_LIBRARY_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Where it looks last. */
#if defined(__x86_64__)
#define TL_LIBRARY_TRIPLET "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define TL_LIBRARY_TRIPLET "aarch64-linux-gnu"
#else
#define TL_LIBRARY_TRIPLET "."
#endif
#define TL_LIBRARY_FOLDERS                                                                         \
	"/lib/" TL_LIBRARY_TRIPLET ":/usr/lib/" TL_LIBRARY_TRIPLET                                 \
	":/lib64:/usr/lib64:/lib:/usr/lib"

/*
 * The next library in the cache that is for this processor; *cursor begins as 0. The texts stay.
 * False: there is none. The cache is read at the first call.
 */
bool tl_library_cache_next(size_t *cursor, const char **name, const char **path);

/* The path (PATH_MAX bytes) of the library in the cache. False: it is not there. */
bool tl_library_in_cache(const char *name, char *path);

/* The same in folders, with colons or semicolons between them. */
bool tl_library_in_folders(const char *folders, const char *name, char *path);

#endif
