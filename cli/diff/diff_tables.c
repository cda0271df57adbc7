/* SPDX-License-Identifier: MIT */
/*
 * diff_tables.c: see diff_tables.h.
 */
#include "config.h"

#include <string.h>

#include "cli/diff/diff_tables.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

const char *const diff_table_words[TALLY_KINDS] = {"calls", "events", "kernels", "transfers",
						   "others"};

enum {
	DIFF_NAME,
	DIFF_CALLS_A,
	DIFF_CALLS_B,
	DIFF_FAILED_A,
	DIFF_FAILED_B,
	DIFF_TOTAL_A,
	DIFF_TOTAL_B,
	DIFF_TOTAL,
	DIFF_MEDIAN_A,
	DIFF_MEDIAN_B,
	DIFF_MEDIAN,
	DIFF_P99_A,
	DIFF_P99_B,
	DIFF_LONGER,
	DIFF_VERDICT,
};

static const struct table_column columns[] = {
	{"name", "Name", TABLE_NAME, false},
	{"calls_a", "Calls A", TABLE_COUNT, false},
	{"calls_b", "Calls B", TABLE_COUNT, false},
	{"failed_a", "Failed A", TABLE_FAILURES, false},
	{"failed_b", "Failed B", TABLE_FAILURES, false},
	{"total_a_ns", "Total A", TABLE_TIME, false},
	{"total_b_ns", "Total B", TABLE_TIME, false},
	{"total_difference_ns", "Total B-A", TABLE_DIFFERENCE, false},
	{"median_a_ns", "Median A", TABLE_TIME, false},
	{"median_b_ns", "Median B", TABLE_TIME, false},
	{"median_change", "Change", TABLE_CHANGE, false},
	{"p99_a_ns", "P99 A", TABLE_TIME, false},
	{"p99_b_ns", "P99 B", TABLE_TIME, false},
	{"longer", "Longer", TABLE_SHARE, false},
	{"verdict", "B is", TABLE_TEXT, false},
};

/* Ranks for table_spare. */
static const unsigned char spares[] = {
	[DIFF_CALLS_A] = 3,
	[DIFF_CALLS_B] = 2,
	[DIFF_FAILED_A] = TABLE_NOT_IN_TEXT,
	[DIFF_FAILED_B] = TABLE_NOT_IN_TEXT,
	[DIFF_TOTAL_A] = 5,
	[DIFF_TOTAL_B] = 4,
	[DIFF_MEDIAN_A] = 1,
	[DIFF_P99_A] = TABLE_NOT_IN_TEXT,
	[DIFF_P99_B] = TABLE_NOT_IN_TEXT,
	[DIFF_LONGER] = TABLE_NOT_IN_TEXT,
	[DIFF_VERDICT] = 0,
};

static const struct {
	const char *name, *title, *one;
} kinds[TALLY_KINDS] = {{"host calls", "host calls", "function"},
			{"own events", "the program's own events", "event"},
			{"kernels", "kernels", "kernel"},
			{"transfers", "transfers", "kind"},
			{"other commands", "other commands", "kind"}};

static const char *const verdicts[PAIR_VERDICTS] = {"alike", "slower", "faster", "new", "gone"};

static void row_of_a(struct table *table, const struct tally_row *a)
{
	table_number(table, DIFF_CALLS_A, row_calls(a));
	table_number(table, DIFF_FAILED_A, a ? a->failed : 0);
	table_number(table, DIFF_TOTAL_A, row_total(a));
	if (!row_calls(a))
		return;
	table_number(table, DIFF_MEDIAN_A, row_percentile(a, 50));
	table_number(table, DIFF_P99_A, row_percentile(a, 99));
}

static void row_of_b(struct table *table, const struct tally_row *b)
{
	table_number(table, DIFF_CALLS_B, row_calls(b));
	table_number(table, DIFF_FAILED_B, b ? b->failed : 0);
	table_number(table, DIFF_TOTAL_B, row_total(b));
	if (!row_calls(b))
		return;
	table_number(table, DIFF_MEDIAN_B, row_percentile(b, 50));
	table_number(table, DIFF_P99_B, row_percentile(b, 99));
}

static void pair_tabulate(struct table *table, const struct pair *pair)
{
	int64_t before = row_percentile(pair->a, 50), after = row_percentile(pair->b, 50);

	table_row(table);
	table_text(table, DIFF_NAME, pair->name);
	row_of_a(table, pair->a);
	row_of_b(table, pair->b);
	table_number(table, DIFF_TOTAL, pair_difference(pair));
	if (row_calls(pair->a) && row_calls(pair->b)) {
		if (before)
			table_share(table, DIFF_MEDIAN, (double)(after - before) / (double)before);
		table_share(table, DIFF_LONGER, pair->test.longer);
	}
	table_text(table, DIFF_VERDICT, verdicts[pair->verdict]);
}

/* "12 functions, 2 slower, 1 new". */
static void table_title(struct table *table, enum tally_kind kind, const struct pairs *pairs)
{
	size_t counts[PAIR_VERDICTS] = {0}, all = 0, length = 0;
	char text[160] = "";

	for (size_t i = 0; i < pairs->count; i++)
		if (pairs->list[i].kind == kind) {
			counts[pairs->list[i].verdict]++;
			all++;
		}
	for (int i = PAIR_ALIKE + 1; i < PAIR_VERDICTS; i++)
		if (counts[i])
			length += (size_t)snprintf(text + length, sizeof(text) - length, ", %zu %s",
						   counts[i], verdicts[i]);
	table_heading(table, "%s: %zu %s%s%s", kinds[kind].title, all, kinds[kind].one,
		      plural_s(all), *text ? text : ", all alike");
}

void diff_tabulate(struct table *tables[TALLY_KINDS], const struct pairs *pairs, bool changed)
{
	memset(tables, 0, TALLY_KINDS * sizeof(*tables));
	for (size_t i = 0; i < pairs->count; i++) {
		const struct pair *pair = &pairs->list[i];
		struct table **table = &tables[pair->kind];

		if (!*table) {
			*table = table_new(kinds[pair->kind].name, columns, COUNT_OF(columns));
			for (size_t column = 0; column < COUNT_OF(spares); column++)
				table_spare(*table, column, spares[column]);
			table_title(*table, pair->kind, pairs);
		}
		if (!changed || pair->verdict != PAIR_ALIKE)
			pair_tabulate(*table, pair);
	}
}
