/* SPDX-License-Identifier: MIT */
/*
 * table_text.c: a table as text: cells with their units, aligned. On a terminal the lines fit it,
 * and what matters most stands out: titles are bold, failures are red. NO_COLOR in the environment
 * ends that, as every program does that knows it (no-color.org).
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "tables/needed_memory.h"
#include "tables/short_name.h"
#include "tables/table.h"
#include "tables/table_inside.h"

#define NAME_LEAST 24 /* a name is never made narrower than this many columns */

#define BOLD  "\033[1m"
#define RED   "\033[31m"
#define PLAIN "\033[m"

/* ---- cells ---- */

/*
 * One UTF-8 character of `text`: its bytes, and the columns it takes on a terminal. Other bytes are
 * taken one by one.
 */
static size_t character_take(const char *text, int *columns)
{
	mbstate_t state = {0};
	wchar_t wide;
	size_t bytes = mbrtowc(&wide, text, MB_CUR_MAX, &state);

	*columns = 1;
	if (bytes == 0 || bytes > MB_CUR_MAX)
		return 1;
	int taken = wcwidth(wide);

	if (taken >= 0)
		*columns = taken;
	return bytes;
}

static int columns_of(const char *text)
{
	int sum = 0, columns;

	while (*text) {
		text += character_take(text, &columns);
		sum += columns;
	}
	return sum;
}

/* Marks that change the direction of writing: what follows them would be shown at another place. */
static bool character_turns_writing(wchar_t wide)
{
	return wide == 0x61c || wide == 0x200e || wide == 0x200f ||
	       (wide >= 0x2028 && wide <= 0x202e) || (wide >= 0x2066 && wide <= 0x2069);
}

/*
 * Text that may go to a terminal. Names in a trace may contain control characters, which a terminal
 * would obey: these are shown as \xNN, and so are bytes that are no text in the user's locale.
 */
char *text_harmless(const char *text)
{
	char *copy = need(malloc(4 * strlen(text) + 1)), *to = copy;

	while (*text) {
		mbstate_t state = {0};
		wchar_t wide;
		size_t bytes = mbrtowc(&wide, text, MB_CUR_MAX, &state);

		if (bytes > MB_CUR_MAX || wcwidth(wide) < 0 || character_turns_writing(wide)) {
			to += sprintf(to, "\\x%02x", (unsigned char)*text++);
			continue;
		}
		memcpy(to, text, bytes);
		to += bytes;
		text += bytes;
	}
	*to = '\0';
	return copy;
}

/* Shorten to `room` columns, with an ellipsis. */
static void text_shorten(char *text, int room)
{
	int columns, used = 0;
	char *at = text;

	name_spare(text, room, columns_of);
	if (columns_of(text) <= room)
		return;
	while (*at) {
		size_t bytes = character_take(at, &columns);

		if (used + columns > room - 3)
			break;
		used += columns;
		at += bytes;
	}
	strcpy(at, "...");
}

static char *count_text(long long number)
{
	char digits[32], *text = need(malloc(48)), *to = text;
	int length = snprintf(digits, sizeof(digits), "%lld", number);

	for (int i = 0; i < length; i++) {
		*to++ = digits[i];
		if (digits[i] != '-' && i + 1 < length && (length - i - 1) % 3 == 0)
			*to++ = ',';
	}
	*to = '\0';
	return text;
}

/* Four significant digits in the unit that fits; whole nanoseconds stay whole. */
static char *time_text(long long ns)
{
	static const struct {
		double least, unit;
		const char *name;
	} units[] = {{999.95e6, 1e9, "s "}, {999.95e3, 1e6, "ms"}, {999.5, 1e3, "us"}};
	char *text = need(malloc(48));
	double magnitude = fabs((double)ns);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (magnitude < units[i].least)
			continue;
		double value = (double)ns / units[i].unit;
		int decimals = fabs(value) < 9.9995 ? 3 : fabs(value) < 99.995 ? 2 : 1;

		snprintf(text, 48, "%.*f %s", decimals, value, units[i].name);
		return text;
	}
	snprintf(text, 48, "%lld ns", ns);
	return text;
}

static char *difference_text(long long ns)
{
	char *text = time_text(ns), *signed_text = NULL;

	if (ns <= 0)
		return text;
	if (asprintf(&signed_text, "+%s", text) < 0)
		need(NULL);
	free(text);
	return signed_text;
}

/* Two significant digits, at least, in the unit that fits. */
static char *size_text(long long bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	char *text = need(malloc(48));
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units)) {
		value /= 1024;
		unit++;
	}
	snprintf(text, 48, "%.*f %s", unit && value < 9.95 ? 1 : 0, value, units[unit]);
	return text;
}

/* Whole units, rounded down, as people count age. */
static char *age_text(long long ns)
{
	static const struct {
		long long seconds;
		const char *name;
	} units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
	char *text = need(malloc(48));
	long long seconds = ns / 1000000000;
	size_t unit = 0;

	while (unit + 1 < sizeof(units) / sizeof(*units) && seconds < units[unit].seconds)
		unit++;
	snprintf(text, 48, "%lld %s", seconds / units[unit].seconds, units[unit].name);
	return text;
}

static char *cell_text(const struct table_column *column, const struct cell *cell)
{
	char *text;

	if (!cell->filled)
		return need(strdup("-"));
	switch (column->type) {
	case TABLE_NAME:
	case TABLE_TEXT:
		return text_harmless(cell->text);
	case TABLE_COUNT:
	case TABLE_FAILURES:
		return count_text(cell->number);
	case TABLE_TIME:
		return time_text(cell->number);
	case TABLE_SHARE:
		text = need(malloc(32));
		snprintf(text, 32, "%.1f %%", 100 * cell->fraction);
		return text;
	case TABLE_CHANGE:
		text = need(malloc(32));
		snprintf(text, 32, "%+.1f %%", 100 * cell->fraction);
		return text;
	case TABLE_DIFFERENCE:
		return difference_text(cell->number);
	case TABLE_RATE:
		text = need(malloc(48));
		snprintf(text, 48, "%.*f GB/s",
			 cell->fraction < 9.9995   ? 3
			 : cell->fraction < 99.995 ? 2
						   : 1,
			 cell->fraction);
		return text;
	case TABLE_ID:
		text = need(malloc(32));
		snprintf(text, 32, "%lld", cell->number);
		return text;
	case TABLE_SIZE:
		return size_text(cell->number);
	case TABLE_AGE:
		return age_text(cell->number);
	}
	return need(strdup(""));
}

/* ---- on a terminal ---- */

/* The stream is a terminal that shows colours, and the user wants them. */
static bool is_coloured(FILE *to)
{
	const char *never = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(fileno(to)) && !(never && *never) && terminal &&
	       strcmp(terminal, "dumb") != 0;
}

/* Columns of the terminal behind `to`; a very large number: it is no terminal. */
static int terminal_width(FILE *to)
{
	struct winsize size;

	if (!isatty(fileno(to)) || ioctl(fileno(to), TIOCGWINSZ, &size) || !size.ws_col)
		return 1 << 20;
	return size.ws_col;
}

/* How a cell is shown; NULL: as it is. `row` 0 has the titles. */
static const char *cell_colour(const struct table *table, size_t row, size_t column)
{
	if (!row)
		return BOLD;
	const struct cell *cell = &table->cells[(row - 1) * table->width + column];

	return table->columns[column].type == TABLE_FAILURES && cell->number ? RED : NULL;
}

struct lines {
	char **texts; /* row by row; the titles first */
	int *widths;  /* by column; -1: it is left out */
	bool coloured;
};

static void print_line(const struct table *table, const struct lines *lines, size_t row, FILE *to)
{
	char *const *texts = lines->texts + row * table->width;
	const int *widths = lines->widths;

	for (size_t c = 0; c < table->width; c++) {
		int pad = widths[c] - columns_of(texts[c]);
		bool left = column_is_text(&table->columns[c]);
		const char *colour = lines->coloured ? cell_colour(table, row, c) : NULL;

		if (widths[c] < 0)
			continue;
		if (c)
			fputs("  ", to);
		if (!left)
			fprintf(to, "%*s", pad, "");
		fprintf(to, "%s%s%s", colour ? colour : "", texts[c], colour ? PLAIN : "");
		if (left && c + 1 < table->width)
			fprintf(to, "%*s", pad, "");
	}
	fputc('\n', to);
}

/* Columns that are left out have width -1. The first column never is. */
static int line_width(const struct table *table, const int *widths)
{
	int sum = widths[0];

	for (size_t c = 1; c < table->width; c++)
		sum += widths[c] < 0 ? 0 : 2 + widths[c];
	return sum;
}

/* What names could be shortened by. */
static int names_slack(const struct table *table, const int *widths)
{
	int slack = 0;

	for (size_t c = 0; c < table->width; c++)
		if (table->columns[c].type == TABLE_NAME && widths[c] > NAME_LEAST)
			slack += widths[c] - NAME_LEAST;
	return slack;
}

/* What the other columns tell most of; the first is left out first. */
static const char *const lesser[] = {
	"min_ns",	 "p99_ns",  "average_ns",	"gaps",	   "longest_ns",  "longest_gap_ns",
	"best_gb_per_s", "span_ns", "waited_for_share", "idle_ns", "rank_min_ns", "rank_mean_ns",
};

/* How well a column can be spared: by what the table says, by its key, or by how far right it is. */
static int column_sparing(const struct table *table, size_t column)
{
	enum { LISTED = 4096, SAID = 8192 };
	int count = (int)(sizeof(lesser) / sizeof(*lesser));

	if (table->spare[column])
		return SAID + table->spare[column];
	for (int i = 0; i < count; i++)
		if (!strcmp(table->columns[column].key, lesser[i]))
			return LISTED + count - i;
	return (int)column;
}

/* Leave out the column that can be spared most. False: only the first is left. */
static bool column_spare(const struct table *table, int *widths)
{
	size_t most = 0;

	for (size_t c = 1; c < table->width; c++)
		if (widths[c] >= 0 && column_sparing(table, c) > column_sparing(table, most))
			most = c;
	if (!most)
		return false;
	widths[most] = -1;
	return true;
}

/* Leave columns out, and shorten the name columns, until the lines fit the terminal. */
static void text_fit(const struct table *table, int *widths, int room)
{
	while (line_width(table, widths) - names_slack(table, widths) > room)
		if (!column_spare(table, widths))
			break;
	int sum = line_width(table, widths);

	for (size_t c = 0; c < table->width && sum > room; c++) {
		int less = sum - room;

		if (table->columns[c].type != TABLE_NAME || widths[c] <= NAME_LEAST)
			continue;
		if (less > widths[c] - NAME_LEAST)
			less = widths[c] - NAME_LEAST;
		widths[c] -= less;
		sum -= less;
	}
}

static void print_heading(const struct table *table, bool coloured, FILE *to)
{
	char *heading = text_harmless(table->heading);

	fprintf(to, "%s%s%s\n\n", coloured ? BOLD : "", heading, coloured ? PLAIN : "");
	free(heading);
}

void table_print_text(const struct table *table, FILE *to)
{
	size_t cells = table->rows * table->width;
	char **texts = need(calloc(cells + table->width, sizeof(*texts)));
	int *widths = need(calloc(table->width, sizeof(*widths)));
	struct lines lines = {texts, widths, is_coloured(to)};

	if (table->heading)
		print_heading(table, lines.coloured, to);
	for (size_t i = 0; i < cells + table->width; i++) {
		const struct table_column *column = &table->columns[i % table->width];

		texts[i] = i < table->width ? need(strdup(column->title))
					    : cell_text(column, &table->cells[i - table->width]);
		int columns = columns_of(texts[i]);

		if (columns > widths[i % table->width])
			widths[i % table->width] = columns;
	}
	for (size_t c = 1; c < table->width; c++)
		if (table->spare[c] == TABLE_NOT_IN_TEXT)
			widths[c] = -1;
	text_fit(table, widths, terminal_width(to));
	for (size_t i = 0; i < cells + table->width; i++)
		if (table->columns[i % table->width].type == TABLE_NAME)
			text_shorten(texts[i], widths[i % table->width]);
	for (size_t row = 0; row <= table->rows; row++)
		print_line(table, &lines, row, to);
	for (size_t i = 0; i < cells + table->width; i++)
		free(texts[i]);
	free(texts);
	free(widths);
}
