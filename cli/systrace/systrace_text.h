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
	const char *path; /* the name for messages */
	int file;
	/* the text was a part of the file: lines are counted from its beginning */
	bool is_inside;
	bool is_made;	     /* made of a trace of tracelayer: the user does not know its lines */
	bool is_cut;	     /* it ended before its proper end; a message said so */
	bool has_header;     /* false: there is no trace in it */
	uint64_t begin, end; /* the part of the file that is the trace */

	/* Whole lines, or the part of a line that fits. */
	char *block;
	uint64_t offset; /* of the block */
	size_t filled, whole;
};

enum systrace_kind {
	SYSTRACE_UNREADABLE, /* after a message */
	SYSTRACE_TEXT,
	/* not text: a trace of tracelayer, as JSON (maybe compressed) or .tlt */
	SYSTRACE_OTHER_TRACE,
};

/* "-" is standard input. */
enum systrace_kind systrace_text_open(struct systrace_text *text, const char *path);

/*
 * For a trace of tracelayer: has `make` write its text, and uses that. `make` gets the path to read
 * and the name to show, and returns an exit code. False, after a message, if there is no text.
 */
bool systrace_text_make(struct systrace_text *text, const char *path,
			int (*make)(const char *path, const char *where, FILE *to));
void systrace_text_close(struct systrace_text *text);

/* Read from the beginning. */
void systrace_text_rewind(struct systrace_text *text);

/*
 * The next whole lines: text->block, text->whole bytes, at text->offset; they may be written to.
 * Returns 1; 0 at the end; -1, after a message, if they cannot be read.
 */
int systrace_text_next(struct systrace_text *text);

/* The number, from 1, of the line that begins at this offset. */
uint64_t systrace_text_line(struct systrace_text *text, uint64_t offset);

/* The beginning of the line there, NUL-terminated; it stays until the next call or block. */
const char *systrace_text_at(struct systrace_text *text, uint64_t offset);

#endif
