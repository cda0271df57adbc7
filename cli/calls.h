/*
 * calls.h: the table of calls by function, as `tracelayer summary` and the summary tool show it.
 */
#ifndef TL_CLI_CALLS_H
#define TL_CLI_CALLS_H

#include "cli/table.h"

/* All calls of one function; times in nanoseconds. */
struct calls {
	const char *name;
	long long calls, failed, total, min, median, p99, max;
};

/* A table of that name in JSON, still empty. */
struct table *calls_table(const char *name);

/* Add a row; `whole` is the total of all rows. Then, with all rows there, sort. */
void calls_row(struct table *table, const struct calls *calls, long long whole);
void calls_sort(struct table *table);

#endif
