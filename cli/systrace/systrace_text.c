/* SPDX-License-Identifier: MIT */
/*
 * systrace_text.c: see systrace_text.h. The first bytes tell the kind of a file. The same is done
 * with what was unpacked into a temporary file.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/basics/basics.h"
#include "cli/systrace/systrace_packed.h"
#include "cli/systrace/systrace_scan.h"
#include "cli/systrace/systrace_text.h"
#include "cli/read/read.h"
#include "format/file/trace_file.h"

/*
 * Also the longest line that is read whole. The fuzzer uses smaller blocks, so that its traces have
 * many of them.
 */
#ifndef BLOCK
#define BLOCK (1u << 20)
#endif
#define PIECE	   (64u << 10)
#define SHOWN_LINE 2048u

static ssize_t text_read_at(const struct systrace_text *text, void *to, size_t size,
			    uint64_t offset)
{
	return file_read(text->file, text->path, to, size, offset);
}

/* From now on the text is in this file. */
static bool use_spool(struct systrace_text *text, int spool)
{
	if (spool < 0)
		return false;
	close(text->file);
	text->file = spool;
	return true;
}

static bool text_unpack(struct systrace_text *text, uint64_t offset, bool is_base64)
{
	text->is_inside = true;
	return use_spool(text,
			 systrace_unpack(text->file, text->path, offset, is_base64, &text->is_cut));
}

/* ---- lines ---- */

void systrace_text_rewind(struct systrace_text *text)
{
	text->offset = text->begin;
	text->filled = text->whole = 0;
}

/* How many bytes of the block are whole lines. */
static size_t whole_lines(const struct systrace_text *text)
{
	const char *end = memrchr(text->block, '\n', text->filled);

	if (!end)
		end = memrchr(text->block, '\r', text->filled);
	return end ? (size_t)(end + 1 - text->block) : 0;
}

int systrace_text_next(struct systrace_text *text)
{
	size_t rest = text->filled - text->whole;

	memmove(text->block, text->block + text->whole, rest);
	text->offset += text->whole;
	text->filled = rest;
	text->whole = 0;

	uint64_t at = text->offset + rest;
	size_t room = BLOCK - rest,
	       left = at < text->end ? (at + room < text->end ? room : (size_t)(text->end - at))
				     : 0;
	ssize_t got = left ? text_read_at(text, text->block + rest, left, at) : 0;

	if (got < 0)
		return -1;
	text->filled += (size_t)got;
	memset(text->block + text->filled, 0, SCAN_BEHIND);
	text->whole = whole_lines(text);
	/* The last line. Or the line is too long to be a row, and so does not matter. */
	if (!text->whole || !got)
		text->whole = text->filled;
	return text->whole > 0;
}

uint64_t systrace_text_line(struct systrace_text *text, uint64_t offset)
{
	char *piece = need(malloc(PIECE));
	uint64_t line = 1;
	ssize_t got;

	for (uint64_t at = 0; at < offset && (got = text_read_at(text, piece, PIECE, at)) > 0;
	     at += (uint64_t)got)
		for (const char *p = piece; (p = memchr(p, '\n', (size_t)(piece + got - p))) &&
					    at + (uint64_t)(p - piece) < offset;
		     p++)
			line++;
	free(piece);
	return line;
}

const char *systrace_text_at(struct systrace_text *text, uint64_t offset)
{
	static char line[SHOWN_LINE + 1];
	ssize_t got = text_read_at(text, line, SHOWN_LINE, offset);

	line[got > 0 ? got : 0] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	return line;
}

/* ---- what it is ---- */

/* The line around this place in the block. */
static const char *line_around(const struct systrace_text *text, const char *at, const char **end)
{
	const char *begin = at;

	while (begin > text->block && begin[-1] != '\n' && begin[-1] != '\r')
		begin--;
	*end = at;
	while (*end < text->block + text->whole && **end != '\n' && **end != '\r')
		++*end;
	return begin;
}

/* ftrace's header: those of Android's tool stand anywhere in a line, others begin it. */
static bool is_header(const char *line, const char *end)
{
	static const char *const exact[] = {
		"#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION",
		"#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION"};
	size_t size = (size_t)(end - line);

	return memmem(line, size, exact[0], strlen(exact[0])) ||
	       memmem(line, size, exact[1], strlen(exact[1])) ||
	       (size && *line == '#' && memmem(line, size, "TIMESTAMP", 9));
}

/* The end of the header's line, in the block, or NULL. */
static const char *find_header(const struct systrace_text *text)
{
	const char *at = text->block, *end = text->block + text->whole, *line_end;

	for (; (at = memmem(at, (size_t)(end - at), "TASK-PID", 8)); at++) {
		const char *line = line_around(text, at, &line_end);

		if (is_header(line, line_end))
			return line_end;
	}
	return NULL;
}

/* What gzip begins with, in base64, at the beginning of a line or behind a tag; or NULL. */
static const char *find_packed(const struct systrace_text *text)
{
	const char *at = text->block, *end = text->block + text->whole;

	for (; (at = memmem(at, (size_t)(end - at), "H4sI", 4)); at++)
		if (at > text->block ? strchr("\r\n>", at[-1]) != NULL : text->offset > 0)
			return at;
	return NULL;
}

/* Returns whether there is compressed data to look into. */
static bool find_beginning(struct systrace_text *text, uint64_t *packed)
{
	text->begin = 0;
	systrace_text_rewind(text);
	while (systrace_text_next(text) > 0) {
		const char *header = find_header(text), *inside = find_packed(text);

		if (inside && (!header || inside < header)) {
			*packed = text->offset + (uint64_t)(inside - text->block);
			return true;
		}
		if (header) {
			text->has_header = true;
			text->begin = text->offset + (uint64_t)(header - text->block);
			return false;
		}
	}
	text->begin = text->end;
	return false;
}

static bool text_has_size(struct systrace_text *text)
{
	struct stat status;

	if (fstat(text->file, &status) < 0) {
		say("%s: cannot read: %s; give the path of a trace file", text->path,
		    strerror(errno));
		return false;
	}
	text->end = (uint64_t)status.st_size;
	return true;
}

/* False: it can't be a trace, which is said. A pipe and a terminal end; other devices may not. */
static bool text_is_file_or_stream(const struct systrace_text *text, bool *is_regular)
{
	struct stat status;
	bool known = !fstat(text->file, &status);

	*is_regular = known && S_ISREG(status.st_mode);
	if (known && S_ISDIR(status.st_mode)) {
		say("%s: it is a folder, and this needs a file; name a trace in it", text->path);
		return false;
	}
	if (known && (S_ISBLK(status.st_mode) || S_ISCHR(status.st_mode)) && !isatty(text->file)) {
		say("%s: it is a device; give the path of a trace file", text->path);
		return false;
	}
	return true;
}

static bool open_file(struct systrace_text *text, const char *path)
{
	bool is_regular;

	text->file = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	if (text->file < 0) {
		say("%s: cannot open: %s; give the path of a trace file", text->path,
		    strerror(errno));
		return false;
	}
	return text_is_file_or_stream(text, &is_regular) &&
	       (is_regular || use_spool(text, spool_pipe(text->file, text->path)));
}

/* The first bytes of the file, unpacked. */
static size_t text_peek(const struct systrace_text *text, unsigned char *to, size_t size)
{
	unsigned char packed[4096];
	struct inflater inflater;
	ssize_t got = pread(text->file, packed, sizeof(packed), 0);
	size_t count = 0, more;

	if (got < 2 || packed[0] != 0x1f || packed[1] != 0x8b) {
		count = got < 0 ? 0 : (size_t)got < size ? (size_t)got : size;
		memcpy(to, packed, count);
		return count;
	}
	inflater_start(&inflater, NULL, INFLATER_GZIP);
	inflater_feed(&inflater, packed, (size_t)got);
	while (count < size && !inflater_is_hungry(&inflater) &&
	       inflater_next(&inflater, to + count, size - count, &more, 0))
		count += more;
	inflater_end(&inflater);
	return count;
}

static bool is_our_trace(const struct systrace_text *text)
{
	unsigned char first[64];
	size_t size = text_peek(text, first, sizeof(first)), at = 0;

	while (at < size && strchr(" \t\r\n", first[at]))
		at++;
	if ((at < size && (first[at] == '[' || first[at] == '{')) ||
	    trace_kind_is_our_perfetto(first, size) || trace_kind_is_sqlite(first, size))
		return true;
	return size >= sizeof(TL_FILE_MAGIC) &&
	       !memcmp(first, TL_FILE_MAGIC, sizeof(((struct tl_file_header *)NULL)->magic));
}

/*
 * A binary file was given by mistake. A text without a header may be a trace in which nothing
 * happened.
 */
static bool may_be_text(const struct systrace_text *text)
{
	char first[4096];
	ssize_t got = text_read_at(text, first, sizeof(first), 0);

	if (got >= 0 && !memchr(first, '\0', (size_t)got))
		return true;
	const char *other =
		got >= 0 ? trace_kind_other((const unsigned char *)first, (size_t)got) : NULL;

	if (other)
		say("%s: it is %s", text->path, other);
	else if (got >= 0)
		say("%s: neither systrace text nor a trace of tracelayer; give a file that systrace or `tracelayer run` wrote",
		    text->path);
	return false;
}

/* How often data may be compressed again. */
#define MOST_WRAPPINGS 4

static enum systrace_kind text_unwrap(struct systrace_text *text)
{
	uint64_t packed;

	for (int wrappings = 0; wrappings < MOST_WRAPPINGS; wrappings++) {
		unsigned char first[2] = {0, 0};

		if (!text_has_size(text) || text_read_at(text, first, sizeof(first), 0) < 0)
			return SYSTRACE_UNREADABLE;
		if (first[0] == 0x1f && first[1] == 0x8b) {
			if (!text_unpack(text, 0, false))
				return SYSTRACE_UNREADABLE;
			continue;
		}
		if (!find_beginning(text, &packed)) {
			systrace_text_rewind(text);
			return text->has_header || may_be_text(text) ? SYSTRACE_TEXT
								     : SYSTRACE_UNREADABLE;
		}
		if (!text_unpack(text, packed, true))
			return SYSTRACE_UNREADABLE;
	}
	say("%s: compressed several times; unpack it first", text->path);
	return SYSTRACE_UNREADABLE;
}

enum systrace_kind systrace_text_open(struct systrace_text *text, const char *path)
{
	*text = (struct systrace_text){.path = strcmp(path, "-") ? path : "standard input",
				       .file = -1};
	text->block = need(malloc(BLOCK + SCAN_BEHIND));
	if (!open_file(text, path))
		return SYSTRACE_UNREADABLE;
	return is_our_trace(text) ? SYSTRACE_OTHER_TRACE : text_unwrap(text);
}

bool systrace_text_make(struct systrace_text *text, const char *path,
			int (*make)(const char *path, const char *where, FILE *to))
{
	int spool = spool_open(), code;
	FILE *to = spool >= 0 ? fdopen(dup(spool), "w") : NULL;
	bool written;

	/* Standard input may have been a pipe: all of it is in our temporary file now. */
	if (!strcmp(path, "-") &&
	    (lseek(text->file, 0, SEEK_SET) < 0 || dup2(text->file, STDIN_FILENO) < 0))
		say("%s: cannot read again: %s; give the path of a trace file", text->path,
		    strerror(errno));
	if (!to)
		return false;
	code = make(path, "the table", to);
	written = spool_close(to);
	use_spool(text, spool);
	text->is_made = true;
	text->is_cut = code == EXIT_INCOMPLETE;
	return written && code != EXIT_BROKEN && text_unwrap(text) == SYSTRACE_TEXT;
}

void systrace_text_close(struct systrace_text *text)
{
	if (text->file >= 0)
		close(text->file);
	free(text->block);
}
