/* SPDX-License-Identifier: MIT */
/*
 * program_path.h: which file a command line starts, and whether a library can be preloaded into
 * it.
 */
#ifndef TL_CLI_RUN_PROGRAM_PATH_H
#define TL_CLI_RUN_PROGRAM_PATH_H

#include <limits.h>
#include <stdbool.h>

#include "common/program_file.h"

struct program {
	char path[PATH_MAX]; /* found in PATH as execvp would */
	char file[PATH_MAX]; /* what the kernel really starts: the interpreter, where path is a
				script */
	enum tl_program_nature nature;
	const char *machine; /* FOREIGN: the machine that it is for */
	bool script;	     /* file is path's interpreter */
	bool elf;
	char loader[TL_PROGRAM_INTERPRETER]; /* the dynamic linker that it names */
};

/* Returns 0, or the errno that starting it would give (ENOENT, EACCES). */
int program_find(const char *name, struct program *program);

/*
 * The program starts with these libraries preloaded (LD_PRELOAD's value). Where its dynamic linker
 * is another file than this command's it is tried: another C library, and a glibc that is too old
 * for the library, would refuse to start it. Then its nature becomes LIBC.
 */
bool program_takes(struct program *program, const char *preload);

/* The program needs AddressSanitizer's runtime, as a shared library. */
bool program_has_asan(const struct program *program);

/* LD_PRELOAD's value, which may be NULL, names that runtime. */
bool preload_has_asan(const char *preload);

#endif
