/* SPDX-License-Identifier: MIT */
/*
 * trace_stacks.c: see trace_stacks.h.
 */
#include "config.h"

#include <stdlib.h>

#include "cli/basics/basics.h"
#include "cli/symbols/symbols.h"
#include "cli/symbols/trace_stacks.h"
#include "format/file/trace_file.h"

#define NAME_ROOM 4096u /* bytes of a frame's name */

bool trace_stacks_next(const struct tl_trace *trace, struct tl_trace_text_place *place,
		       uint32_t *number, struct tl_stack_reader *reader)
{
	const struct tl_strings_unit *unit;
	size_t size;

	while ((unit = tl_trace_next_text(trace, place, number, &size)))
		if (tl_stack_read(reader, (const char *)(unit + 1), unit->size))
			return true;
	return false;
}

bool trace_frame_name(const struct tl_trace *trace, struct symbols *symbols,
		      const struct tl_stack_frame *frame, struct tl_text *name,
		      struct tl_stack_library *library)
{
	size_t size = 0;
	const char *text = tl_trace_string(trace, frame->library, &size);
	bool has = tl_stack_read_library(library, text, size);

	symbols_name(symbols, name, has ? library : NULL, frame->address);
	return has;
}

/* The number of a stack's innermost frame. 0: the text is no stack, or has no frames. */
static uint32_t stack_frame(struct event_stacks *stacks, const struct tl_trace *trace,
			    struct symbols *symbols, uint32_t number)
{
	struct tl_stack_frame frames[TL_STACK_FRAMES];
	struct tl_stack_reader reader;
	struct tl_stack_library library;
	char room[NAME_ROOM];
	size_t size = 0;
	const char *text = tl_trace_string(trace, number, &size);
	uint32_t count = 0, frame = 0;

	if (tl_stack_read(&reader, text, size))
		count = tl_stack_read_frames(&reader, frames);
	while (count > 0) {
		struct tl_text name = {room, room + sizeof(room) - 1, false};

		trace_frame_name(trace, symbols, &frames[--count], &name, &library);
		*name.at = 0;
		frame = event_stacks_called(stacks, frame, room);
	}
	return frame;
}

void trace_stacks_tell(struct event_stacks *stacks, int file, const struct tl_trace *trace,
		       struct symbols *symbols)
{
	const char *id;
	uint32_t at = 0;

	while ((id = event_stacks_untold(stacks, file, &at)))
		event_stacks_tell(
			stacks, file, id,
			stack_frame(stacks, trace, symbols, (uint32_t)strtoul(id, NULL, 10)));
}
