/* SPDX-License-Identifier: MIT */
/*
 * table_inside.h: what a table is, for the files of this room alone.
 */
#ifndef TL_TABLES_TABLE_INSIDE_H
#define TL_TABLES_TABLE_INSIDE_H

#include "tables/table.h"

struct cell {
	bool filled;
	char *text;
	long long number;
	double fraction; /* a share, a rate */
};

struct table {
	char *name, *heading;
	struct table_column *columns;
	unsigned char *spare; /* by column: what table_spare said; 0: nothing */
	size_t width;	      /* columns */
	size_t shift;	      /* 1 if the first column is a group */
	struct cell *cells;   /* row by row */
	size_t rows, room;
	bool sorted; /* as the user wants it */
	bool headless;
	size_t most; /* rows to keep, of each group; 0: all */
};

static inline const char *text_of(const struct cell *cell)
{
	return cell->text ? cell->text : "";
}

static inline bool column_is_text(const struct table_column *column)
{
	return column->type == TABLE_NAME || column->type == TABLE_TEXT;
}

/*
 * Text that may go to a terminal. Names in a trace may contain control characters, which a terminal
 * would obey: these are shown as \xNN, and so are bytes that are no text in the user's locale. The
 * caller frees it.
 */
char *text_harmless(const char *text);

void table_print_text(const struct table *table, FILE *to);

#endif
