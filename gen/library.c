/* SPDX-License-Identifier: MIT */
/*
 * library.c: finds a shared library as the dynamic loader would, without loading it: a library that
 * is loaded runs code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/library_path.h"
#include "gen/allocate.h"
#include "gen/exports.h"

const char *library_find_quietly(const char *name)
{
	const char *variable = getenv("LD_LIBRARY_PATH");
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return name;
	return (variable && tl_library_in_folders(variable, name, path)) ||
			       tl_library_in_cache(name, path) ||
			       tl_library_in_folders(TL_LIBRARY_FOLDERS, name, path)
		       ? copy_text(path)
		       : NULL;
}

static size_t text_common(const char *a, const char *b)
{
	size_t length = 0;

	while (a[length] && a[length] == b[length])
		length++;
	return length;
}

/* The name with the longest beginning in common. NULL: none has more than "lib" and half of the rest. */
static const char *library_nearest(const char *name)
{
	const char *nearest = NULL, *key, *path;
	size_t length = strcspn(name, "."), lib = strlen("lib");
	size_t best = lib + (length > lib ? (length - lib + 1) / 2 : 1);

	for (size_t cursor = 0; tl_library_cache_next(&cursor, &key, &path);)
		if (text_common(key, name) > best) {
			best = text_common(key, name);
			nearest = key;
		}
	return nearest;
}

const char *library_find(const char *name)
{
	const char *path = library_find_quietly(name);
	const char *nearest = path ? NULL : library_nearest(name);

	if (!path)
		fprintf(stderr,
			"tracegen: %s: the loader finds no library of this name%s%s; give its path, or its name as `ldd PROGRAM` shows it\n",
			name, nearest ? "; the nearest is " : "", nearest ? nearest : "");
	return path;
}
