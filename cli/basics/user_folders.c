/* SPDX-License-Identifier: MIT */
/*
 * user_folders.c: see user_folders.h.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/basics/user_folders.h"

bool user_folder(const char *variable, const char *initial, const char *name, char *folder)
{
	const char *base = getenv(variable), *home = getenv("HOME");
	int length;

	if (base && *base == '/') {
		length = snprintf(folder, PATH_MAX, "%s/tracelayer/%s", base, name);
		return length < PATH_MAX;
	}
	if (!home || *home != '/') {
		const struct passwd *user = getpwuid(getuid());

		home = user ? user->pw_dir : NULL;
	}
	if (!home)
		return false;
	length = snprintf(folder, PATH_MAX, "%s/%s/tracelayer/%s", home, initial, name);
	return length < PATH_MAX;
}

int user_folder_make(const char *folder)
{
	char path[PATH_MAX];

	if (strlen(folder) >= sizeof(path))
		return ENAMETOOLONG;
	strcpy(path, folder);
	for (char *at = path + 1;; at++) {
		if (*at && *at != '/')
			continue;
		char ended = *at;

		*at = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			return errno;
		*at = ended;
		if (!ended)
			return access(path, W_OK | X_OK) ? errno : 0;
	}
}
