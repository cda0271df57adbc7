/* SPDX-License-Identifier: MIT */
/*
 * systrace_reader.h: the rows of a systrace's text, one after another. Can be started again.
 */
#ifndef TL_CLI_SYSTRACE_SYSTRACE_READER_H
#define TL_CLI_SYSTRACE_SYSTRACE_READER_H

#include <stdbool.h>

#include "cli/systrace/systrace_row.h"
#include "cli/systrace/systrace_scan.h"
#include "cli/systrace/systrace_text.h"

enum reader_state {
	/* a row with a mark; it may be written to, and stays until the next is read */
	READER_ROW,
	READER_FAULT, /* a line that should be such a row, and is none */
	READER_END,
	READER_BROKEN, /* cannot be read; a message said so */
};

struct reader {
	struct systrace_text *text;
	/* SCAN_ALL: look for the trace's end, and for lines that should be rows */
	enum scan_signs signs;
	char *at;
	unsigned pass;
};

/* Starts at the beginning. The first pass finds the end, and the second one relies on it. */
void reader_start(struct reader *reader, struct systrace_text *text, unsigned pass);
enum reader_state reader_next(struct reader *reader, struct row *row);

#endif
