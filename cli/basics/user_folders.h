/* SPDX-License-Identifier: MIT */
/*
 * user_folders.h: the folders of the user's own files, by the XDG base directory specification.
 */
#ifndef TL_CLI_BASICS_USER_FOLDERS_H
#define TL_CLI_BASICS_USER_FOLDERS_H

#include <stdbool.h>

/*
 * `folder` (PATH_MAX bytes) becomes $VARIABLE/tracelayer/NAME, or HOME/INITIAL/tracelayer/NAME
 * if the variable is unset, empty or no absolute path. Creates no folder. Returns false if there is
 * no home folder either.
 */
bool user_folder(const char *variable, const char *initial, const char *name, char *folder);

/* Make the folder and those above it, for the user alone. Returns 0 or an errno. */
int user_folder_make(const char *folder);

#endif
