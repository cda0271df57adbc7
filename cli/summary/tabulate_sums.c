/* SPDX-License-Identifier: MIT */
/*
 * tabulate_sums.c: the tables of files that were summed up (flat.h). See tabulate.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/summary/tabulate_work.h"

/* Rows of a tally in the order in which sorted calls and commands would give them. */
static int compare_rows(const void *a, const void *b)
{
	const struct tally_row *const *left = a, *const *right = b;
	const struct tally_row *x = *left, *y = *right;

	if (x->kind != y->kind)
		return x->kind > y->kind ? 1 : -1;
	if (x->group != y->group)
		return x->group > y->group ? 1 : -1;
	return (x->name > y->name) - (x->name < y->name);
}

static struct exact_times times_of(const struct flat_sums *sums, const struct tally_row *row)
{
	if (sums->exact)
		return sums->exact[row - sums->tally.rows];
	return (struct exact_times){
		.median = histogram_percentile(&row->times, 50),
		.p99 = histogram_percentile(&row->times, 99),
	};
}

static void add_row_of_calls(struct table *table, const struct tabulation *of,
			     const struct flat_sums *sums, const struct tally_row *from,
			     long long whole)
{
	const struct histogram *times = &from->times;
	const struct exact_times percentiles = times_of(sums, from);
	const long long self =
		tabulated_self(of, from->kind == TALLY_EVENTS, from->group, from->name);
	char label[LABEL];

	calls_row(table,
		  &(struct calls){.group = tabulated_row_label(
					  label, of, tabulated_other_column(of), from->group),
				  .name = of->history->names.list[from->name],
				  .calls = times->count,
				  .failed = from->failed,
				  .total = times->sum,
				  .self = of->history->self ? &self : NULL,
				  .min = times->min,
				  .median = percentiles.median,
				  .p99 = percentiles.p99,
				  .max = times->max},
		  whole);
}

static void add_row_of_commands(struct table *table, enum commands_table which,
				const struct tabulation *of, const struct flat_sums *sums,
				const struct tally_row *from, long long whole)
{
	const struct histogram *times = &from->times;
	const struct exact_times percentiles = times_of(sums, from);
	struct kernel_needs needs;
	char label[LABEL];

	commands_row(table, which,
		     &(struct commands){
			     .group = tabulated_row_label(
				     label, of, tabulated_commands_column(of, which), from->group),
			     .name = of->history->names.list[from->name],
			     .count = times->count,
			     .total = times->sum,
			     .min = times->min,
			     .median = percentiles.median,
			     .p99 = percentiles.p99,
			     .max = times->max,
			     .bytes = from->bytes,
			     .bytes_time = from->bytes_time,
			     .best = from->best,
			     .needs = tabulated_kernel_needs(of, which, from->name, &needs)},
		     whole);
}

/* The sums of one kind of rows. */
struct kind_sum {
	size_t count, names;
	long long time;
};

static const struct tally_row **rows_sorted(const struct tally *tally, uint32_t names,
					    struct kind_sum sums[TALLY_KINDS])
{
	const struct tally_row **rows = need(calloc(tally->nrows + 1, sizeof(*rows)));
	bool *seen = need(calloc(names + 1, sizeof(*seen)));

	memset(sums, 0, TALLY_KINDS * sizeof(*sums));
	for (uint32_t i = 0; i < tally->nrows; i++) {
		const struct tally_row *row = rows[i] = &tally->rows[i];

		sums[row->kind].count += (size_t)row->times.count;
		sums[row->kind].time += row->times.sum;
		sums[row->kind].names += row->kind == TALLY_CALLS && !seen[row->name];
		seen[row->name] |= row->kind == TALLY_CALLS;
	}
	qsort(rows, tally->nrows, sizeof(*rows), compare_rows);
	free(seen);
	return rows;
}

static void tabulate_rows(struct table *tables[TABLES], const struct tabulation *of,
			  const struct flat_sums *from, int files)
{
	const struct tally *tally = &from->tally;
	struct kind_sum sums[TALLY_KINDS];
	const struct tally_row **rows = rows_sorted(tally, of->history->names.count, sums);
	long long whole =
		sums[TALLY_KERNELS].time + sums[TALLY_TRANSFERS].time + sums[TALLY_OTHERS].time;

	tables[TABLE_CALLS] = tabulated_calls_table(of, TABLE_CALLS);
	if (sums[TALLY_EVENTS].count)
		tables[TABLE_EVENTS] = tabulated_calls_table(of, TABLE_EVENTS);
	for (int i = 0; i < COMMANDS_TABLES; i++)
		if (sums[TALLY_KERNELS + i].count)
			tables[TABLE_KERNELS + i] =
				tabulated_commands_table(of, (enum commands_table)i);
	for (uint32_t i = 0; i < tally->nrows; i++) {
		enum tally_kind kind = rows[i]->kind;
		struct table *table = tables[TABLE_CALLS + kind];

		if (kind < TALLY_KERNELS)
			add_row_of_calls(table, of, from, rows[i], sums[kind].time);
		else
			add_row_of_commands(table, (enum commands_table)(kind - TALLY_KERNELS), of,
					    from, rows[i], whole);
	}
	tabulated_calls_heading(tables[TABLE_CALLS], of, sums[TALLY_CALLS].count,
				sums[TALLY_CALLS].names, files);
	if (tables[TABLE_EVENTS])
		table_heading(tables[TABLE_EVENTS], "the program's own events: %zu",
			      sums[TALLY_EVENTS].count);
	for (int i = 0; i < COMMANDS_TABLES; i++)
		if (tables[TABLE_KERNELS + i])
			commands_heading(tables[TABLE_KERNELS + i], sums[TALLY_KERNELS + i].count);
	if (tabulated_has_memory(of) &&
	    sums[TALLY_KERNELS].count + sums[TALLY_TRANSFERS].count + sums[TALLY_OTHERS].count)
		tables[TABLE_MEMORY] = memory_table((long long)of->history->bytes, whole);
	free(rows);
}

void tabulate_sums(struct table *tables[TABLES], struct flat_sums *sums, enum grouping by,
		   int files)
{
	struct tabulation of = {sums->history, by, tabulated_several(sums->history)};

	memset(tables, 0, TABLES * sizeof(*tables));
	tabulate_rows(tables, &of, sums, files);
	if (sums->ncommands)
		tabulate_queues(tables, &of, &sums->waits);
	if (*tabulated_plural(&of))
		tables[TABLE_GROUPS] = tabulate_sums_of_groups(&of, sums->groups, sums->ngroups);
}
