/* SPDX-License-Identifier: MIT */
/*
 * control.h: a word to a traced process from commands other than pause, resume, snapshot and stop.
 */
#ifndef TL_CLI_CONTROL_CONTROL_H
#define TL_CLI_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/trace_file.h"

/* Ask it, and wait until it has done it. False: it is gone, or silent for long. */
bool control_request(uint32_t pid, enum tl_file_request what);

#endif
