/* SPDX-License-Identifier: MIT */
/*
 * paths.c: see paths.h.
 */
#include "config.h"

#include <sys/stat.h>

#include "cli/basics/paths.h"

bool path_is_folder(const char *path)
{
	struct stat about;

	return !stat(path, &about) && S_ISDIR(about.st_mode);
}
