/* SPDX-License-Identifier: MIT */
/*
 * program_file.h: what the kernel starts for a path, and whether a library can be preloaded into
 * it.
 *
 * By system calls only, on a small stack: async-signal-safe, and fit for a child of vfork. errno
 * may change.
 */
#ifndef TL_COMMON_PROGRAM_FILE_H
#define TL_COMMON_PROGRAM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TL_PROGRAM_PATH	       1024 /* longer paths are not looked at */
#define TL_PROGRAM_INTERPRETER 256

enum tl_program_nature {
	TL_PROGRAM_DYNAMIC, /* glibc's dynamic linker starts it, or it is that: preloading works */
	TL_PROGRAM_STATIC,  /* it has no dynamic linker */
	TL_PROGRAM_FOREIGN, /* it is for another architecture than this library */
	/*
	 * the dynamic linker of another C library starts it, or it is that, which would refuse to start
	 * a program with this library
	 */
	TL_PROGRAM_LIBC,
	/* set-user-id, set-group-id or file capabilities: the dynamic linker ignores LD_PRELOAD */
	TL_PROGRAM_PRIVILEGED,
	TL_PROGRAM_UNKNOWN, /* it can't be read, or has no format known here */
};

struct tl_program_file {
	enum tl_program_nature nature;
	bool elf;
	bool script;				  /* the path was a script */
	uint16_t machine;			  /* ELF's number for it */
	bool narrow;				  /* FOREIGN: this machine, but an ABI of 32 bits */
	bool linked;				  /* FOREIGN: its dynamic linker reads LD_PRELOAD */
	char interpreter[TL_PROGRAM_INTERPRETER]; /* the dynamic linker's path; "": none */
};

/* What is at the path. A script is not followed, and is UNKNOWN. */
void tl_program_file(const char *path, struct tl_program_file *file);

/* The same for what the kernel starts in the end: the interpreter, if the path is a script. */
void tl_program_started(const char *path, struct tl_program_file *file);

#endif
