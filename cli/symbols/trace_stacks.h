/* SPDX-License-Identifier: MIT */
/*
 * trace_stacks.h: who made the calls of a .tlt file, by the names of functions.
 */
#ifndef TL_CLI_SYMBOLS_TRACE_STACKS_H
#define TL_CLI_SYMBOLS_TRACE_STACKS_H

#include <stdbool.h>

#include "cli/read/event_stacks.h"
#include "common/text.h"
#include "format/file/record_reader.h"
#include "format/file/stack_text.h"

struct symbols;

/* The next text of a stack, and its number; `place` starts zeroed. False: no more. */
bool trace_stacks_next(const struct tl_trace *trace, struct tl_trace_text_place *place,
		       uint32_t *number, struct tl_stack_reader *reader);

/* Appends a frame's name. Returns whether it is in a library, which *library tells then. */
bool trace_frame_name(const struct tl_trace *trace, struct symbols *symbols,
		      const struct tl_stack_frame *frame, struct tl_text *name,
		      struct tl_stack_library *library);

/* Tells the frames of all ids that the file's events have: the numbers of stacks' texts. */
void trace_stacks_tell(struct event_stacks *stacks, int file, const struct tl_trace *trace,
		       struct symbols *symbols);

#endif
