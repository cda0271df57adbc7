/* SPDX-License-Identifier: MIT */
/*
 * paths.h: what there is at a path.
 */
#ifndef TL_CLI_BASICS_PATHS_H
#define TL_CLI_BASICS_PATHS_H

#include <stdbool.h>

/* A folder, or a link to one. */
bool path_is_folder(const char *path);

#endif
