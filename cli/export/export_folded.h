/* SPDX-License-Identifier: MIT */
/*
 * export_folded.h: a trace as folded stacks, which flame graphs are made from: a line for each stack
 * and function, from the outermost function, with the nanoseconds that the calls took.
 *
 *	_start;main;solve;clFinish 1234567
 */
#ifndef TL_CLI_EXPORT_EXPORT_FOLDED_H
#define TL_CLI_EXPORT_EXPORT_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/basics/interned.h"
#include "cli/symbols/symbols.h"
#include "format/file/record_reader.h"

/*
 * Writes the lines to the descriptor. A call's time is its own: without that of the calls made
 * inside of it. *unknown: records that are not sound. False: writing failed, and errno says why.
 */
bool export_folded(struct tl_trace *trace, struct symbols *symbols, int fd, uint64_t *unknown);

#define FOLDED_DEEPEST 4096u /* functions of a line */

/* What the calls of each kind took. A kind is a key: whose stack, and which function. */
struct folded_sums {
	struct numbers keys;
	uint64_t *ns; /* by a key's place */
	size_t ns_room;
	struct folded_inner *inner;
	size_t ninner, inner_room;
};

/*
 * Adds a call's own time. A thread's calls come in the order in which they end, those inside a call
 * before it; folded_sums_thread begins another thread.
 */
void folded_sums_thread(struct folded_sums *sums);
void folded_sums_add(struct folded_sums *sums, uint64_t key, uint64_t start, uint64_t ns);

/*
 * Writes the lines: texts[i] is that of the key in place i, and is freed. False: writing failed, and
 * errno says why.
 */
bool folded_sums_write(const struct folded_sums *sums, char **texts, int fd);
void folded_sums_free(struct folded_sums *sums);

/* A function's name in a line. */
void folded_put_name(FILE *to, const char *bytes, size_t size);

/* Says that a trace has functions alone. */
void folded_say_stackless(const char *path);

#endif
