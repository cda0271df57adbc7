/* SPDX-License-Identifier: MIT */
/*
 * tabulate.c: see tabulate.h. Calls and commands are sorted by row and duration, so that medians
 * and percentiles are durations that really occurred (nearest rank).
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/summary/self_times.h"
#include "cli/summary/tabulate_work.h"

/* ---- host calls ---- */

static int compare_calls(const void *a, const void *b, void *context)
{
	const struct host_call *x = a, *y = b;
	uint32_t left = tabulated_call_group(context, x), right = tabulated_call_group(context, y);

	if (x->own != y->own)
		return x->own ? 1 : -1;
	if (left != right)
		return left > right ? 1 : -1;
	if (x->name != y->name)
		return x->name > y->name ? 1 : -1;
	return (x->duration > y->duration) - (x->duration < y->duration);
}

size_t nearest_rank(size_t count, unsigned percent)
{
	size_t nth = (count * percent + 99) / 100;

	return nth ? nth - 1 : 0;
}

/* The calls of one row; returns how many of the `left` ones are. */
static size_t count_calls(const struct tabulation *of, const struct host_call *first, size_t left,
			  struct calls *row)
{
	uint32_t group = tabulated_call_group(of, first);
	size_t count = 0;

	*row = (struct calls){.name = of->history->names.list[first->name]};
	for (; count < left && first[count].own == first->own && first[count].name == first->name &&
	       tabulated_call_group(of, &first[count]) == group;
	     count++) {
		row->failed += first[count].failed;
		row->total += first[count].duration;
	}
	row->calls = (long long)count;
	row->min = first[0].duration;
	row->median = first[nearest_rank(count, 50)].duration;
	row->p99 = first[nearest_rank(count, 99)].duration;
	row->max = first[count - 1].duration;
	return count;
}

void tabulated_calls_heading(struct table *table, const struct tabulation *of, size_t count,
			     size_t functions, int files)
{
	const struct history *history = of->history;
	size_t threads = 0;
	char from[48] = "";

	for (uint32_t i = 0; i < history->nlanes; i++)
		threads += history->filtered ? history->lanes[i].selected : history->lanes[i].calls;
	if (files > 1)
		snprintf(from, sizeof(from), ", from %d files", files);
	table_heading(table, "host calls: %zu in %zu function%s, on %zu thread%s%s", count,
		      functions, plural_s(functions), threads, plural_s(threads), from);
}

struct table *tabulated_calls_table(const struct tabulation *of, int which)
{
	const char *name = which == TABLE_CALLS ? "host calls" : "own events";
	const char *row = which == TABLE_CALLS ? "function" : "event";

	return calls_table(name, row, tabulated_other_column(of), of->history->self != NULL);
}

long long tabulated_self(const struct tabulation *of, bool own, uint32_t group, uint32_t name)
{
	return of->history->self ? self_sums_of(of->history->self, own, group, name) : 0;
}

static size_t count_functions(const struct history *history, size_t count)
{
	bool *seen = need(calloc(history->names.count + 1, sizeof(*seen)));
	size_t functions = 0;

	for (size_t i = 0; i < count; i++) {
		functions += !seen[history->calls[i].name];
		seen[history->calls[i].name] = true;
	}
	free(seen);
	return functions;
}

/* Rows of calls that lie together. */
static void add_calls(struct table *table, const struct tabulation *of,
		      const struct host_call *calls, size_t ncalls)
{
	long long whole = 0;
	char label[LABEL];

	for (size_t i = 0; i < ncalls; i++)
		whole += calls[i].duration;
	for (size_t i = 0, count; i < ncalls; i += count) {
		struct calls row;

		count = count_calls(of, &calls[i], ncalls - i, &row);
		uint32_t group = tabulated_call_group(of, &calls[i]);
		long long self = tabulated_self(of, calls[i].own, group, calls[i].name);

		row.group = tabulated_row_label(label, of, tabulated_other_column(of), group);
		row.self = of->history->self ? &self : NULL;
		calls_row(table, &row, whole);
	}
}

static void tabulate_calls(struct table *tables[TABLES], struct tabulation *of, int files)
{
	struct history *history = of->history;
	size_t count = 0;

	if (history->ncalls)
		qsort_r(history->calls, history->ncalls, sizeof(struct host_call), compare_calls,
			of);
	while (count < history->ncalls && !history->calls[count].own)
		count++;
	tables[TABLE_CALLS] = tabulated_calls_table(of, TABLE_CALLS);
	add_calls(tables[TABLE_CALLS], of, history->calls, count);
	tabulated_calls_heading(tables[TABLE_CALLS], of, count, count_functions(history, count),
				files);
	if (count == history->ncalls)
		return;
	tables[TABLE_EVENTS] = tabulated_calls_table(of, TABLE_EVENTS);
	add_calls(tables[TABLE_EVENTS], of, history->calls + count, history->ncalls - count);
	table_heading(tables[TABLE_EVENTS], "the program's own events: %zu",
		      history->ncalls - count);
}

/* ---- device commands ---- */

static int64_t duration_of(const struct device_command *command)
{
	return command->end - command->start;
}

static long long time_of_commands(const struct history *history)
{
	long long sum = 0;

	for (size_t i = 0; i < history->ncommands; i++)
		sum += duration_of(&history->commands[i]);
	return sum;
}

static bool same_row(const struct tabulation *of, const struct device_command *a,
		     const struct device_command *b)
{
	return commands_table_of(a->kind) == commands_table_of(b->kind) &&
	       tabulated_command_group(of, a) == tabulated_command_group(of, b) && a->row == b->row;
}

static int compare_commands(const void *a, const void *b, void *context)
{
	const struct device_command *x = a, *y = b;
	const uint32_t left[] = {commands_table_of(x->kind), tabulated_command_group(context, x),
				 x->row};
	const uint32_t right[] = {commands_table_of(y->kind), tabulated_command_group(context, y),
				  y->row};

	for (size_t i = 0; i < 3; i++)
		if (left[i] != right[i])
			return left[i] > right[i] ? 1 : -1;
	return (duration_of(x) > duration_of(y)) - (duration_of(x) < duration_of(y));
}

static bool has_needs(const struct tabulation *of, enum commands_table which)
{
	return of->by == BY_SIZE && which == COMMANDS_KERNELS;
}

struct table *tabulated_commands_table(const struct tabulation *of, enum commands_table which)
{
	return has_needs(of, which) ? kernels_table(tabulated_group_column(of))
				    : commands_table(which, tabulated_commands_column(of, which));
}

const struct kernel_needs *tabulated_kernel_needs(const struct tabulation *of,
						  enum commands_table which, uint32_t row,
						  struct kernel_needs *needs)
{
	const struct history *history = of->history;
	const struct event_kernel *kernel =
		row < history->nkernels ? &history->kernels[row] : &(struct event_kernel){0};
	long long all[KERNEL_FACTS];

	for (unsigned i = 0; i < KERNEL_FACTS; i++)
		all[i] = kernel->has >> i & 1 ? (long long)kernel->of[i] : -1;
	*needs = (struct kernel_needs){all[KERNEL_PRIVATE], all[KERNEL_LOCAL], all[KERNEL_SPILL],
				       all[KERNEL_SIMD]};
	return has_needs(of, which) ? needs : NULL;
}

/* The commands of one row; returns how many of the `left` ones are. */
static size_t count_commands(const struct tabulation *of, const struct device_command *first,
			     size_t left, struct commands *row)
{
	size_t count = 0;

	*row = (struct commands){.name = of->history->names.list[first->row]};
	for (; count < left && same_row(of, first, &first[count]); count++) {
		int64_t duration = duration_of(&first[count]), bytes = first[count].bytes;

		row->total += duration;
		if (!first[count].has_bytes)
			continue;
		row->bytes += bytes;
		row->bytes_time += duration;
		if (duration > 0 && (double)bytes / (double)duration > row->best)
			row->best = (double)bytes / (double)duration;
	}
	row->count = (long long)count;
	row->min = duration_of(&first[0]);
	row->median = duration_of(&first[nearest_rank(count, 50)]);
	row->p99 = duration_of(&first[nearest_rank(count, 99)]);
	row->max = duration_of(&first[count - 1]);
	return count;
}

static void tabulate_commands(struct table *tables[COMMANDS_TABLES], struct tabulation *of)
{
	struct history *history = of->history;
	size_t sums[COMMANDS_TABLES] = {0};
	long long whole = time_of_commands(history);
	char label[LABEL];

	if (history->ncommands)
		qsort_r(history->commands, history->ncommands, sizeof(struct device_command),
			compare_commands, of);
	for (size_t i = 0, count; i < history->ncommands; i += count) {
		const struct device_command *first = &history->commands[i];
		enum commands_table which = commands_table_of(first->kind);
		struct kernel_needs needs;
		struct commands row;

		if (!tables[which])
			tables[which] = tabulated_commands_table(of, which);
		count = count_commands(of, first, history->ncommands - i, &row);
		row.group = tabulated_row_label(label, of, tabulated_commands_column(of, which),
						tabulated_command_group(of, first));
		row.needs = tabulated_kernel_needs(of, which, first->row, &needs);
		commands_row(tables[which], which, &row, whole);
		sums[which] += count;
	}
	for (int i = 0; i < COMMANDS_TABLES; i++)
		if (tables[i])
			commands_heading(tables[i], sums[i]);
}

/* ---- what --by tells apart ---- */

void extent_add(struct extent *extent, int64_t start, int64_t end)
{
	if (!extent->any || start < extent->first)
		extent->first = start;
	if (!extent->any || end > extent->last)
		extent->last = end;
	extent->any = true;
}

static void sum_calls(const struct tabulation *of, struct group_sum *sums)
{
	for (size_t i = 0; i < of->history->ncalls; i++) {
		const struct host_call *call = &of->history->calls[i];
		struct group_sum *sum = &sums[tabulated_call_group(of, call)];
		struct group_row *row = &sum->row;

		row->calls += !call->own;
		row->failed += call->failed;
		row->calls_time += call->own ? 0 : call->duration;
		extent_add(&sum->extent, call->start, call->start + call->duration);
	}
}

static void sum_commands(const struct tabulation *of, struct group_sum *sums)
{
	for (size_t i = 0; i < of->history->ncommands; i++) {
		const struct device_command *command = &of->history->commands[i];
		struct group_sum *sum = &sums[tabulated_command_group(of, command)];
		struct group_row *row = &sum->row;

		row->commands++;
		row->commands_time += duration_of(command);
		row->bytes += command->has_bytes ? command->bytes : 0;
		extent_add(&sum->extent, command->start, command->end);
	}
}

struct table *tabulate_sums_of_groups(const struct tabulation *of, const struct group_sum *sums,
				      uint32_t count)
{
	struct table *table = groups_table(tabulated_plural(of), tabulated_group_column(of));
	uint32_t told = 0;
	char label[LABEL];

	for (uint32_t i = 0; i < count; i++) {
		struct group_row row = sums[i].row;

		if (!sums[i].extent.any)
			continue;
		row.name = tabulated_group_label(label, of, i);
		row.span = sums[i].extent.last - sums[i].extent.first;
		groups_row(table, &row);
		told += i > 0;
	}
	table_heading(table, "%s: %u", tabulated_plural(of), told);
	return table;
}

static struct table *tabulate_groups(const struct tabulation *of)
{
	uint32_t count = tabulated_groups(of);
	struct group_sum *sums = need(calloc(count, sizeof(*sums)));

	sum_calls(of, sums);
	sum_commands(of, sums);
	struct table *table = tabulate_sums_of_groups(of, sums, count);

	free(sums);
	return table;
}

/* ---- all ---- */

bool tabulated_has_memory(const struct tabulation *of)
{
	return of->history->bytes && !of->history->filtered;
}

bool tabulated_several(const struct history *history)
{
	size_t processes = 0;

	for (uint32_t i = 0; i < history->nprocesses; i++)
		processes += history->processes[i].events;
	return processes > 1;
}

static uint32_t group_of_wait(const void *context, const struct device_command *command)
{
	const struct tabulation *of = context;

	return group_of_idling(of->history, of->by, command);
}

void tabulate(struct table *tables[TABLES], struct history *history, enum grouping by, int files)
{
	struct tabulation of = {history, by, tabulated_several(history)};
	struct waits waits;

	memset(tables, 0, TABLES * sizeof(*tables));
	if (history->ncommands) {
		waits_of(&waits, history, group_of_wait, &of);
		tabulate_queues(tables, &of, &waits);
		waits_free(&waits);
		tabulate_commands(&tables[TABLE_KERNELS], &of);
		if (tabulated_has_memory(&of))
			tables[TABLE_MEMORY] =
				memory_table((long long)history->bytes, time_of_commands(history));
	}
	tabulate_calls(tables, &of, files);
	if (*tabulated_plural(&of))
		tables[TABLE_GROUPS] = tabulate_groups(&of);
}
