/* SPDX-License-Identifier: MIT */
/*
 * installed.c: see installed.h.
 */
#include "common/installed.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* The length that two paths have in common, up to a slash. */
static size_t path_common(const char *a, const char *b)
{
	size_t same = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			same = i;
	return same;
}

/* The folder of the command that runs. */
static bool installed_here(char *here)
{
	ssize_t length = readlink("/proc/self/exe", here, PATH_MAX - 1);

	if (length < 0)
		return false;
	here[length] = '\0';
	*strrchr(here, '/') = '\0';
	return true;
}

/*
 * `folder` is what configure was given, and ends with a slash; `built` is the same place in the
 * build tree, beside the command.
 */
static bool installed_find(const char *folder, const char *built, const char *name, char *found)
{
	char here[PATH_MAX];
	size_t same = path_common(BINDIR "/", folder);
	const char *tail = &BINDIR[same];

	if (!installed_here(here))
		return false;
	if (snprintf(found, PATH_MAX, "%s/%s/%s", here, built, name) < PATH_MAX &&
	    !access(found, R_OK))
		return true;
	size_t here_length = strlen(here), tail_length = strlen(tail);

	if (here_length >= tail_length && !strcmp(here + here_length - tail_length, tail)) {
		here[here_length - tail_length] = '\0';
		if (snprintf(found, PATH_MAX, "%s%s%s", here, folder + same, name) < PATH_MAX &&
		    !access(found, R_OK))
			return true;
	}
	return snprintf(found, PATH_MAX, "%s%s", folder, name) < PATH_MAX && !access(found, R_OK);
}

bool installed_library(const char *name, char *found)
{
	return installed_find(LIBDIR "/", ".libs", name, found);
}

bool installed_program(const char *name, char *found)
{
	char here[PATH_MAX];

	return installed_here(here) && snprintf(found, PATH_MAX, "%s/%s", here, name) < PATH_MAX &&
	       !access(found, X_OK);
}

bool installed_command(const char *name, char *found)
{
	return installed_find(PKGLIBDIR "/", ".", name, found);
}

bool installed_descriptors(char *found)
{
	return installed_find(PKGDATADIR "/", ".", "apis", found);
}
