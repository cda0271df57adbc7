/* SPDX-License-Identifier: MIT */
/*
 * stack_memory.h: reading memory that may not be there. Async-signal-safe.
 */
#ifndef TL_LAYER_CALLS_STACK_MEMORY_H
#define TL_LAYER_CALLS_STACK_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>

/* Readable bytes that lie together; grows page by page. */
struct tl_window {
	uintptr_t low, high;
};

/* A word, wherever it lies. False: it can't be read. */
bool tl_window_load(struct tl_window *window, uintptr_t at, uintptr_t *word);

/*
 * [from, to) lies on the first thread's stack, near its top. That stack has no gap up to the program's file
 * name, which lies above all else in it. The kernel keeps 128 MiB below it free of all that a program
 * maps without naming the address.
 */
#define TL_FIRST_STACK ((uintptr_t)64 << 20) /* bytes from the top */
static inline bool tl_stack_is_first(uintptr_t from, uintptr_t to)
{
	uintptr_t top = (uintptr_t)getauxval(AT_EXECFN);

	return to <= top && top - from < TL_FIRST_STACK;
}

/* Whether each page of [from, to) can be read. */
bool tl_stack_is_mapped(uintptr_t from, uintptr_t to);

#endif
