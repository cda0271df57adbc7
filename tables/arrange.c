/* SPDX-License-Identifier: MIT */
/*
 * arrange.c: the order of a table's rows, and which rows and columns it has: see table.h.
 */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tables/needed_memory.h"
#include "tables/table.h"
#include "tables/table_inside.h"

/* ---- order ---- */

/* The sort key: a column's number, and the group's sum, which is in the group's cell. */
struct order {
	size_t shift, column;
	enum table_type type; /* the column's */
	bool by_group;	      /* groups by their names, and not by their sums */
};

static int rows_descend(long long x, long long y)
{
	return x == y ? 0 : x < y ? 1 : -1;
}

static int fractions_descend(double x, double y)
{
	return (x < y) - (x > y);
}

/* Largest first; texts by their letters. Empty cells come last. */
static int cells_compare(const struct order *order, const struct cell *left,
			 const struct cell *right)
{
	if (left->filled != right->filled)
		return left->filled ? -1 : 1;
	switch (order->type) {
	case TABLE_NAME:
	case TABLE_TEXT:
		return strcmp(text_of(left), text_of(right));
	case TABLE_SHARE:
	case TABLE_RATE:
	case TABLE_CHANGE:
		return fractions_descend(left->fraction, right->fraction);
	default:
		return rows_descend(left->number, right->number);
	}
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct order *order = context;
	const struct cell *left = a, *right = b;
	int result = 0;

	if (order->shift && !order->by_group)
		result = rows_descend(left->number, right->number);
	if (!result && order->shift)
		result = strcmp(text_of(left), text_of(right));
	if (!result)
		result = cells_compare(order, &left[order->column], &right[order->column]);
	return result ? result
		      : strcmp(text_of(&left[order->shift]), text_of(&right[order->shift]));
}

static int compare_groups(const void *a, const void *b)
{
	return strcmp(text_of(a), text_of(b));
}

/* Stores each group's sum of a column in the first cells of its rows. */
static void sum_groups(struct table *table, size_t column)
{
	size_t width = table->width, end;

	qsort(table->cells, table->rows, width * sizeof(struct cell), compare_groups);
	for (size_t row = 0; row < table->rows; row = end) {
		long long sum = 0;

		for (end = row; end < table->rows && !compare_groups(&table->cells[row * width],
								     &table->cells[end * width]);
		     end++)
			sum += table->cells[end * width + column].number;
		for (size_t i = row; i < end; i++)
			table->cells[i * width].number = sum;
	}
}

static bool row_is_of_group(const struct table *table, size_t row, size_t other)
{
	return !table->shift || !compare_groups(&table->cells[row * table->width],
						&table->cells[other * table->width]);
}

/* Keeps the first .most rows of each group. */
static void rows_cut(struct table *table)
{
	size_t kept = 0, size = table->width * sizeof(struct cell), first = 0;

	for (size_t row = 0; row < table->rows; row++) {
		struct cell *cells = &table->cells[row * table->width];

		first = row_is_of_group(table, row, first) ? first : row;
		if (row - first < table->most) {
			memmove(&table->cells[kept++ * table->width], cells, size);
			continue;
		}
		/* The first row of a group stays where it is: the next one is compared with it. */
		for (size_t i = 0; i < table->width; i++)
			free(cells[i].text);
		memset(cells, 0, size);
	}
	table->rows = kept;
}

/* `named`: the place of a column that the user named; the table's width: none. */
static void rows_sort(struct table *table, size_t named)
{
	struct order order = {.shift = table->shift, .column = table->shift};

	if (!table->rows)
		return;
	while (order.column + 1 < table->width && !table->columns[order.column].sorts)
		order.column++;
	if (table->shift)
		sum_groups(table, order.column);
	order.by_group = named < table->shift;
	order.column = named < table->width && !order.by_group ? named : order.column;
	order.type = table->columns[order.column].type;
	qsort_r(table->cells, table->rows, table->width * sizeof(struct cell), compare_rows,
		&order);
	if (table->most)
		rows_cut(table);
}

void table_sort(struct table *table)
{
	if (!table->sorted)
		rows_sort(table, table->width);
}

/* ---- what the user wants ---- */

/* Letters and digits of both, up to the end of `word`: "total_ns" is "Total". */
static bool words_are_alike(const char *word, size_t length, const char *name)
{
	const char *end = word + length;

	for (;;) {
		while (word < end && !isalnum((unsigned char)*word))
			word++;
		while (*name && !isalnum((unsigned char)*name))
			name++;
		if (word == end || !*name)
			return word == end && !*name;
		if (tolower((unsigned char)*word++) != tolower((unsigned char)*name++))
			return false;
	}
}

/* The key without its unit. */
static bool word_is_key(const char *word, size_t length, const char *key)
{
	char *plain = need(strdup(key)), *unit = strrchr(plain, '_');

	if (unit && (!strcmp(unit, "_ns") || !strcmp(unit, "_bytes")))
		*unit = 0;
	bool is = words_are_alike(word, length, key) || words_are_alike(word, length, plain);

	free(plain);
	return is;
}

static bool word_is_column(const char *word, size_t length, const struct table_column *column)
{
	return word_is_key(word, length, column->key) ||
	       words_are_alike(word, length, column->title);
}

/*
 * The place of a column; the group's, if no other has the name. The table's width: there is none.
 */
static size_t column_named(const struct table *table, const char *word, size_t length)
{
	for (size_t i = 0; i < table->width; i++) {
		size_t c = (table->shift + i) % table->width;

		if (word_is_column(word, length, &table->columns[c]))
			return c;
	}
	return table->width;
}

/* Columns in a new order, and some left out. */
static void columns_choose(struct table *table, const size_t *places, size_t count)
{
	struct table_column *columns = need(calloc(count, sizeof(*columns)));
	unsigned char *spare = need(calloc(count, 1));
	struct cell *cells = need(calloc(table->rows * count + 1, sizeof(*cells)));

	for (size_t i = 0; i < count; i++) {
		columns[i] = table->columns[places[i]];
		for (size_t row = 0; row < table->rows; row++) {
			struct cell *from = &table->cells[row * table->width + places[i]];

			cells[row * count + i] = *from;
			from->text = NULL;
		}
	}
	for (size_t i = 0; i < table->rows * table->width; i++)
		free(table->cells[i].text);
	free(table->cells);
	free(table->columns);
	free(table->spare);
	table->cells = cells;
	table->columns = columns;
	table->spare = spare;
	table->width = count;
	table->room = table->rows;
}

/* The next word of a list with commas; NULL: it has ended. */
static const char *word_next(const char **list, size_t *length)
{
	const char *word = *list ? *list + strspn(*list, ",") : NULL;

	if (!word || !*word)
		return NULL;
	*length = strcspn(word, ",");
	*list = word + *length + (word[*length] == ',');
	return word;
}

static bool place_is_taken(const size_t *places, size_t count, size_t place)
{
	for (size_t i = 0; i < count; i++)
		if (places[i] == place)
			return true;
	return false;
}

/* The rows' names come first in any case. False: the table has no column of the list. */
static bool columns_take(struct table *table, const char *list)
{
	size_t *places = need(calloc(table->width, sizeof(*places))), count = 0, length;
	const char *word;
	bool has = false;

	for (size_t i = 0; i <= table->shift && i < table->width; i++)
		places[count++] = i;
	while ((word = word_next(&list, &length))) {
		size_t place = column_named(table, word, length);

		has |= place < table->width;
		if (place < table->width && !place_is_taken(places, count, place))
			places[count++] = place;
	}
	if (has)
		columns_choose(table, places, count);
	free(places);
	return has;
}

bool table_wishes_name(const struct table_wishes *wishes, const struct table_column *column)
{
	const char *list = wishes->columns, *word;
	size_t length;

	while ((word = word_next(&list, &length)))
		if (word_is_column(word, length, column))
			return true;
	return wishes->sort && word_is_column(wishes->sort, strlen(wishes->sort), column);
}

static bool any_has(struct table *const *tables, size_t count, const char *word, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (tables[i] && column_named(tables[i], word, length) < tables[i]->width)
			return true;
	return false;
}

/* Whoever filled a table without a column that sorts put its rows in order. */
static bool rows_are_in_order(const struct table *table)
{
	for (size_t i = 0; i < table->width; i++)
		if (table->columns[i].sorts)
			return false;
	return true;
}

static void rows_arrange(struct table *table, const struct table_wishes *wishes)
{
	const char *sort = wishes->sort ? wishes->sort : "";

	table->most = wishes->most;
	if (wishes->sort || !rows_are_in_order(table))
		rows_sort(table, column_named(table, sort, strlen(sort)));
	else if (table->rows && table->most)
		rows_cut(table);
	table->sorted = true;
}

const char *tables_arrange(struct table **tables, size_t count, const struct table_wishes *wishes)
{
	const char *list = wishes->columns, *word;
	size_t length;

	if (wishes->sort && !any_has(tables, count, wishes->sort, strlen(wishes->sort)))
		return wishes->sort;
	while ((word = word_next(&list, &length)))
		if (!any_has(tables, count, word, length))
			return word;
	for (size_t i = 0; i < count; i++) {
		if (!tables[i])
			continue;
		/* Before columns go: the one that it is sorted by need not be shown. */
		rows_arrange(tables[i], wishes);
		if (wishes->columns && !columns_take(tables[i], wishes->columns)) {
			table_free(tables[i]);
			tables[i] = NULL;
		}
	}
	return NULL;
}
