/* SPDX-License-Identifier: MIT */
/*
 * program_libraries.h: which libraries a program loads when it starts.
 */
#ifndef TL_CLI_APIS_PROGRAM_LIBRARIES_H
#define TL_CLI_APIS_PROGRAM_LIBRARIES_H

#include <stdbool.h>

#include "cli/basics/words.h"

struct program_libraries {
	struct words names; /* each once, as files ask for it; of a script, none */
	char *listed;	    /* NULL, or what the dynamic linker prints of them */
};

/*
 * Read the program's file and those of its libraries. The dynamic linker is started (`ld.so
 * --list`) only if a library is not found in that way.
 */
void program_libraries_read(const char *program, struct program_libraries *libraries);
bool program_libraries_have(const struct program_libraries *libraries, const char *soname);
void program_libraries_free(struct program_libraries *libraries);

/*
 * The path at which the program, or a library of it, gets a library that it needs, to be freed: also
 * by an RPATH or RUNPATH. NULL: it needs none of that name, or it is not found.
 */
char *program_library_path(const char *program, const char *soname);

/* Whether the dynamic linker finds the library. */
bool library_is_installed(const char *soname);

#endif
