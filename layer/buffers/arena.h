/* SPDX-License-Identifier: MIT */
/*
 * arena.h: the memory that events and open calls lie in: a mapped file of buffers
 * (format/file/trace_file.h).
 *
 * The arena is one range of addresses for the whole process, of at most TRACELAYER_MEMORY. Pieces
 * are taken from its start onwards, and are never given back. The file is in memory (/dev/shm, or
 * another folder of common/places.h), so that it outlives the process, however the process ends. A
 * piece is zero and its pages are there: writing to it can neither fault nor fail, even where the
 * file system is full or is made smaller. Where no file can be made, or the process may not be
 * recorded, the arena is the process's own memory, and recovery finds nothing.
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
 * Make the arena now, if it isn't there: the header, and the pieces for the process's facts, its
 * output and its clock. False: the system has no memory. Without this call, the first piece that is
 * taken makes the arena.
 */
bool tl_arena_begin(void);

/*
 * Lower tl_config.memory to a part of the addresses that the process may have
 * (common/memory_limits.h), unless the user has set it. Called at the first watched call, before
 * anything is taken. What the cgroups allow is asked later, when a piece is taken for which that
 * matters.
 */
void tl_arena_fit(void);

/*
 * Ask the cgroups, unless that was done. With all signals blocked. For the writer's thread: in others, the
 * files that are opened for it could take a descriptor's number that the program expects for its next file.
 * And before the program loses its rights to read files.
 */
void tl_arena_ask_cgroups(void);

/* Read from the environment where the file may go. Called once, when the library is loaded. */
void tl_arena_look(void);

/*
 * There is no arena, and the last try failed a moment ago. The next try comes after a second, and
 * then after ever longer times. Until then this costs no system call.
 */
bool tl_arena_is_refused(void);

/* At least one try to make the arena has failed. */
bool tl_arena_was_refused(void);

/* NULL before the first piece is taken. */
struct tl_file_header *tl_arena_header(void);
struct tl_output_piece *tl_arena_output(void);
const struct tl_facts *tl_arena_facts(void);

/* The file's path; "" where the arena is the process's own memory. */
const char *tl_arena_path(void);

/*
 * A piece of `size` bytes, which must be a multiple of TL_ARENA_UNIT. Its head is set; the rest is
 * zero. NULL: the arena is used up, or the system has no memory.
 */
void *tl_arena_take(enum tl_piece_kind kind, uint64_t size);

/* A piece of this size could still be taken. */
bool tl_arena_left(uint64_t size);

/* The bytes that can be taken in all: tl_config.memory, or less where the cgroups allow less. */
uint64_t tl_arena_memory(void);

/*
 * Note in the file whether all that was recorded is in the output. If so, there is nothing to
 * recover. What is recorded later can still be recovered.
 */
void tl_arena_done(bool done);

/* Delete the file, at the process's very end. Nothing can be recovered after that. */
void tl_arena_delete(void);

/*
 * In a forked child: begin a new arena. The old one's addresses stay, since calls that were open
 * across the fork still point there; what lay there reads as zero, and what is written there is
 * lost. The parent's file is not touched.
 */
void tl_arena_after_fork(void);

#endif
