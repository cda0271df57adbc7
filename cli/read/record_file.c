/* SPDX-License-Identifier: MIT */
/*
 * record_file.c: see record_file.h.
 */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/read/record_file.h"

bool record_file_is(const char *path)
{
	char magic[sizeof(((struct tl_file_header *)NULL)->magic)];
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	bool is = fd >= 0 && pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
		  !memcmp(magic, TL_FILE_MAGIC, sizeof(magic));

	if (fd >= 0)
		close(fd);
	return is;
}

/* What a file is by its first bytes, as far as that helps; else NULL. */
static const char *kind_of(const char *path)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	unsigned char first[16] = "";
	ssize_t size = fd >= 0 ? pread(fd, first, sizeof(first), 0) : 0;
	size_t at = 0;

	if (fd >= 0)
		close(fd);
	if (size > 2 && first[0] == 0x1f && first[1] == 0x8b)
		return "compressed, so not a .tlt file";
	if (size > 2 && first[0] == '\n' && !memchr(" \t\r\n[{", first[1], 6))
		return "a Perfetto trace already";
	while (size > 0 && at < (size_t)size && memchr(" \t\r\n", first[at], 4))
		at++;
	return size > 0 && at < (size_t)size && (first[at] == '[' || first[at] == '{')
		       ? "JSON already"
		       : NULL;
}

static void say_not_record(const char *path, const char *why)
{
	const char *kind = kind_of(path);

	if (kind)
		say("%s: it is %s, and only a .tlt file can be converted; record one with `tracelayer run -o trace.tlt`, or record what you want "
		    "at once, such as -o trace.pftrace",
		    path, kind);
	else
		say("%s: %s; give a .tlt file, as `tracelayer run -o trace.tlt` writes it", path,
		    why);
}

struct tl_trace *record_file_open(const char *path)
{
	char why[256];
	struct tl_trace *trace = tl_trace_open(path, why, sizeof(why));

	if (!trace) {
		say_not_record(path, why);
		return NULL;
	}
	if (trace->header.kind != TL_FILE_SPOOL) {
		say("%s: it is a buffers file, not a trace; when its process has ended, `tracelayer recover` makes a trace of it",
		    path);
		tl_trace_close(trace);
		return NULL;
	}
	return trace;
}

void record_file_damaged(struct tl_trace *trace, uint64_t byte)
{
	tl_trace_problem(trace,
			 "byte %llu: records that can't be told apart, up to their chunk's end",
			 (unsigned long long)byte);
}

uint64_t record_file_lost(const struct tl_trace *trace)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < trace->nlanes; i++)
		lost += trace->lanes[i].lost;
	return trace->lost > lost ? trace->lost : lost;
}

int record_file_judge(const struct tl_trace *trace, const char *path, uint64_t unknown,
		      const char *where)
{
	if (unknown)
		say("%s: %llu records are damaged, or of functions that the file does not describe; %s has the others",
		    path, (unsigned long long)unknown, where);
	if (trace->nproblems)
		say("%s: %s%s; %s has all that is sound", path, trace->problems[0],
		    trace->nproblems > 1 ? ", and more of the kind" : "", where);
	else if (!trace->ended)
		say("%s: it ends early: its process was killed, or is still writing; %s has all that is there",
		    path, where);
	return unknown || trace->nproblems || !trace->ended ? EXIT_INCOMPLETE : EXIT_DONE;
}
