/* SPDX-License-Identifier: MIT */
/*
 * preload.h: how the library came into the process.
 */
#ifndef TL_LAYER_PROCESS_PRELOAD_H
#define TL_LAYER_PROCESS_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * By LD_PRELOAD or /etc/ld.so.preload, and not because something was linked against it or opened
 * it.
 */
bool tl_preloaded(void);

/* Note the names by which LD_PRELOAD brings this library in: once, when the library is loaded. */
void tl_preload_look(void);

/*
 * The next item of a value of LD_PRELOAD, of *length characters; *list goes behind it. Items are
 * separated by colons and spaces. NULL: there is no more. Async-signal-safe.
 */
const char *tl_preload_next(const char **list, size_t *length);

/* An item of LD_PRELOAD is this library, or a library that needs it. Async-signal-safe. */
bool tl_preload_is_ours(const char *item, size_t length);

/* It is this library. Async-signal-safe. */
bool tl_preload_is_self(const char *item, size_t length);

#endif
