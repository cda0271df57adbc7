/* SPDX-License-Identifier: MIT */
/*
 * table.h: the one table printer. A command says what its columns hold and fills in rows; text, CSV
 * and JSON follow from that.
 *
 *	text	aligned, with units and thousands kept apart; where the terminal is too narrow, names
 *		are shortened, and then columns that can be spared are left out; on a terminal
 *		titles are bold and failures red, unless NO_COLOR is set
 *	CSV	RFC 4180: a header line, CRLF, quotes where needed; plain numbers in base units
 *	JSON	{"tables": [{"table": NAME, "rows": [{KEY: VALUE, …}, …]}, …]}; numbers as in CSV,
 *		an empty cell is null
 */
#ifndef TL_TABLES_TABLE_H
#define TL_TABLES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum table_type {
	TABLE_NAME,	  /* text, left; may be shortened on a terminal */
	TABLE_TEXT,	  /* text, left; never shortened */
	TABLE_COUNT,	  /* 1,234 */
	TABLE_FAILURES,	  /* a count; red on a terminal, if it is not 0 */
	TABLE_TIME,	  /* nanoseconds; text: 1.234 ms */
	TABLE_SHARE,	  /* 0 to 1; text: 45.1 % */
	TABLE_ID,	  /* an identifier: 1234 */
	TABLE_SIZE,	  /* bytes; text: 1.2 MiB */
	TABLE_AGE,	  /* nanoseconds; text: 3 h */
	TABLE_RATE,	  /* billions of bytes in a second; text: 12.34 GB/s */
	TABLE_CHANGE,	  /* a share more or less; text: +5.1 % */
	TABLE_DIFFERENCE, /* nanoseconds more or less; text: +1.234 ms */
};

enum table_format { TABLE_AS_TEXT, TABLE_AS_CSV, TABLE_AS_JSON };

struct table_column {
	const char *key;   /* in CSV and JSON; with the unit where it has one: total_ns */
	const char *title; /* in text */
	enum table_type type;
	bool sorts; /* table_sort sorts by this column; a number */
};

struct table;

/* A table named `name` in JSON; name and columns are copied. */
struct table *table_new(const char *name, const struct table_column *columns, size_t count);

/*
 * The same with one more column before the others: the group that the row belongs to. The others
 * are counted from behind it.
 */
struct table *table_new_by(const struct table_column *group, const char *name,
			   const struct table_column *columns, size_t count);
void table_free(struct table *table);

const char *table_name(const struct table *table);

/*
 * In text, the column is left out where the terminal is too narrow: of several, that with the
 * largest `rank` first. TABLE_NOT_IN_TEXT: always, so that only CSV and JSON have it. Not the first
 * column.
 */
#define TABLE_NOT_IN_TEXT 255
void table_spare(struct table *table, size_t column, unsigned char rank);

/* A line above the table, in text. Copied. */
__attribute__((format(printf, 2, 3))) void table_heading(struct table *table, const char *format,
							 ...);

/*
 * The ending of a word that is counted: "1 call", "2 calls". For headings, and lines about tables.
 */
static inline const char *plural_s(unsigned long long count)
{
	return count == 1 ? "" : "s";
}

/* A new row with all cells empty; then its cells, by column. Text is copied. */
void table_row(struct table *table);
void table_group(struct table *table, const char *text);
void table_text(struct table *table, size_t column, const char *text);
void table_number(struct table *table, size_t column, long long number);
void table_share(struct table *table, size_t column, double share);
void table_rate(struct table *table, size_t column, double rate);

size_t table_rows(const struct table *table);

/* In CSV: no line with the columns' names. For tables that go on with an earlier one. */
void table_headless(struct table *table);

/*
 * Rows by the column that sorts, largest first; rows with equal numbers by the first column. With a
 * group column, the group with the largest sum first, and so within each.
 */
void table_sort(struct table *table);

/* What the user wants of tables. Begins as zeros: everything, in the tables' own order. */
struct table_wishes {
	const char *sort;    /* a column by its key, with or without its unit, or by its title */
	const char *columns; /* such names, with commas between them */
	size_t most;	     /* rows, of each group; 0: all */
};

/* Whether the user names the column: to be shown, or to sort by. For columns that cost time to fill. */
bool table_wishes_name(const struct table_wishes *wishes, const struct table_column *column);

/*
 * Arrange tables as the user wants them; NULL entries are left out. A table without any of the columns
 * is freed, and becomes NULL. Returns NULL, or the word that no table has a column for: then
 * nothing is done.
 */
const char *tables_arrange(struct table **tables, size_t count, const struct table_wishes *wishes);

/* "text", "csv", "json"; -1 for anything else. */
int table_format_named(const char *name);

/*
 * Print several tables, text and CSV with an empty line between them. Returns 0, or -1 where the
 * stream failed (errno says why).
 */
int table_print(struct table *const *tables, size_t count, enum table_format format, FILE *to);

/* A string of JSON, in its quotes. */
void print_json_string(const char *string, FILE *to);

#endif
