/* SPDX-License-Identifier: MIT */
/*
 * leak_callers.h: which files the calls were made from that created objects, for the tool `leaks`:
 * the program's own code, or libraries on its behalf. Not for several threads at once.
 */
#ifndef TL_CALLBACKS_LEAK_CALLERS_H
#define TL_CALLBACKS_LEAK_CALLERS_H

#include <stddef.h>
#include <stdio.h>

#define LEAK_CALLERS 64 /* files that are told apart, at most */

struct leak_callers {
	const void *program; /* where the program's own file lies */
	struct leak_caller {
		const void *base; /* where the file lies; NULL: the code is in no file */
		const char *name; /* the linker's */
		size_t objects;
	} files[LEAK_CALLERS];
	size_t count;
	size_t own;    /* objects that the program's own file made */
	size_t others; /* objects of files for which no room is left */
};

void leak_callers_init(struct leak_callers *callers);
/* One more object, which the call that returns to this address created. */
void leak_callers_add(struct leak_callers *callers, const void *returns_to);
/* The same, where the file is known. Its name is kept. */
void leak_callers_add_file(struct leak_callers *callers, const void *base, const char *name);
/* A line, most objects first. Nothing where the program's own file made all calls. */
void leak_callers_print(FILE *to, struct leak_callers *callers);

#endif
