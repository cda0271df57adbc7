/*
 * preload.h: how the library came into the process.
 */
#ifndef TL_LAYER_PRELOAD_H
#define TL_LAYER_PRELOAD_H

#include <stdbool.h>

/* By LD_PRELOAD or /etc/ld.so.preload, and not because something was linked against it or opened it. */
bool tl_preloaded(void);

#endif
