/* SPDX-License-Identifier: MIT */
/*
 * marks.h: marks of layer and phase (tracelayer/nntrace.h).
 */
#ifndef TL_LAYER_PROGRAM_MARKS_H
#define TL_LAYER_PROGRAM_MARKS_H

/* In a forked child: the parent's open marks are not ended here. */
void tl_marks_after_fork(void);

#endif
