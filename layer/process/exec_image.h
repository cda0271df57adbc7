/* SPDX-License-Identifier: MIT */
/*
 * exec_image.h: the program that this process is about to start, by exec or as a child: will the
 * layer be in it, and can the program start with it?
 *
 * Async-signal-safe, for a small stack, and for a child of vfork. errno may change.
 */
#ifndef TL_LAYER_PROCESS_EXEC_IMAGE_H
#define TL_LAYER_PROCESS_EXEC_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Look at the program. If the layer or an interposer won't get into it, report that to `tracelayer
 * run`. Returns 0, or how much room tl_image_without needs: then the program would not start with
 * the libraries that LD_PRELOAD names, or its dynamic linker would print errors. *all: none of them
 * may stay. In a confined process none may, whatever the program is.
 */
size_t tl_image_look(const char *path, char *const envp[], bool *all);

/*
 * The environment without this library and those that need it in LD_PRELOAD, made in that room, of
 * `size` bytes. Unless `all`, those that can be read stay. If it does not fit, since another thread
 * has changed it meanwhile, the environment as it is.
 */
char *const *tl_image_without(char *const envp[], bool all, void *room, size_t size);

/*
 * The process confines itself: takes this library and those that need it out of LD_PRELOAD in the
 * process's own environment, for what the C library itself starts (system, popen).
 */
void tl_image_confine(void);

/* The path that execvp would find, in `room` bytes; NULL: none, or the process is confined. */
const char *tl_image_find(const char *file, char *found, size_t room);

#endif
