/* SPDX-License-Identifier: MIT */
/*
 * stack_text.h: the texts by which a trace has call stacks.
 *
 *	stack 2b:1139,11f0;31:3e0f1
 *	library 5fb1...9a 55d0c8a4e000 55d0c8a4e000 55d0c8a52000 /home/ada/bin/solver
 *
 * A stack has its frames from the innermost, the caller of the recorded function, to the outermost.
 * Frames of one library follow its text's number and a colon; a semicolon stands before the next
 * library. All numbers are hexadecimal. A frame is an address within the instruction that called,
 * as the library's own file counts addresses: the process's, less the library's base. Frames of
 * number 0 are in no library, and have the process's addresses. A + at the end: there were more
 * frames.
 *
 * A library has its build id (-: it has none), its base (what is added to its file's addresses),
 * where it was mapped, and its path.
 */
#ifndef TL_FORMAT_FILE_STACK_TEXT_H
#define TL_FORMAT_FILE_STACK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/text.h"

#define TL_STACK_FRAMES 64u /* that a stack has at most */

struct tl_stack_frame {
	uint32_t library; /* number of its text; 0: none */
	uint64_t address;
};

struct tl_stack_library {
	const char *id; /* hexadecimal digits, not ended by a NUL */
	size_t id_size; /* 0: it has none */
	uint64_t base, start, end;
	const char *path; /* not ended by a NUL */
	size_t path_size;
};

/* Append a stack's beginning, then each frame; `last` is the library of the frame before. */
void tl_stack_text_begin(struct tl_text *text);
void tl_stack_text_frame(struct tl_text *text, bool first, uint32_t last,
			 const struct tl_stack_frame *frame);

/* Append a library. A path that does not fit is cut at its beginning. */
void tl_stack_text_library(struct tl_text *text, const uint8_t *id, size_t id_size, uint64_t base,
			   uint64_t start, uint64_t end, const char *path);

/* Reads a stack's frames one after another. */
struct tl_stack_reader {
	const char *at, *end;
	uint32_t library;
	bool more; /* behind the last frame: there were more */
};

/* False: the text is no stack. */
bool tl_stack_read(struct tl_stack_reader *reader, const char *text, size_t size);
/* False: there are no more frames. */
bool tl_stack_read_frame(struct tl_stack_reader *reader, struct tl_stack_frame *frame);
/* All frames that are left, TL_STACK_FRAMES at most. Returns how many. */
uint32_t tl_stack_read_frames(struct tl_stack_reader *reader, struct tl_stack_frame *frames);

/* False: the text is no library. */
bool tl_stack_read_library(struct tl_stack_library *library, const char *text, size_t size);

#endif
