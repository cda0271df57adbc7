/* SPDX-License-Identifier: MIT */
/*
 * apis.h: the contract of cli/apis: which APIs can be traced, and the interposers by which
 * `tracelayer run` traces APIs without shims in libtracelayer.so.
 *
 * An interposer is a small shared library that `tracegen interposer` writes from a library and what
 * describes its functions: headers, a descriptor, debug information, or nothing but its symbols.
 * `run` preloads it. It is kept in the user's cache, so that tracegen runs once for a library.
 *
 * The room uses basics, tables and common. One thread only.
 */
#ifndef TL_CLI_APIS_APIS_H
#define TL_CLI_APIS_APIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/basics/words.h"

/* `tracelayer apis` */
int command_apis(int argc, char **argv);

/* The request for an interposer. Unset members are zero. */
struct interposer_request {
	/* name of a descriptor, or the path of one; or NULL and... */
	const char *api;
	/* ...a soname or a path. With an API: in place of the descriptor's own */
	const char *library;
	struct words headers; /* as #include names them, or paths */
	const char *pkg;      /* pkg-config's name of the library: its compiler flags */
	struct words flags;   /* more of the compiler's flags */
	/* the program that will run; it decides if an API has several ABIs */
	const char *program;
	/* where tracegen's report goes; NULL: a few lines, on stderr */
	FILE *log;
	/* without these lines; messages of what failed are printed all the same */
	bool quiet;
};

/*
 * Find the interposer in the cache, or make it. On success *paths is its path, to be freed, or
 * empty: the API is built in, and needs none. An API with several ABIs has an interposer for each
 * whose library is installed, unless the program shows which one it needs: their paths are joined
 * by colons. Returns an exit code; all but EXIT_DONE have printed a message.
 */
int interposer_find(const struct interposer_request *request, char **paths);

/*
 * The API that --api knows of a library, by its file's name; to be freed. NULL: there is none, or this
 * tracelayer was built without tracegen.
 */
char *interposer_api_of(const char *library);

#endif
