/* SPDX-License-Identifier: MIT */
/*
 * needed_memory.h: memory that the caller cannot do without.
 *
 * A program or library that links tables defines need() itself, because only it knows what to do
 * without memory: the tracelayer command prints a message and exits, the summary tool gives up its
 * report and leaves the traced program alone.
 */
#ifndef TL_TABLES_NEEDED_MEMORY_H
#define TL_TABLES_NEEDED_MEMORY_H

/* Returns `allocated`. If that is NULL, need() does not return. */
void *need(void *allocated);

#endif
