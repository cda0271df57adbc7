/* SPDX-License-Identifier: MIT */
/*
 * selection_time.h: finds the time that a selection asks for, where it is not said from the start of
 * the trace: a date, a time of the trace's clock, or the slice of a name.
 */
#ifndef TL_CLI_READ_SELECTION_TIME_H
#define TL_CLI_READ_SELECTION_TIME_H

#include <stddef.h>

#include "cli/read/selection.h"

/*
 * Sets .from and .to of a selection whose time is open; does nothing for others. It reads the files,
 * which are traces of one machine, and are read again afterwards: standard input must have been made a
 * file (input_keep). An exit code, after a message.
 */
int selection_time_find(struct selection *selection, const char *const *paths, size_t count);

/*
 * The path by which standard input ("-") can be read several times: that of a temporary file, which is
 * filled now. Other paths stay as they are. NULL, after a message. The caller frees it.
 */
char *input_keep(const char *path);

#endif
