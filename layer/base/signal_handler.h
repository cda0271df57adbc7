/* SPDX-License-Identifier: MIT */
/*
 * signal_handler.h: whether the calling thread is in a signal handler. There no foreign code may
 * run: the handler may have interrupted code that holds a lock, the allocator's above all.
 */
#ifndef TL_LAYER_BASE_SIGNAL_HANDLER_H
#define TL_LAYER_BASE_SIGNAL_HANDLER_H

#include <stdbool.h>

/*
 * False: it is certainly not in a handler. True: it is, or that can't be known. Async-signal-safe.
 */
bool tl_signal_handler_runs(void);

#endif
