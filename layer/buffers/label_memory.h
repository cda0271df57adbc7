/* SPDX-License-Identifier: MIT */
/*
 * label_memory.h: memory for a program's labels (tracelayer/profiler.h) that `tracelayer profile`
 * can see: pieces of the arena.
 *
 * The program's side finds it by tl_labels_here, and calls it when a thread ends. The layer itself
 * never looks at labels.
 */
#ifndef TL_LAYER_BUFFERS_LABEL_MEMORY_H
#define TL_LAYER_BUFFERS_LABEL_MEMORY_H

/*
 * In a forked child: forget those that can be used again. The arena that they lay in is the
 * parent's.
 */
void tl_labels_after_fork(void);

#endif
