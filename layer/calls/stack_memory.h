/* SPDX-License-Identifier: MIT */
/*
 * stack_memory.h: reading memory that may not be there. Async-signal-safe.
 */
#ifndef TL_LAYER_CALLS_STACK_MEMORY_H
#define TL_LAYER_CALLS_STACK_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Readable bytes that lie together; grows page by page. */
struct tl_window {
	uintptr_t low, high;
};

/* A word, wherever it lies. False: it can't be read. */
bool tl_window_load(struct tl_window *window, uintptr_t at, uintptr_t *word);

/* Whether each page of [from, to) can be read. */
bool tl_stack_is_mapped(uintptr_t from, uintptr_t to);

#endif
