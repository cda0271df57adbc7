/* SPDX-License-Identifier: MIT */
/*
 * progress.h: a line on standard error that says how far long work has come. It is printed only
 * where standard error is a terminal, and each new state overwrites the one before.
 */
#ifndef TL_CLI_BASICS_PROGRESS_H
#define TL_CLI_BASICS_PROGRESS_H

/* Prints the line, unless it was printed less than 0.2 seconds ago. */
__attribute__((format(printf, 1, 2))) void progress_show(const char *format, ...);

/* Removes the line. Call it before anything else is printed. */
void progress_hide(void);

#endif
