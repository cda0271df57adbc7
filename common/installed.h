/* SPDX-License-Identifier: MIT */
/*
 * installed.h: where the libraries, programs and descriptors lie that belong to a command.
 */
#ifndef TL_COMMON_INSTALLED_H
#define TL_COMMON_INSTALLED_H

#include <stdbool.h>

/*
 * The library of that name which belongs to the command that runs: in the build tree in .libs,
 * installed in libdir. What was installed may have been moved as a whole, so libdir is taken
 * relative to where the command itself lies. `found` has PATH_MAX bytes. Returns false where there
 * is none.
 */
bool installed_library(const char *name, char *found);

/* The same of a program, which lies beside the command. */
bool installed_program(const char *name, char *found);

/* The same of the folder of API descriptors. */
bool installed_descriptors(char *found);

#endif
