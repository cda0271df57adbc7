/* SPDX-License-Identifier: MIT */
/*
 * tool_libraries.h: tool libraries (tracelayer/tool.h): when they are loaded, and when their end is
 * called.
 */
#ifndef TL_LAYER_PROCESS_TOOL_LIBRARIES_H
#define TL_LAYER_PROCESS_TOOL_LIBRARIES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* 0: nothing to do, which is soon so, or always. */
extern _Atomic uintptr_t tl_tools_state;

/*
 * From the constructor, after the settings were read: note that there are tools, and the current
 * folder.
 */
void tl_tools_start(void);

void tl_tools_load_slow(void);

/*
 * Before a call is dispatched: load the tools, if that has to be done yet. Never called under a
 * lock of ours.
 */
static inline void tl_tools_load(void)
{
	/* Acquire pairs with the loader's release: what the tools registered. */
	if (__builtin_expect(atomic_load_explicit(&tl_tools_state, memory_order_acquire) != 0, 0))
		tl_tools_load_slow();
}

/* At exit: tell the tools, once in a process. Not async-signal-safe. */
void tl_tools_end(void);

/* The calling thread is loading them. */
bool tl_tools_are_loading_here(void);

/* There are tools that have not been told. */
bool tl_tools_await_end(void);

/* Without --follow the child has none. */
void tl_tools_after_fork_child(void);

#endif
