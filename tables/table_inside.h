/* SPDX-License-Identifier: MIT */
/*
 * table_inside.h: what a table is, for table.c and arrange.c alone.
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

#endif
