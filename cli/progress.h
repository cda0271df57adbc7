/* SPDX-License-Identifier: MIT */
/*
 * progress.h: a line on stderr that says how far a long piece of work is, where stderr is a
 * terminal. It is written over as the work goes on.
 */
#ifndef TL_CLI_PROGRESS_H
#define TL_CLI_PROGRESS_H

/* Say it, unless it was said a moment ago. */
__attribute__((format(printf, 1, 2))) void progress_show(const char *format, ...);

/* Take the line away, before others are written. */
void progress_hide(void);

#endif
