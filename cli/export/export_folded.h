/* SPDX-License-Identifier: MIT */
/*
 * export_folded.h: a trace as folded stacks, which flame graphs are made from: a line for each stack
 * and function, from the outermost function, with the nanoseconds that the calls took.
 *
 *	_start;main;solve;clFinish 1234567
 */
#ifndef TL_CLI_EXPORT_EXPORT_FOLDED_H
#define TL_CLI_EXPORT_EXPORT_FOLDED_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/symbols/symbols.h"
#include "format/file/record_reader.h"

/*
 * Writes the lines to the descriptor. A call's time is its own: without that of the calls made
 * inside of it. *unknown: records that are not sound. False: writing failed, and errno says why.
 */
bool export_folded(struct tl_trace *trace, struct symbols *symbols, int fd, uint64_t *unknown);

#endif
