/*
 * calls.c: the table of calls by function. See calls.h.
 */
#include "cli/calls.h"

enum column { NAME, CALLS, FAILED, TOTAL, SHARE, AVERAGE, MIN, MEDIAN, P99, MAX };

static const struct table_column columns[] = {
	[NAME] = {"function", "function", TABLE_NAME},
	[CALLS] = {"calls", "calls", TABLE_COUNT},
	[FAILED] = {"failed", "failed", TABLE_COUNT},
	[TOTAL] = {"total_ns", "total", TABLE_TIME},
	[SHARE] = {"share", "share", TABLE_SHARE},
	[AVERAGE] = {"average_ns", "average", TABLE_TIME},
	[MIN] = {"min_ns", "min", TABLE_TIME},
	[MEDIAN] = {"median_ns", "median", TABLE_TIME},
	[P99] = {"p99_ns", "99 %", TABLE_TIME},
	[MAX] = {"max_ns", "max", TABLE_TIME},
};

struct table *calls_table(const char *name)
{
	return table_new(name, columns, sizeof(columns) / sizeof(*columns));
}

void calls_row(struct table *table, const struct calls *calls, long long whole)
{
	table_row(table);
	table_text(table, NAME, calls->name);
	table_number(table, CALLS, calls->calls);
	table_number(table, FAILED, calls->failed);
	table_number(table, TOTAL, calls->total);
	table_share(table, SHARE, whole ? (double)calls->total / (double)whole : 0);
	table_number(table, AVERAGE, (calls->total + calls->calls / 2) / calls->calls);
	table_number(table, MIN, calls->min);
	table_number(table, MEDIAN, calls->median);
	table_number(table, P99, calls->p99);
	table_number(table, MAX, calls->max);
}

void calls_sort(struct table *table)
{
	table_sort(table, TOTAL);
}
