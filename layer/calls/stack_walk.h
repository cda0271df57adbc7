/* SPDX-License-Identifier: MIT */
/*
 * stack_walk.h: who called: the return addresses of the functions that a recorded call is made
 * inside of, innermost first (`run --stack`). For each recorded call, so it must be fast; for
 * questions that are rare, stack_frames.h has more to tell.
 *
 * Async-signal-safe, on any stack. Nothing is allocated, and nothing is read that can't be.
 */
#ifndef TL_LAYER_CALLS_STACK_WALK_H
#define TL_LAYER_CALLS_STACK_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/stack_text.h"
#include "tracelayer/shim.h"

/* The calling thread's own stack, as far as it is known that it can be read; zeros at first. */
struct tl_own_stack {
	uintptr_t low, high;
};

struct tl_stack {
	uint32_t count;
	bool more;     /* there were more frames */
	uint64_t hash; /* of all that follows */
	/*
	 * An address in the instruction that called: one byte before the address that the function
	 * returns to; the address itself if a signal interrupted it.
	 */
	uintptr_t address[TL_STACK_FRAMES];
	uint16_t library[TL_STACK_FRAMES]; /* stack_libraries.h; 0: none */
};

/* Fill in the stack of a call. `caller`: who made it, as the shim's entry has it. */
void tl_stack_walk(struct tl_caller caller, struct tl_own_stack *own, struct tl_stack *stack);

#endif
