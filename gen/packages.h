/* SPDX-License-Identifier: MIT */
/*
 * packages.h: compiler flags: those of packages, as pkg-config tells them, and where they let the
 * compiler look for headers.
 */
#ifndef TL_GEN_PACKAGES_H
#define TL_GEN_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Add the words of a text. */
void flags_add(const char *text, const char ***flags, size_t *nflags);

/*
 * Add the flags of `pkg-config --cflags PACKAGE`. -1 after an error (one line has said why),
 * which is none for a package that is not needed.
 */
int package_flags(const char *package, bool needed, const char ***flags, size_t *nflags);

/* Add the .pc files of the packages and of all that they require. */
void packages_add_files(const char *const *packages, size_t npackages, const char ***files,
			size_t *nfiles);

/* Add the paths at which the compiler would find the header, were there a file. */
void header_add_absent(const char *header, const char *const *flags, size_t nflags,
		       const char ***paths, size_t *npaths);

#endif
