/* SPDX-License-Identifier: MIT */
/*
 * stack_libraries.h: the libraries whose functions were seen on stacks. Each has a number, and a
 * text in the trace that says which file it is and where it was loaded (format/file/stack_text.h).
 *
 * A library may be unloaded, and another take its place. So a number stands for what was loaded
 * there once: whoever kept one asks tl_stack_library_is_there about an address of a stack before it
 * is used. Then the library stays while the question's stack does. No lock; async-signal-safe.
 */
#ifndef TL_LAYER_CALLS_STACK_LIBRARIES_H
#define TL_LAYER_CALLS_STACK_LIBRARIES_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/buffers/strings.h"
#include "layer/calls/eh_frame.h"

#define TL_STACK_LIBRARIES 1024u /* numbers, from 1 */

/* The number of the library that the address lies in; 0: of none, or there are too many. */
uint32_t tl_stack_library_find(uintptr_t address);

/* Whether both are of one library, which may have got two numbers. */
bool tl_stack_library_is_same(uint32_t number, uint32_t other);

/* Whether the address lies in that library still; number 0: whether it lies in none. */
bool tl_stack_library_is_there(uint32_t number, uintptr_t address);

/* Of a library that is there: its tables, and what is added to its addresses. */
const struct tl_eh_image *tl_stack_library_image(uint32_t number);

/* Where a text is made: the caller's, because a signal handler's stack may be small. */
struct tl_stack_library_room {
	char text[TL_STRING_MAX], path[TL_STRING_MAX];
};

/* The number of its text (strings.h); 0: there is no room in the buffers. */
uint32_t tl_stack_library_text(uint32_t number, uintptr_t address,
			       struct tl_stack_library_room *room);

/* In a forked child: texts have no numbers any more. */
void tl_stack_libraries_after_fork(void);

#endif
