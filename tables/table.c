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
#include <unistd.h>

#include "tables/needed_memory.h"
#include "tables/table.h"
#include "tables/table_inside.h"
#include "common/text.h"

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

/* ---- CSV ---- */

static bool column_is_fraction(const struct table_column *column)
{
	return column->type == TABLE_SHARE || column->type == TABLE_RATE ||
	       column->type == TABLE_CHANGE;
}

/* Programs get each byte as it is; a terminal does not. */
static void print_csv_text(const char *given, bool terminal, FILE *to)
{
	char *shown = terminal ? text_harmless(given) : NULL;
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
	bool terminal = isatty(fileno(to));

	for (size_t c = 0; c < table->width && !table->headless; c++)
		fprintf(to, "%s%s", c ? "," : "", table->columns[c].key);
	if (!table->headless)
		fputs("\r\n", to);
	for (size_t i = 0; i < table->rows * table->width; i++) {
		const struct cell *cell = &table->cells[i];
		const struct table_column *column = &table->columns[i % table->width];

		if (i % table->width)
			fputc(',', to);
		if (cell->filled && column_is_text(column))
			print_csv_text(cell->text, terminal, to);
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
	else if (column_is_text(column))
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
		(format == TABLE_AS_CSV ? print_csv : table_print_text)(tables[i], to);
	}
	return fflush(to) || ferror(to) ? -1 : 0;
}
