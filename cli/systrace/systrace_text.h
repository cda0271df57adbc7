/* SPDX-License-Identifier: MIT */
/*
 * systrace_text.h: the text of a systrace, which can be read twice, wherever it comes from: a file
 * of ftrace's text, a systrace page with plain or compressed text in it, a gzip-compressed file,
 * standard input. What cannot be read twice is copied to a temporary file.
 */
#ifndef TL_CLI_SYSTRACE_SYSTRACE_TEXT_H
#define TL_CLI_SYSTRACE_SYSTRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct systrace_text {
	const char *path; /* as it is shown */
	int file;
	/* the text was inside of something: lines are counted from where it begins there */
	bool is_inside;
	bool is_made;	     /* of a trace of ours: its lines are no user's */
	bool is_cut;	     /* it ended before its proper end, which was said */
	bool has_header;     /* else there is no trace in it */
	uint64_t begin, end; /* what of the file is the trace */

	/* Whole lines, or as much of one as there is room for. */
	char *block;
	uint64_t offset; /* of the block */
	size_t filled, whole;
};

enum systrace_kind {
	SYSTRACE_UNREADABLE, /* which was said */
	SYSTRACE_TEXT,
	/* no text: a trace of ours, in JSON, which may be compressed, or records */
	SYSTRACE_OTHER_TRACE,
};

/* "-" is standard input. */
enum systrace_kind systrace_text_open(struct systrace_text *text, const char *path);

/*
 * A trace of ours was found: have `make` write its text, and use that. `make` gets the path that it
 * is read from, and how it is to be shown, and returns an exit code. False where there is none,
 * which was said.
 */
bool systrace_text_make(struct systrace_text *text, const char *path,
			int (*make)(const char *path, const char *where, FILE *to));
void systrace_text_close(struct systrace_text *text);

/* Read from the beginning. */
void systrace_text_rewind(struct systrace_text *text);

/*
 * The next whole lines: text->block, text->whole bytes, at text->offset; they may be written to.
 * Returns 1, or 0 at the end, or -1 where they can't be read, which was said.
 */
int systrace_text_next(struct systrace_text *text);

/* Which line of the file it is that begins at this offset, from 1. */
uint64_t systrace_text_line(struct systrace_text *text, uint64_t offset);

/* The beginning of the line there, NUL-terminated; it stays until the next call or block. */
const char *systrace_text_at(struct systrace_text *text, uint64_t offset);

#endif
