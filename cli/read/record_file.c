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
#include "cli/read/shown_names.h"
#include "cli/read/trace_kind.h"

/* The next bytes of a pipe, which stay in it. */
static ssize_t pipe_peek(int fd, void *to, size_t size)
{
	int copy[2];

	if (pipe2(copy, O_CLOEXEC))
		return -1;
	ssize_t there = tee(fd, copy[1], size, 0);

	there = there > 0 ? read(copy[0], to, (size_t)there) : -1;
	close(copy[0]);
	close(copy[1]);
	return there;
}

/* The next bytes of standard input; it is read on from where it is. */
static ssize_t input_peek(void *to, size_t size)
{
	off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);

	return at < 0 ? pipe_peek(STDIN_FILENO, to, size) : pread(STDIN_FILENO, to, size, at);
}

static ssize_t file_peek(const char *path, void *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t there = fd < 0 ? -1 : pread(fd, to, size, 0);

	if (fd >= 0)
		close(fd);
	return there;
}

bool record_file_is(const char *path)
{
	char magic[sizeof(((struct tl_file_header *)NULL)->magic)];
	ssize_t there = strcmp(path, "-") ? file_peek(path, magic, sizeof(magic))
					  : input_peek(magic, sizeof(magic));

	return there == (ssize_t)sizeof(magic) && !memcmp(magic, TL_FILE_MAGIC, sizeof(magic));
}

/* The kind of a file, by its first bytes, if that helps the user; otherwise NULL. */
static const char *kind_of(const char *path)
{
	unsigned char first[16] = "";
	ssize_t size = strcmp(path, "-") ? file_peek(path, first, sizeof(first)) : 0;
	size_t at = 0;

	if (size > 2 && first[0] == 0x1f && first[1] == 0x8b)
		return "compressed, so not a .tlt file";
	if (size > 2 && first[0] == '\n' && !memchr(" \t\r\n[{", first[1], 6))
		return "a Perfetto trace";
	while (size > 0 && at < (size_t)size && memchr(" \t\r\n", first[at], 4))
		at++;
	return size > 0 && at < (size_t)size && (first[at] == '[' || first[at] == '{') ? "JSON"
										       : NULL;
}

/* As a recovery leaves it that was killed before it wrote. */
static void say_empty(const char *path)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) : 0;

	say("%s: it is empty; if its process was killed, try `tracelayer recover %.*s`", path,
	    slash ? folder + !folder : 1, slash ? path : ".");
}

static void say_not_record(const char *path, const char *why)
{
	unsigned char first[TRACE_KIND_OTHER_BYTES];
	const char *kind = kind_of(path);
	ssize_t size = strcmp(path, "-") ? file_peek(path, first, sizeof(first)) : 0;
	/* One that is cut in its first bytes is a .tlt file all the same. */
	const char *other = kind || size <= 0 || record_file_is(path)
				    ? NULL
				    : trace_kind_other(first, (size_t)size);

	if (other)
		say("%s: it is %s", path, other);
	else if (!size && strcmp(path, "-"))
		say_empty(path);
	else if (kind)
		say("%s: it is %s, and only .tlt files become one timeline or are selected by rank; give the .tlt that it was made of, or export it by itself",
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
	tl_trace_show_names(trace, name_shown);
	return trace;
}

void record_file_damaged(struct tl_trace *trace, uint64_t byte)
{
	tl_trace_problem(trace, "byte %llu: damaged records, up to the end of their chunk",
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
	int code = unknown || trace->nproblems || trace->clockless || !trace->ended
			   ? EXIT_INCOMPLETE
			   : EXIT_DONE;
	const char *ticks =
		trace->clockless
			? "; times are ticks of the processor's counter, not nanoseconds, since its clock is missing"
			: "";

	if (!where)
		return code;
	if (unknown)
		say("%s: %llu record%s damaged, or of %s that the file does not describe; %s has the others",
		    path, (unsigned long long)unknown, unknown == 1 ? " is" : "s are",
		    unknown == 1 ? "a function" : "functions", where);
	if (trace->nproblems)
		say("%s: %s%s%s; %s has all that is sound", path, trace->problems[0],
		    trace->nproblems > 1 ? ", and more of the kind" : "", ticks, where);
	else if (!trace->ended)
		say("%s: it ends early: its process was killed, or is still writing%s; %s has all that is there, and `tracelayer recover` may find the rest",
		    path, ticks, where);
	else if (trace->clockless)
		say("%s: it is damaged%s; %s has all that is sound", path, ticks, where);
	return code;
}
