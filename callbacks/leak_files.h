/* SPDX-License-Identifier: MIT */
/*
 * leak_files.h: which file an address of code lay in, for the tool `leaks`: a library may be closed
 * before the tool reports, and another take its place. A number stands for a time.
 *
 * leak_files_look takes the dynamic linker's lock: it is not called under the tool's lock. The
 * other two are. A forked child does not look: a thread that it does not have may have held that
 * lock. What it closes is not noted.
 */
#ifndef TL_CALLBACKS_LEAK_FILES_H
#define TL_CALLBACKS_LEAK_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A library, which was there from .since on; from .until on it was not. */
struct leak_file {
	uintptr_t base, start, end;
	char *path;
	unsigned since, until; /* until 0: it is still loaded */
};

struct leak_files {
	struct leak_file *file;
	size_t count, room;
};

/* Libraries that are loaded, for leak_files_note. */
struct leak_look {
	struct leak_files files;    /* none: no others than last time, or it is not known */
	unsigned long long changes; /* how many were loaded and unloaded until then */
	bool failed;
};

/* See what is loaded now. */
struct leak_look leak_files_look(void);
void leak_files_after_fork_in_child(void);
/* Note what was seen, which is freed. Returns the number of now. */
unsigned leak_files_note(struct leak_look *look);
/*
 * The file that the address lay in at that time, if it has been closed since; else NULL. It stays
 * where it is until leak_files_note, and its path for ever.
 */
const struct leak_file *leak_file_closed(unsigned when, const void *address);

#endif
