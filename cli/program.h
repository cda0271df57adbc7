/*
 * program.h: which file a command line starts, and whether a library can be preloaded into it.
 */
#ifndef TL_CLI_PROGRAM_H
#define TL_CLI_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

enum program_nature {
	PROGRAM_DYNAMIC,    /* the dynamic loader starts it: preloading works */
	PROGRAM_STATIC,	    /* it has no dynamic loader */
	PROGRAM_FOREIGN,    /* for another architecture than this command */
	PROGRAM_PRIVILEGED, /* set-user-id, set-group-id or file capabilities: the loader ignores
			       LD_PRELOAD */
	PROGRAM_UNKNOWN,    /* not readable, or no format known here */
};

struct program {
	char path[PATH_MAX]; /* found in PATH as execvp would */
	char file[PATH_MAX]; /* what the kernel really starts: the interpreter, where path is a
				script */
	enum program_nature nature;
	const char *machine; /* FOREIGN: what it is for */
	bool script;	     /* file is path's interpreter */
	bool elf;
};

/* Returns 0, or the errno that starting it would give (ENOENT, EACCES). */
int program_find(const char *name, struct program *program);

#endif
