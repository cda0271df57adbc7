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

#define TRACE_KIND_OTHER_BYTES 262 /* how many trace_kind_other wants */

/* What a file is that is no trace that can be read, and what to do with it; NULL: not known. */
static inline const char *trace_kind_other(const unsigned char *bytes, size_t size)
{
#define UNPACKED(by, command)                                                                      \
	"compressed by " by ", and only gzip is read; unpack it first, with `" command "`"
	static const struct {
		const char *what, *magic;
		unsigned char length;
		unsigned short at;
	} kinds[] = {
		{"a sum of traces; `tracelayer diff` reads it", "tlsum", 6, 0},
		{"a compressed .tlt file; unpack it first, with `gunzip`", "tracelyr", 8, 0},
		{"a part of an OTF2 archive, which other tools read; give the .tlt that it was made of",
		 "\3B", 2, 0},
		{"text of ftrace; `tracelayer phases` reads it", "# tracer:", 9, 0},
		{"a page for a browser; give the trace that it was made of, or a page of systrace to `tracelayer phases`",
		 "<!", 2, 0},
		{"a page for a browser; give the trace that it was made of, or a page of systrace to `tracelayer phases`",
		 "<html", 5, 0},
		{"text in UTF-16; make it UTF-8, with `iconv -f UTF-16 -t UTF-8`", "\xff\xfe", 2,
		 0},
		{"text in UTF-16; make it UTF-8, with `iconv -f UTF-16 -t UTF-8`", "\xfe\xff", 2,
		 0},
		{"a .tar; unpack it first, with `tar -x`, and give the traces in it", "ustar", 5,
		 257},
		{"compressed twice; unpack it first, with `gunzip`", "\x1f\x8b", 2, 0},
		{UNPACKED("xz", "unxz"),
		 "\xfd"
		 "7zXZ",
		 6, 0},
		{UNPACKED("zstd", "unzstd"), "\x28\xb5\x2f\xfd", 4, 0},
		{UNPACKED("bzip2", "bunzip2"), "BZh", 3, 0},
		{UNPACKED("lz4", "unlz4"), "\x04\x22\x4d\x18", 4, 0},
		{UNPACKED("zip", "unzip"), "PK\3\4", 4, 0},
		{"a program or a library; `tracelayer run` makes a trace of what a program does",
		 "\x7f"
		 "ELF",
		 4, 0},
		{"a recording of perf, which `perf` reads; give a trace", "PERFILE2", 8, 0},
	};
#undef UNPACKED

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (size >= kinds[i].at + (size_t)kinds[i].length &&
		    !memcmp(bytes + kinds[i].at, kinds[i].magic, kinds[i].length))
			return kinds[i].what;
	return NULL;
}

#endif
