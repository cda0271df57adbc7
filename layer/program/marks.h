/* SPDX-License-Identifier: MIT */
/*
 * marks.h: marks of layer and phase (tracelayer/nntrace.h).
 */
#ifndef TL_LAYER_PROGRAM_MARKS_H
#define TL_LAYER_PROGRAM_MARKS_H

/* In a forked child: what was begun is the parent's to end. */
void tl_marks_after_fork(void);

#endif
