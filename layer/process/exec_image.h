/* SPDX-License-Identifier: MIT */
/*
 * exec_image.h: the program that this process is about to start, by exec or as a child: will the
 * layer be in it, and can the program start with it?
 *
 * Async-signal-safe, for a small stack, and for a child of vfork. errno may change.
 */
#ifndef TL_LAYER_PROCESS_EXEC_IMAGE_H
#define TL_LAYER_PROCESS_EXEC_IMAGE_H

#include <stddef.h>

/*
 * Look at the program. If the layer won't get into it, report that to `tracelayer run`. Returns 0,
 * or how much room tl_image_without needs: then the program uses another C library, and would not
 * start with the library that LD_PRELOAD names.
 */
size_t tl_image_look(const char *path, char *const envp[]);

/* The environment without this library in LD_PRELOAD, made in that room. */
char *const *tl_image_without(char *const envp[], void *room);

/* The path that execvp would find, in `room` bytes; NULL: none. */
const char *tl_image_find(const char *file, char *found, size_t room);

#endif
