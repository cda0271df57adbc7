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

#define TL_PROGRAM_PATH	       1024 /* longer ones are not looked at */
#define TL_PROGRAM_INTERPRETER 256

enum tl_program_nature {
	TL_PROGRAM_DYNAMIC, /* our C library's dynamic linker starts it: preloading works */
	TL_PROGRAM_STATIC,  /* it has no dynamic linker */
	TL_PROGRAM_FOREIGN, /* it is for another architecture than we are */
	/*
	 * the dynamic linker of another C library starts it, which would refuse to start it with us
	 */
	TL_PROGRAM_LIBC,
	/* set-user-id, set-group-id or file capabilities: the dynamic linker ignores LD_PRELOAD */
	TL_PROGRAM_PRIVILEGED,
	TL_PROGRAM_UNKNOWN, /* it can't be read, or has no format known here */
};

struct tl_program_file {
	enum tl_program_nature nature;
	bool elf;
	bool script;	  /* the path led here by #! */
	uint16_t machine; /* as ELF has it */
	bool narrow;	  /* FOREIGN: the machine is ours, but the ABI has 32 bits */
	char interpreter[TL_PROGRAM_INTERPRETER]; /* the dynamic linker's path; "": none */
};

/* What is at the path; a script is not followed, and is UNKNOWN. */
void tl_program_file(const char *path, struct tl_program_file *file);

/* The same of what the kernel starts in the end: the interpreter, where the path is a script. */
void tl_program_started(const char *path, struct tl_program_file *file);

#endif
