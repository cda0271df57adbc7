/* SPDX-License-Identifier: MIT */
/*
 * interposer_exports.c: the exports of a library as an interposer needs them, by gen/exports.h.
 */
#include <string.h>

#include "gen/allocate.h"
#include "gen/exports.h"
#include "gen/interposer.h"

static bool export_is_twice(const struct export *export)
{
	return !strcmp(export[0].name, export[-1].name) &&
	       !strcmp(export[0].version, export[-1].version);
}

struct library *library_read(const char *path, const char *const *companions, size_t ncompanions)
{
	struct library *library = allocate(sizeof *library);
	struct exports exports = {0};

	if (exports_read(path, &exports) != 0)
		return NULL;
	exports_find_compared(path, &exports);
	for (size_t i = 0; i < ncompanions; i++) {
		const char *companion = library_find_quietly(companions[i]);

		if (companion && exports_read(companion, &exports) != 0)
			return NULL;
	}
	library->path = path;
	library->soname = exports.sonames[0];
	library->machine = (uint16_t)exports.machine;
	library->versions = exports.versions;
	library->nversions = exports.nversions;
	library->has_versions = exports.nversions > 0;
	for (size_t i = 0; i < exports.count; i++) {
		if (i && export_is_twice(&exports.list[i]))
			continue;
		*APPEND(library->exports, library->nexports) =
			(struct interposed){.name = exports.list[i].name,
					    .version = exports.list[i].version,
					    .is_default = !exports.list[i].hidden,
					    .compared = exports.list[i].compared};
	}
	return library;
}
