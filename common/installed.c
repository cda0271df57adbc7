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
static size_t common(const char *a, const char *b)
{
	size_t same = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			same = i;
	return same;
}

bool installed_library(const char *name, char *found)
{
	char here[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", here, sizeof(here) - 1);
	size_t same = common(BINDIR "/", LIBDIR "/");
	const char *tail = &BINDIR[same];

	if (length < 0)
		return false;
	here[length] = '\0';
	char *folder_end = strrchr(here, '/');

	*folder_end = '\0';
	if (snprintf(found, PATH_MAX, "%s/.libs/%s", here, name) < PATH_MAX && !access(found, R_OK))
		return true;
	size_t here_length = strlen(here), tail_length = strlen(tail);

	if (here_length >= tail_length && !strcmp(here + here_length - tail_length, tail)) {
		here[here_length - tail_length] = '\0';
		if (snprintf(found, PATH_MAX, "%s%s/%s", here, &LIBDIR[same], name) < PATH_MAX &&
		    !access(found, R_OK))
			return true;
	}
	snprintf(found, PATH_MAX, "%s/%s", LIBDIR, name);
	return !access(found, R_OK);
}
