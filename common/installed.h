/* SPDX-License-Identifier: MIT */
/* installed.h: where a command finds the libraries, programs and descriptors that belong to it. */
#ifndef TL_COMMON_INSTALLED_H
#define TL_COMMON_INSTALLED_H

#include <stdbool.h>

/*
 * The library of that name that belongs to the command that runs: in the build tree in .libs,
 * installed in libdir. All that was installed may have been moved together, so libdir is taken
 * relative to the command's own place. `found` has PATH_MAX bytes. Returns false if there is none.
 */
bool installed_library(const char *name, char *found);

/* The same for a program, which lies beside the command. */
bool installed_program(const char *name, char *found);

/* The same for a program that only the command starts. It lies in a folder of its own in libdir. */
bool installed_command(const char *name, char *found);

/* The same for the folder of API descriptors. */
bool installed_descriptors(char *found);

#endif
