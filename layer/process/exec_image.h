/* SPDX-License-Identifier: MIT */
/*
 * exec_image.h: the program that this process is about to start, by exec or as a child: will the
 * layer be in it, and may it be?
 *
 * Async-signal-safe, on a small stack, and fit for a child of vfork. errno may change.
 */
#ifndef TL_LAYER_PROCESS_EXEC_IMAGE_H
#define TL_LAYER_PROCESS_EXEC_IMAGE_H

#include <stddef.h>

/*
 * Look at it. Where the layer won't get into it, `tracelayer run` is told. Returns 0, or how much
 * room tl_image_without needs: then the program is another C library's, and would not start with
 * what LD_PRELOAD names.
 */
size_t tl_image_look(const char *path, char *const envp[]);

/* The environment without us, made in that room. */
char *const *tl_image_without(char *const envp[], void *room);

/* Where execvp would find it, in `room` bytes; NULL: nowhere. */
const char *tl_image_find(const char *file, char *found, size_t room);

#endif
