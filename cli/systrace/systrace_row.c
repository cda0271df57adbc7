/* SPDX-License-Identifier: MIT */
/*
 * systrace_row.c: see systrace_row.h. Two regular expressions of Android's tool define a row; all
 * of their repetitions take as much as they can:
 *
 *     ^\s*([^ ].{1,15})-(\d+)\s+\(\s*([-0-9]+)\) .* (\d+\.\d+): tracing_mark_write: ([BE].*)$
 *     ^\s*([^ ].{1,15})-(\d+) .* (\d+\.\d+): tracing_mark_write: ([BE].*)$
 *
 * Task names may have blanks, dashes, and dashes before digits. The last dash that makes the line
 * a row counts.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/systrace/systrace_row.h"

#define LONGEST_TASK   16u /* characters */
#define LONGEST_NUMBER 18u /* digits that fit in 64 bits */
#define EXACT_DIGITS   15u /* that a double has */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

bool row_has(const char *bytes, size_t size, const char *text)
{
	return memmem(bytes, size, text, strlen(text)) != NULL;
}

/* Finds a time between `begin` and `at`, with a blank in front of it. */
static const char *time_before(const char *begin, const char *at)
{
	const char *p = at;

	while (p > begin && is_digit(p[-1]))
		p--;
	if (p == at || p == begin || p[-1] != '.')
		return NULL;
	const char *point = --p;

	while (p > begin && is_digit(p[-1]))
		p--;
	return p == point || p == begin || p[-1] != ' ' ? NULL : p;
}

/*
 * The last mark of the line with a time before it. `from` and `to` are where the first and the last
 * one may be.
 */
static bool find_mark(struct row *row, const char *from, const char *to)
{
	const size_t size = sizeof(ROW_FUNCTION) - 1;
	const char *end = row->line + row->size;

	row->mark = NULL;
	for (; from;
	     from = from < to ? memmem(from + size, (size_t)(end - from) - size, ROW_FUNCTION, size)
			      : NULL) {
		const char *mark = from + size, *time;

		if (mark == end || (*mark != 'B' && *mark != 'E') || from - row->line < 2 ||
		    memcmp(from - 2, ": ", 2))
			continue;
		time = time_before(row->line, from - 2);
		if (!time)
			continue;
		row->mark = mark;
		row->mark_size = (size_t)(end - mark);
		row->time = time;
	}
	return row->mark != NULL;
}

/* Skips digits at `at`. NULL: there are none, or more than a thread's number has. */
static const char *number_at(const char *at, const char *end, uint64_t *number)
{
	const char *begin = at;

	for (*number = 0; at < end && is_digit(*at); at++) {
		if (at - begin == LONGEST_NUMBER)
			return NULL;
		*number = 10 * *number + (uint64_t)(*at - '0');
	}
	return at == begin ? NULL : at;
}

/* "( 5143) " behind a thread's number. Returns what is behind it, or NULL. */
static const char *process_at(struct row *row, const char *at, const char *end)
{
	const char *p = at;

	while (p < end && is_space(*p))
		p++;
	if (p == at || p == end || *p++ != '(')
		return NULL;
	while (p < end && is_space(*p))
		p++;
	row->process = p;
	while (p < end && (is_digit(*p) || *p == '-'))
		p++;
	row->process_size = (size_t)(p - row->process);
	return row->process_size && end - p > 1 && p[0] == ')' && p[1] == ' ' ? p + 1 : NULL;
}

/* The row, if its task's name ends at `dash`. */
static bool try_dash(struct row *row, const char *dash, bool with_process)
{
	const char *end = row->line + row->size, *at = number_at(dash + 1, end, &row->thread);

	if (!at)
		return false;
	row->process = NULL;
	if (with_process)
		at = process_at(row, at, end);
	/* This is not the blank in front of the time. */
	return at && at < end && *at == ' ' && row->time - 1 > at;
}

/* The row, if its task's name begins at `task`: the longest name that makes one. */
static bool try_task(struct row *row, const char *task, bool with_process)
{
	const char *dashes[LONGEST_TASK], *end = row->line + row->size;
	unsigned characters = 0, count = 0;

	for (const char *p = task; p < end && characters <= LONGEST_TASK; p++) {
		if (((unsigned char)*p & 0xc0) == 0x80)
			continue; /* within a character */
		if (*p == '-' && characters >= 2)
			dashes[count++] = p;
		characters++;
	}
	while (count)
		if (try_dash(row, dashes[--count], with_process)) {
			row->task = task;
			row->task_size = (size_t)(dashes[count] - task);
			return true;
		}
	return false;
}

static bool try_form(struct row *row, bool with_process)
{
	const char *task = row->line, *end = row->line + row->size;

	while (task < end && is_space(*task))
		task++;
	for (;; task--) {
		if (task < end && *task != ' ' && try_task(row, task, with_process))
			return true;
		if (task == row->line)
			return false;
	}
}

bool row_parse(struct row *row, const char *from, const char *to)
{
	return find_mark(row, from, to) && (try_form(row, true) || try_form(row, false));
}

double row_time(const struct row *row)
{
	static const double tens[EXACT_DIGITS + 1] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,	1e6,  1e7,
						      1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	const char *at = row->time, *end = row->line + row->size;
	uint64_t number = 0;
	unsigned digits = 0, decimals = 0;

	for (; at < end && is_digit(*at); at++, digits++)
		number = 10 * number + (uint64_t)(*at - '0');
	for (at++; at < end && is_digit(*at); at++, digits++, decimals++)
		number = 10 * number + (uint64_t)(*at - '0');
	/* Both numbers are exact then, so their quotient is the nearest double. */
	if (digits <= EXACT_DIGITS)
		return (double)number / tens[decimals];
	/* A colon follows the digits and ends the number. */
	return strtod(row->time, NULL);
}
