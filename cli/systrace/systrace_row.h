/* SPDX-License-Identifier: MIT */
/*
 * systrace_row.h: a row of ftrace's text that has a mark:
 *
 *     NeuralNetworks-5143  ( 5143) [005] ...1   100.000000: tracing_mark_write: B|5143|[NN_LR_PP]name
 *
 * The process in parentheses may be missing. A row points into the text; nothing is copied.
 */
#ifndef TL_CLI_SYSTRACE_SYSTRACE_ROW_H
#define TL_CLI_SYSTRACE_SYSTRACE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row {
	const char *line; /* all of it, without its end */
	size_t size;
	uint64_t offset; /* where in the trace's text it is */

	const char *mark; /* begins with B or E, and ends with the line */
	size_t mark_size;
	const char *time; /* digits with a point; what follows is no part of it */
	uint64_t thread;  /* "pid", in ftrace's words */
	const char *task; /* its name */
	size_t task_size;
	/* The text in the parentheses; NULL: there are none. */
	const char *process;
	size_t process_size;
};

#define ROW_FUNCTION "tracing_mark_write: "

/*
 * Take a line apart. `from` is the first place of ROW_FUNCTION in the line, or NULL. `to` is the
 * last one, which counts. False: the line is no row with a mark.
 */
bool row_parse(struct row *row, const char *from, const char *to);

/* The row's time in seconds: the double that is nearest to the written number. */
double row_time(const struct row *row);

/* Whether the bytes contain this text. */
bool row_has(const char *bytes, size_t size, const char *text);

#endif
