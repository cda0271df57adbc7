/* SPDX-License-Identifier: MIT */
/*
 * symbols.h: the contract of cli/symbols: names of functions, for the addresses that a trace's
 * stacks have (format/file/stack_text.h).
 *
 * Symbols come from the libraries' own files, or from their separate debug information, and only if
 * the file's build id is the one that the trace has. So a trace can be read on another machine that
 * has the same files. A library that is not there, or another one, gives its name and the address.
 *
 * trace_stacks.h has the stacks of a .tlt file by these names; demangle.h has what functions of C++ and Rust
 * are called, in stacks and elsewhere.
 *
 * The room uses basics, read, format and libdw. One thread only.
 */
#ifndef TL_CLI_SYMBOLS_SYMBOLS_H
#define TL_CLI_SYMBOLS_SYMBOLS_H

#include "cli/symbols/demangle.h"
#include "cli/symbols/trace_stacks.h"
#include "common/text.h"
#include "format/file/stack_text.h"

struct symbols;

/*
 * `folders`: separated by colons, where files are looked for before their own places: DIR/PATH,
 * DIR/NAME, and DIR/.build-id; NULL: none.
 */
struct symbols *symbols_open(const char *folders);
void symbols_close(struct symbols *symbols);

/* Appends a frame's name: tl_encoder.frame_name, with the symbols as `names`. */
void symbols_name(void *symbols, struct tl_text *text, const struct tl_stack_library *library,
		  uint64_t address);

/* The libraries whose files were not found, or have another build id: one line for each. */
void symbols_say_missing(const struct symbols *symbols);

#endif
