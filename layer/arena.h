/*
 * arena.h: the memory that events and open calls lie in.
 *
 * One run of addresses for the whole process, of at most TRACELAYER_MEMORY, taken from its start onwards and never given back. What is taken
 * is zero and faulted in: writing to it can neither fault nor fail. Everything here is async-signal-safe and may run in any thread.
 */
#ifndef TL_LAYER_ARENA_H
#define TL_LAYER_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#define TL_ARENA_UNIT 4096u

/* `size` bytes, a multiple of the unit; NULL where the arena's end is reached or the system has no memory. */
char *tl_arena_take(uint64_t size);

/* So much could still be taken. */
bool tl_arena_left(uint64_t size);

/* Between addresses in the arena and numbers from 1 on that fit 32 bits. */
uint32_t tl_arena_number(const void *address);
void *tl_arena_address(uint32_t number);

/*
 * In a forked child: begin a new arena. The old one stays mapped, since calls that were open across the fork still point
 * into it; what lay there reads as zero, and what is written there is lost.
 */
void tl_arena_after_fork(void);

#endif
