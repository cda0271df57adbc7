/* SPDX-License-Identifier: MIT */
/*
 * process_parts.h: the start, the first call, forks and the end of all parts of the layer, by one
 * table (process_parts.c). These functions walk that table.
 */
#ifndef TL_LAYER_PROCESS_PROCESS_PARTS_H
#define TL_LAYER_PROCESS_PROCESS_PARTS_H

#include <stdbool.h>

/* When the library is loaded; and at the process's first watched call. */
void tl_parts_start(void);
void tl_parts_begin(void);

/* Around a fork. tl_parts_before_unseen_fork: in a child whose parent ran no fork handlers. */
void tl_parts_before_fork(void);
void tl_parts_before_unseen_fork(void);
void tl_parts_after_fork_parent(void);
void tl_parts_after_fork_child(void);

/*
 * Around a system call for processes of one thread: the layer's own threads end, and start again.
 */
void tl_parts_suspend(void);
void tl_parts_resume(void);

/*
 * Parts record what they still know: of devices, of tools. `last`: nothing can be recorded after
 * this. Runs code of drivers and tools. Each part does it once.
 */
void tl_parts_end(bool last);

/* tl_parts_end(true) would run such code. Async-signal-safe. */
bool tl_parts_await_end(void);

#endif
