/* SPDX-License-Identifier: MIT */
/*
 * arena.h: the memory that events and open calls lie in: a file of buffers
 * (format/file/trace_file.h), mapped.
 *
 * It is one run of addresses for the whole process, of at most TRACELAYER_MEMORY. Pieces are taken
 * from its start onwards and never given back. It is a file in memory (/dev/shm, or another place
 * of common/places.h), so that it outlives the process, however the process ends. A piece is zero
 * and faulted in: writing to it can neither fault nor fail, also where the file system is full or
 * is made smaller. Where no file can be had, or nothing is to be recorded, it is the process's own
 * memory, and recovery has nothing.
 *
 * Everything here is async-signal-safe and may run in any thread.
 */
#ifndef TL_LAYER_BUFFERS_ARENA_H
#define TL_LAYER_BUFFERS_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "format/file/trace_file.h"

#define TL_ARENA_UNIT TL_FILE_PAGE

/*
 * Make it now, if it isn't there: the header, and the pieces about the process, its clock and its
 * output. False where the system has no memory. Else it is made with the first piece that is taken.
 */
bool tl_arena_begin(void);

/*
 * Unless the user has set it: lower tl_config.memory to a part of what the process may have
 * (common/memory_limits.h). At the first watched call, before anything is taken.
 */
void tl_arena_fit(void);

/* Where it may go, as the environment says. Once, when the library is loaded. */
void tl_arena_look(void);

/*
 * There is none, and none could be had a moment ago. It is tried again after a second, and then
 * ever more seldom; until then this is the answer, which costs no system call.
 */
bool tl_arena_is_refused(void);

/* That was so at some time. */
bool tl_arena_was_refused(void);

/* These are there from the first piece on; NULL before. */
struct tl_file_header *tl_arena_header(void);
struct tl_output_piece *tl_arena_output(void);
const struct tl_facts *tl_arena_facts(void);

/* The file, "" where it is the process's own memory. */
const char *tl_arena_path(void);

/*
 * A piece of `size` bytes, a multiple of the unit, with its head set; the rest is zero. NULL where
 * the arena's end is reached or the system has no memory.
 */
void *tl_arena_take(enum tl_piece_kind kind, uint64_t size);

/* So much could still be taken. */
bool tl_arena_left(uint64_t size);

/*
 * Everything is in the output, or no longer. When it is, nobody needs to recover anything; what
 * comes after is not recoverable only when the file has been deleted, which is for the process's
 * very end.
 */
void tl_arena_done(bool done);
void tl_arena_delete(void);

/*
 * In a forked child: begin a new arena. The old one's addresses stay, since calls that were open
 * across the fork still point there; what lay there reads as zero, and what is written there is
 * lost. The parent's file is not touched.
 */
void tl_arena_after_fork(void);

#endif
