/* SPDX-License-Identifier: MIT */
/*
 * arena_messages.h: the lines about where event buffers lie, when that is not where they were
 * asked for. For arena.c. No allocation.
 */
#ifndef TL_LAYER_BUFFERS_ARENA_MESSAGES_H
#define TL_LAYER_BUFFERS_ARENA_MESSAGES_H

#include <stdint.h>

/* There are addresses for less memory than the settings asked for. Sizes are in bytes. */
void tl_arena_say_less(uint64_t wanted, uint64_t size);

/*
 * The buffers are not in `first`, which has no file for `error` (errno), but in `folder`; NULL: in
 * the process's own memory.
 */
void tl_arena_say_place(const char *first, int error, const char *folder, uint64_t wanted);

#endif
