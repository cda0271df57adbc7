/* SPDX-License-Identifier: MIT */
/*
 * label_memory.h: memory for a program's labels (tracelayer/profiler.h) that `tracelayer profile`
 * can see: pieces of the arena.
 *
 * The program's side finds it by tl_labels_here, and calls it when a thread ends. The layer itself
 * never reads labels.
 */
#ifndef TL_LAYER_BUFFERS_LABEL_MEMORY_H
#define TL_LAYER_BUFFERS_LABEL_MEMORY_H

/* In a forked child: forget the pieces that could be used again. They lie in the parent's arena. */
void tl_labels_after_fork(void);

#endif
