/* SPDX-License-Identifier: MIT */
/* export_stacks.h: the stacks of calls in an export: "stackFrames" of Chrome's JSON. */
#ifndef TL_CLI_EXPORT_EXPORT_STACKS_H
#define TL_CLI_EXPORT_EXPORT_STACKS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/symbols/symbols.h"
#include "format/file/record_reader.h"

/* Whether the trace has texts of stacks. */
bool export_has_stacks(const struct tl_trace *trace);

/*
 * The end of a JSON object whose "traceEvents" are written: the array's bracket, and "stackFrames"
 * with all stacks of the trace, by the ids that tl_encoder.stack_ids gives to calls. The caller
 * frees it.
 */
char *export_stack_frames(const struct tl_trace *trace, struct symbols *symbols, size_t *size);

#endif
