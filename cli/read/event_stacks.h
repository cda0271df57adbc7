/* SPDX-License-Identifier: MIT */
/*
 * event_stacks.h: who made the calls of Chrome traces. An event has "sf", the id of its innermost
 * frame in the file's "stackFrames", or "stack", a list of names from the innermost frame to the
 * outermost.
 *
 * A stack is known by the names of its functions: stacks that differ in addresses alone are the
 * same. "stackFrames" may stand behind the events. So an event gives the number of a stack, and
 * only when all of the file was read the number gives frames.
 */
#ifndef TL_CLI_READ_EVENT_STACKS_H
#define TL_CLI_READ_EVENT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/basics/interned.h"
#include "cli/read/json.h"

/* What a file says of a frame's id. */
struct frame_told;

/* Begins as zeros. */
struct event_stacks {
	/*
	 * A frame, by its number - 1: the number of the frame that called it (0: none), << 32 | its
	 * name.
	 */
	struct numbers frames;
	struct names names;
	struct names ids; /* of frames: file and id */
	struct frame_told *told;
	size_t told_room;
	struct numbers stacks; /* by number - 1: an id, or a frame */
	struct names lists;    /* texts of "stack" that were seen before */
	uint32_t *list_stacks;
	size_t lists_room;
};

/* The number of the event's stack. 0: it has none. */
uint32_t event_stack(struct event_stacks *stacks, int file, const json_t *event);

/* The same of an "sf", and of the text of a "stack". */
uint32_t event_stack_id(struct event_stacks *stacks, int file, const char *id);
uint32_t event_stack_list(struct event_stacks *stacks, const char *json, size_t size);

/* A member of "stackFrames". */
void event_stacks_frame(struct event_stacks *stacks, int file, const char *id, const json_t *frame);

/* The frame with this name that this frame called. `caller`: 0: nothing known called it. */
uint32_t event_stacks_called(struct event_stacks *stacks, uint32_t caller, const char *name);

/* Says which innermost frame an id stands for. */
void event_stacks_tell(struct event_stacks *stacks, int file, const char *id, uint32_t frame);

/*
 * The next id of this file that events have and of which nothing was told; *at starts as 0. NULL:
 * no more.
 */
const char *event_stacks_untold(const struct event_stacks *stacks, int file, uint32_t *at);

/* The innermost frame of a stack. 0: the files say nothing of it. */
uint32_t event_stacks_innermost(struct event_stacks *stacks, uint32_t stack);

static inline uint32_t event_stacks_caller(const struct event_stacks *stacks, uint32_t frame)
{
	return (uint32_t)(stacks->frames.list[frame - 1] >> 32);
}

static inline const char *event_stacks_name(const struct event_stacks *stacks, uint32_t frame)
{
	return stacks->names.list[(uint32_t)stacks->frames.list[frame - 1]];
}

void event_stacks_free(struct event_stacks *stacks);

#endif
