/* SPDX-License-Identifier: MIT */
/* trace_kind.h: what a trace file is, by its first bytes (of compressed ones, those inside). */
#ifndef TL_CLI_READ_TRACE_KIND_H
#define TL_CLI_READ_TRACE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define TRACE_KIND_BYTES 16 /* how many are enough */

/*
 * A trace of Perfetto begins with the number of a field. To JSON, this byte is an empty line, and
 * so may be those that follow; but then comes a bracket.
 */
static inline bool trace_kind_is_perfetto(const unsigned char *bytes, size_t size)
{
	size_t at = 0;

	while (at < size && memchr(" \t\r\n", bytes[at], 4))
		at++;
	return size >= 2 && bytes[0] == '\n' && at < size && bytes[at] != '[' && bytes[at] != '{';
}

/*
 * The same of a file that may also be text: the first packet begins with its time or its sequence.
 */
static inline bool trace_kind_is_our_perfetto(const unsigned char *bytes, size_t size)
{
	size_t at = 1;

	while (at < size && at < 5 && bytes[at] > 127)
		at++;
	return trace_kind_is_perfetto(bytes, size) && at + 1 < size &&
	       (bytes[at + 1] == (8 << 3) || bytes[at + 1] == (10 << 3));
}

static inline bool trace_kind_is_sqlite(const unsigned char *bytes, size_t size)
{
	static const char magic[] = "SQLite format 3";

	return size >= sizeof(magic) && !memcmp(bytes, magic, sizeof(magic));
}

#endif
