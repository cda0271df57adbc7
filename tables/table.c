/* SPDX-License-Identifier: MIT */
/*
 * table.c: see table.h. Cells are kept as values, and become text only when the table is printed,
 * so that sorting and every format start from the same numbers.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "tables/needed_memory.h"
#include "tables/table.h"
#include "tables/table_inside.h"
#include "common/text.h"

#define NAME_LEAST 24 /* a name is never made narrower than this many columns */

struct table *table_new_by(const struct table_column *group, const char *name,
			   const struct table_column *columns, size_t count)
{
	struct table *table = need(calloc(1, sizeof(*table)));

	table->name = need(strdup(name));
	table->shift = group != NULL;
	table->width = table->shift + count;
	table->columns = need(calloc(table->width, sizeof(*columns)));
	if (group)
		table->columns[0] = *group;
	table->spare = need(calloc(table->width, 1));
	memcpy(&table->columns[table->shift], columns, count * sizeof(*columns));
	return table;
}

struct table *table_new(const char *name, const struct table_column *columns, size_t count)
{
	return table_new_by(NULL, name, columns, count);
}

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->rows * table->width; i++)
		free(table->cells[i].text);
	free(table->cells);
	free(table->columns);
	free(table->spare);
	free(table->heading);
	free(table->name);
	free(table);
}

void table_spare(struct table *table, size_t column, unsigned char rank)
{
	table->spare[table->shift + column] = rank;
}

void table_headless(struct table *table)
{
	table->headless = true;
}

const char *table_name(const struct table *table)
{
	return table->name;
}

void table_heading(struct table *table, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	free(table->heading);
	if (vasprintf(&table->heading, format, arguments) < 0)
		table->heading = need(NULL);
	va_end(arguments);
}

void table_row(struct table *table)
{
	if (table->rows == table->room) {
		table->room = table->room ? 2 * table->room : 64;
		table->cells = need(reallocarray(table->cells, table->room * table->width,
						 sizeof(struct cell)));
	}
	memset(&table->cells[table->rows++ * table->width], 0, table->width * sizeof(struct cell));
}

static struct cell *cell_at(struct table *table, size_t place)
{
	struct cell *cell = &table->cells[(table->rows - 1) * table->width + place];

	cell->filled = true;
	return cell;
}

static struct cell *group_last_row(struct table *table, size_t column)
{
	return cell_at(table, table->shift + column);
}

void table_group(struct table *table, const char *text)
{
	if (table->shift)
		cell_at(table, 0)->text = need(strdup(text));
}

void table_text(struct table *table, size_t column, const char *text)
{
	group_last_row(table, column)->text = need(strdup(text));
}

void table_number(struct table *table, size_t column, long long number)
{
	group_last_row(table, column)->number = number;
}

void table_share(struct table *table, size_t column, double share)
{
	group_last_row(table, column)->fraction = share;
}

void table_rate(struct table *table, size_t column, double rate)
{
	group_last_row(table, column)->fraction = rate;
}

size_t table_rows(const struct table *table)
{
	return table->rows;
}

int table_format_named(const char *name)
{
	static const char *const names[] = {"text", "csv", "json"};

	for (int i = 0; i < 3; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

/* ---- text ---- */

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
static char *character_is_harmless(const char *text)
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
		return character_is_harmless(cell->text);
	case TABLE_COUNT:
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

static bool column_is_left(const struct table_column *column)
{
	return column->type == TABLE_NAME || column->type == TABLE_TEXT;
}

static bool column_is_fraction(const struct table_column *column)
{
	return column->type == TABLE_SHARE || column->type == TABLE_RATE ||
	       column->type == TABLE_CHANGE;
}

/* Columns of the terminal behind `to`; a very large number: it is no terminal. */
static int terminal_width(FILE *to)
{
	struct winsize size;

	if (!isatty(fileno(to)) || ioctl(fileno(to), TIOCGWINSZ, &size) || !size.ws_col)
		return 1 << 20;
	return size.ws_col;
}

static void print_line(const struct table *table, char *const *texts, const int *widths, FILE *to)
{
	for (size_t c = 0; c < table->width; c++) {
		int pad = widths[c] - columns_of(texts[c]);
		bool left = column_is_left(&table->columns[c]);

		if (widths[c] < 0)
			continue;
		if (c)
			fputs("  ", to);
		if (!left)
			fprintf(to, "%*s", pad, "");
		fputs(texts[c], to);
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

/* Leave out the column that can be spared most. False: there is none. */
static bool column_spare(const struct table *table, int *widths)
{
	size_t most = 0;

	for (size_t c = 1; c < table->width; c++)
		if (widths[c] >= 0 && table->spare[c] > table->spare[most])
			most = c;
	if (!table->spare[most])
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

static void print_heading(const struct table *table, FILE *to)
{
	char *heading = character_is_harmless(table->heading);

	fprintf(to, "%s\n\n", heading);
	free(heading);
}

static void print_text(const struct table *table, FILE *to)
{
	size_t cells = table->rows * table->width;
	char **texts = need(calloc(cells + table->width, sizeof(*texts)));
	int *widths = need(calloc(table->width, sizeof(*widths)));

	if (table->heading)
		print_heading(table, to);
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
		print_line(table, texts + row * table->width, widths, to);
	for (size_t i = 0; i < cells + table->width; i++)
		free(texts[i]);
	free(texts);
	free(widths);
}

/* ---- CSV ---- */

/* Programs get each byte as it is; a terminal does not. */
static void print_csv_text(const char *given, FILE *to)
{
	char *shown = isatty(fileno(to)) ? character_is_harmless(given) : NULL;
	const char *text = shown ? shown : given;

	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, to);
		free(shown);
		return;
	}
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputc('"', to);
	free(shown);
}

/* Digits only, and a point whatever the locale says. */
static void print_fraction(double fraction, FILE *to)
{
	long long millionths = llround(fabs(fraction) * 1e6);

	fprintf(to, "%s%lld.%06lld", fraction < 0 && millionths ? "-" : "", millionths / 1000000,
		millionths % 1000000);
}

static void print_csv(const struct table *table, FILE *to)
{
	for (size_t c = 0; c < table->width && !table->headless; c++)
		fprintf(to, "%s%s", c ? "," : "", table->columns[c].key);
	if (!table->headless)
		fputs("\r\n", to);
	for (size_t i = 0; i < table->rows * table->width; i++) {
		const struct cell *cell = &table->cells[i];
		const struct table_column *column = &table->columns[i % table->width];

		if (i % table->width)
			fputc(',', to);
		if (cell->filled && column_is_left(column))
			print_csv_text(cell->text, to);
		else if (cell->filled && column_is_fraction(column))
			print_fraction(cell->fraction, to);
		else if (cell->filled)
			fprintf(to, "%lld", cell->number);
		if (i % table->width == table->width - 1)
			fputs("\r\n", to);
	}
}

/* ---- JSON ---- */

void print_json_string(const char *string, FILE *to)
{
	size_t size = strlen(string), room = 6 * size + 1; /* the longest escape is \\uXXXX */
	char *escaped = need(malloc(room));
	struct tl_text text = {escaped, escaped + room, false};

	tl_text_escape(&text, string, size);
	putc('"', to);
	fwrite(escaped, 1, (size_t)(text.at - escaped), to);
	putc('"', to);
	free(escaped);
}

static void print_json_cell(const struct table_column *column, const struct cell *cell, FILE *to)
{
	if (!cell->filled)
		fputs("null", to);
	else if (column_is_left(column))
		print_json_string(cell->text, to);
	else if (column_is_fraction(column))
		print_fraction(cell->fraction, to);
	else
		fprintf(to, "%lld", cell->number);
}

static void print_json_table(const struct table *table, FILE *to)
{
	fputs("  {\n   \"table\": ", to);
	print_json_string(table->name, to);
	fputs(",\n   \"rows\": [", to);
	for (size_t i = 0; i < table->rows * table->width; i++) {
		size_t column = i % table->width;

		if (column == 0)
			fprintf(to, "%s\n    {", i ? "," : "");
		else
			fputs(", ", to);
		print_json_string(table->columns[column].key, to);
		fputs(": ", to);
		print_json_cell(&table->columns[column], &table->cells[i], to);
		if (column == table->width - 1)
			putc('}', to);
	}
	fputs("\n   ]\n  }", to);
}

static void print_json(struct table *const *tables, size_t count, FILE *to)
{
	fputs("{\n \"tables\": [\n", to);
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputs(",\n", to);
		print_json_table(tables[i], to);
	}
	fputs("\n ]\n}\n", to);
}

int table_print(struct table *const *tables, size_t count, enum table_format format, FILE *to)
{
	if (format == TABLE_AS_JSON)
		print_json(tables, count, to);
	for (size_t i = 0; i < count && format != TABLE_AS_JSON; i++) {
		if (i)
			fputs(format == TABLE_AS_CSV ? "\r\n" : "\n", to);
		(format == TABLE_AS_CSV ? print_csv : print_text)(tables[i], to);
	}
	return fflush(to) || ferror(to) ? -1 : 0;
}
