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
#include "cli/summary/tabulate.h"
#include "cli/summary/waits.h"

struct tabulation {
	struct history *history;
	enum grouping by;
	bool several; /* processes */
};

/* ---- groups ---- */

static const struct {
	const char *word, *plural;
	struct table_column column;
} groupings[] = {
	[BY_FUNCTION] = {"function", "", {NULL, NULL, TABLE_NAME, false}},
	[BY_THREAD] = {"thread", "threads", {"thread", "thread", TABLE_NAME, false}},
	/* The tables of queues have such a column anyway. */
	[BY_QUEUE] = {"queue", "", {"of_queue", "queue", TABLE_NAME, false}},
	[BY_PROCESS] = {"process", "processes", {"process", "process", TABLE_NAME, false}},
	[BY_REQUEST] = {"request", "requests", {"request", "request", TABLE_NAME, false}},
	[BY_STACK] = {"stack", "stacks", {"stack", "stack", TABLE_NAME, false}},
	/* Only kernels have one. */
	[BY_SIZE] = {"size", "", {"work_size", "work size", TABLE_NAME, false}},
};

int grouping_named(const char *word)
{
	for (int i = 0; i < GROUPINGS; i++)
		if (!strcmp(word, groupings[i].word))
			return i;
	return -1;
}

static const struct table_column *group_column(const struct tabulation *of)
{
	return of->by == BY_FUNCTION ? NULL : &groupings[of->by].column;
}

/* The column of calls, queues and waits, and of commands that are no kernels. */
static const struct table_column *other_column(const struct tabulation *of)
{
	return of->by == BY_SIZE ? NULL : group_column(of);
}

static const struct table_column *commands_column(const struct tabulation *of,
						  enum commands_table which)
{
	return which == COMMANDS_KERNELS ? group_column(of) : other_column(of);
}

static uint32_t stack_group(const struct history *history, uint32_t stack)
{
	return history->stack_groups ? history->stack_groups[stack] : stack;
}

uint32_t group_of_call(const struct history *history, enum grouping by,
		       const struct host_call *call)
{
	switch (by) {
	case BY_THREAD:
		return call->thread + 1;
	case BY_QUEUE:
		return call->correlation;
	case BY_PROCESS:
		return history->lanes[call->thread].process + 1;
	case BY_REQUEST:
		return call->request;
	case BY_STACK:
		return stack_group(history, call->request);
	default:
		return 0;
	}
}

uint32_t group_of_command(const struct history *history, enum grouping by,
			  const struct device_command *command)
{
	switch (by) {
	case BY_THREAD:
		return command->thread == NOBODY ? 0 : command->thread + 1;
	case BY_QUEUE:
		return command->queue + 1;
	case BY_PROCESS:
		return history->queues[command->queue].process + 1;
	case BY_REQUEST:
		return command->request;
	case BY_SIZE:
		return commands_table_of(command->kind) == COMMANDS_KERNELS ? command->size : 0;
	case BY_STACK:
		return stack_group(history, command->request);
	default:
		return 0;
	}
}

uint32_t group_of_idling(const struct history *history, enum grouping by,
			 const struct device_command *command)
{
	return by == BY_QUEUE || by == BY_SIZE ? 0 : group_of_command(history, by, command);
}

static uint32_t call_group(const struct tabulation *of, const struct host_call *call)
{
	return group_of_call(of->history, of->by, call);
}

static uint32_t command_group(const struct tabulation *of, const struct device_command *command)
{
	return group_of_command(of->history, of->by, command);
}

static uint32_t count_groups(const struct tabulation *of)
{
	const struct history *history = of->history;
	const uint32_t counts[] = {1,
				   history->nlanes + 1,
				   history->nqueues + 1,
				   history->nprocesses + 1,
				   history->requests.count + 1,
				   history->requests.count + 1,
				   history->sizes.count + 1};

	return counts[of->by];
}

static void process_label(char *to, size_t room, const struct history *history, uint32_t number)
{
	const struct process *process = &history->processes[number];

	snprintf(to, room, "%s%s%s%s%s%s", process->number, process->name ? " " : "",
		 process->name ? process->name : "", process->labels ? " (" : "",
		 process->labels ? process->labels : "", process->labels ? ")" : "");
}

static const char *of_process(const struct tabulation *of, uint32_t process)
{
	return of->several ? of->history->processes[process].number : "";
}

/*
 * Overlapping work is on further lanes, "queue 1 (2), Device", or "... (2)" in traces of older
 * versions: what they have in common is the queue's name. Returns how much of it stands before the
 * number; *rest: what stands behind it.
 */
static size_t length_of_queue(const char *lane, const char **rest)
{
	for (const char *at = strstr(lane, " ("); at; at = strstr(at + 1, " (")) {
		size_t digits = strspn(at + 2, "0123456789");
		const char *behind = at + 2 + digits;

		if (!digits || *behind != ')' || (behind[1] && strncmp(behind + 1, ", ", 2)))
			continue;
		*rest = behind + 1;
		return (size_t)(at - lane);
	}
	*rest = "";
	return strlen(lane);
}

static void queue_label(char *to, size_t room, const struct tabulation *of, uint32_t number)
{
	const struct queue *queue = &of->history->queues[number];
	const struct lane *lane = &of->history->lanes[queue->lane];
	const char *process = of_process(of, queue->process);
	int length = snprintf(to, room, "%s%s", process, *process ? ": " : "");

	if (lane->name) {
		const char *rest;
		int size = (int)length_of_queue(lane->name, &rest);
		snprintf(to + length, room - (size_t)length, "%.*s%s", size, lane->name, rest);
	} else if (queue->number)
		snprintf(to + length, room - (size_t)length, "queue %u%s%s", queue->number,
			 queue->device ? ", " : "", queue->device ? queue->device : "");
	else
		snprintf(to + length, room - (size_t)length, "lane %s", lane->number);
}

static void thread_label(char *to, size_t room, const struct tabulation *of, uint32_t number)
{
	const struct lane *lane = &of->history->lanes[number];
	const char *process = of_process(of, lane->process);

	snprintf(to, room, "%s%s%s%s%s", process, *process ? ": " : "", lane->number,
		 lane->name ? " " : "", lane->name ? lane->name : "");
}

#define LABEL 4096 /* of a stack; others are short */

static const char *group_label(char to[LABEL], const struct tabulation *of, uint32_t group)
{
	if (of->by == BY_FUNCTION)
		return NULL;
	strcpy(to, "-");
	if (group && of->by == BY_THREAD)
		thread_label(to, LABEL, of, group - 1);
	else if (group && of->by == BY_QUEUE)
		queue_label(to, LABEL, of, group - 1);
	else if (group && of->by == BY_PROCESS)
		process_label(to, LABEL, of->history, group - 1);
	else if (group && of->by == BY_SIZE)
		snprintf(to, LABEL, "%s", of->history->sizes.list[group]);
	else if (group)
		snprintf(to, LABEL, "%s", of->history->requests.list[group]);
	return to;
}

static const char *row_label(char to[LABEL], const struct tabulation *of,
			     const struct table_column *column, uint32_t group)
{
	return column ? group_label(to, of, group) : NULL;
}

/* ---- host calls ---- */

static int compare_calls(const void *a, const void *b, void *context)
{
	const struct host_call *x = a, *y = b;
	uint32_t left = call_group(context, x), right = call_group(context, y);

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
	uint32_t group = call_group(of, first);
	size_t count = 0;

	*row = (struct calls){.name = of->history->names.list[first->name]};
	for (; count < left && first[count].own == first->own && first[count].name == first->name &&
	       call_group(of, &first[count]) == group;
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

static void calls_heading(struct table *table, const struct tabulation *of, size_t count,
			  size_t functions, int files)
{
	const struct history *history = of->history;
	size_t threads = 0;
	char from[48] = "";

	for (uint32_t i = 0; i < history->nlanes; i++)
		threads += history->lanes[i].calls;
	if (files > 1)
		snprintf(from, sizeof(from), ", from %d files", files);
	table_heading(table, "host calls: %zu in %zu function%s, on %zu thread%s%s", count,
		      functions, plural_s(functions), threads, plural_s(threads), from);
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
		row.group = row_label(label, of, other_column(of), call_group(of, &calls[i]));
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
	tables[TABLE_CALLS] = calls_table("host calls", "function", other_column(of));
	add_calls(tables[TABLE_CALLS], of, history->calls, count);
	calls_heading(tables[TABLE_CALLS], of, count, count_functions(history, count), files);
	if (count == history->ncalls)
		return;
	tables[TABLE_EVENTS] = calls_table("own events", "event", other_column(of));
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
	       command_group(of, a) == command_group(of, b) && a->row == b->row;
}

static int compare_commands(const void *a, const void *b, void *context)
{
	const struct device_command *x = a, *y = b;
	const uint32_t left[] = {commands_table_of(x->kind), command_group(context, x), x->row};
	const uint32_t right[] = {commands_table_of(y->kind), command_group(context, y), y->row};

	for (size_t i = 0; i < 3; i++)
		if (left[i] != right[i])
			return left[i] > right[i] ? 1 : -1;
	return (duration_of(x) > duration_of(y)) - (duration_of(x) < duration_of(y));
}

static bool has_needs(const struct tabulation *of, enum commands_table which)
{
	return of->by == BY_SIZE && which == COMMANDS_KERNELS;
}

static struct table *commands_table_new(const struct tabulation *of, enum commands_table which)
{
	return has_needs(of, which) ? kernels_table(group_column(of))
				    : commands_table(which, commands_column(of, which));
}

/* What the driver knows of the kernel. NULL: the table does not have that. */
static const struct kernel_needs *kernel_needs_of(const struct tabulation *of,
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
			tables[which] = commands_table_new(of, which);
		count = count_commands(of, first, history->ncommands - i, &row);
		row.group =
			row_label(label, of, commands_column(of, which), command_group(of, first));
		row.needs = kernel_needs_of(of, which, first->row, &needs);
		commands_row(tables[which], which, &row, whole);
		sums[which] += count;
	}
	for (int i = 0; i < COMMANDS_TABLES; i++)
		if (tables[i])
			commands_heading(tables[i], sums[i]);
}

/* ---- queues ---- */

/* A queue is of one process; its waiting may be for several threads or requests. */
static const struct table_column *queue_group_column(const struct tabulation *of)
{
	return of->by == BY_PROCESS ? group_column(of) : NULL;
}

static uint32_t group_of_wait(const void *context, const struct device_command *command)
{
	const struct tabulation *of = context;

	return group_of_idling(of->history, of->by, command);
}

static int compare_causes(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	if (x->queue != y->queue)
		return x->queue > y->queue ? 1 : -1;
	return (x->cause > y->cause) - (x->cause < y->cause);
}

/* What each queue waited for longest, whatever the group. */
static void find_causes(struct queue_row *rows, const struct tabulation *of,
			const struct waits *waits)
{
	size_t count = waits->keys.count;
	struct wait *list = need(calloc(count + 1, sizeof(*list)));

	if (count)
		memcpy(list, waits->list, count * sizeof(*list));
	qsort(list, count, sizeof(*list), compare_causes);
	for (size_t i = 0, end; i < count; i = end) {
		struct queue_row *row = &rows[list[i].queue];
		long long sum = 0;

		for (end = i; end < count && !compare_causes(&list[i], &list[end]); end++)
			sum += list[end].total;
		if (sum <= row->cause_time)
			continue;
		row->cause_time = sum;
		row->cause = of->history->names.list[list[i].cause];
	}
	free(list);
}

static struct table *tabulate_queues(const struct tabulation *of, const struct waits *waits)
{
	struct table *table = queues_table(queue_group_column(of));
	uint32_t count = of->history->nqueues;
	struct queue_row *rows = need(calloc(count + 1, sizeof(*rows)));
	char name[LABEL], process[LABEL];

	find_causes(rows, of, waits);
	for (uint32_t i = 0; i < count; i++) {
		rows[i].time = waits->queues[i];
		queue_label(name, sizeof(name), of, i);
		rows[i].name = name;
		rows[i].group =
			queue_group_column(of)
				? group_label(process, of, of->history->queues[i].process + 1)
				: NULL;
		queues_row(table, &rows[i]);
	}
	free(rows);
	return table;
}

static struct table *tabulate_waits(const struct tabulation *of, const struct waits *waits)
{
	const struct table_column *column = of->by == BY_QUEUE ? NULL : other_column(of);
	struct table *table = waits_table(column);
	char label[LABEL], queue[LABEL];

	for (uint32_t i = 0; i < waits->keys.count; i++) {
		const struct wait *wait = &waits->list[i];
		struct wait_row row = {
			.group = row_label(label, of, column, wait->group),
			.queue = queue,
			.cause = of->history->names.list[wait->cause],
			.gaps = wait->gaps,
			.total = wait->total,
			.longest = wait->longest,
			.idle = waits->queues[wait->queue].idle,
		};

		queue_label(queue, sizeof(queue), of, wait->queue);
		waits_row(table, &row);
	}
	return table;
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
		struct group_sum *sum = &sums[call_group(of, call)];
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
		struct group_sum *sum = &sums[command_group(of, command)];
		struct group_row *row = &sum->row;

		row->commands++;
		row->commands_time += duration_of(command);
		row->bytes += command->has_bytes ? command->bytes : 0;
		extent_add(&sum->extent, command->start, command->end);
	}
}

static struct table *tabulate_sums_of_groups(const struct tabulation *of,
					     const struct group_sum *sums, uint32_t count)
{
	struct table *table = groups_table(groupings[of->by].plural, group_column(of));
	uint32_t told = 0;
	char label[LABEL];

	for (uint32_t i = 0; i < count; i++) {
		struct group_row row = sums[i].row;

		if (!sums[i].extent.any)
			continue;
		row.name = group_label(label, of, i);
		row.span = sums[i].extent.last - sums[i].extent.first;
		groups_row(table, &row);
		told += i > 0;
	}
	table_heading(table, "%s: %u", groupings[of->by].plural, told);
	return table;
}

static struct table *tabulate_groups(const struct tabulation *of)
{
	uint32_t count = count_groups(of);
	struct group_sum *sums = need(calloc(count, sizeof(*sums)));

	sum_calls(of, sums);
	sum_commands(of, sums);
	struct table *table = tabulate_sums_of_groups(of, sums, count);

	free(sums);
	return table;
}

/* ---- all ---- */

static bool are_several(const struct history *history)
{
	size_t processes = 0;

	for (uint32_t i = 0; i < history->nprocesses; i++)
		processes += history->processes[i].events;
	return processes > 1;
}

void tabulate(struct table *tables[TABLES], struct history *history, enum grouping by, int files)
{
	struct tabulation of = {history, by, are_several(history)};
	struct waits waits;

	memset(tables, 0, TABLES * sizeof(*tables));
	if (history->ncommands) {
		waits_of(&waits, history, group_of_wait, &of);
		tables[TABLE_QUEUES] = tabulate_queues(&of, &waits);
		tables[TABLE_WAITS] = tabulate_waits(&of, &waits);
		queues_headings(tables[TABLE_QUEUES], tables[TABLE_WAITS], history->nqueues);
		waits_free(&waits);
		tabulate_commands(&tables[TABLE_KERNELS], &of);
		if (history->bytes)
			tables[TABLE_MEMORY] =
				memory_table((long long)history->bytes, time_of_commands(history));
	}
	tabulate_calls(tables, &of, files);
	if (*groupings[by].plural)
		tables[TABLE_GROUPS] = tabulate_groups(&of);
}

/* ---- from sums ---- */

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
	char label[LABEL];

	calls_row(table,
		  &(struct calls){.group = row_label(label, of, other_column(of), from->group),
				  .name = of->history->names.list[from->name],
				  .calls = times->count,
				  .failed = from->failed,
				  .total = times->sum,
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
			     .group = row_label(label, of, commands_column(of, which), from->group),
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
			     .needs = kernel_needs_of(of, which, from->name, &needs)},
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

	tables[TABLE_CALLS] = calls_table("host calls", "function", other_column(of));
	if (sums[TALLY_EVENTS].count)
		tables[TABLE_EVENTS] = calls_table("own events", "event", other_column(of));
	for (int i = 0; i < COMMANDS_TABLES; i++)
		if (sums[TALLY_KERNELS + i].count)
			tables[TABLE_KERNELS + i] = commands_table_new(of, (enum commands_table)i);
	for (uint32_t i = 0; i < tally->nrows; i++) {
		enum tally_kind kind = rows[i]->kind;
		struct table *table = tables[TABLE_CALLS + kind];

		if (kind < TALLY_KERNELS)
			add_row_of_calls(table, of, from, rows[i], sums[kind].time);
		else
			add_row_of_commands(table, (enum commands_table)(kind - TALLY_KERNELS), of,
					    from, rows[i], whole);
	}
	calls_heading(tables[TABLE_CALLS], of, sums[TALLY_CALLS].count, sums[TALLY_CALLS].names,
		      files);
	if (tables[TABLE_EVENTS])
		table_heading(tables[TABLE_EVENTS], "the program's own events: %zu",
			      sums[TALLY_EVENTS].count);
	for (int i = 0; i < COMMANDS_TABLES; i++)
		if (tables[TABLE_KERNELS + i])
			commands_heading(tables[TABLE_KERNELS + i], sums[TALLY_KERNELS + i].count);
	if (of->history->bytes &&
	    sums[TALLY_KERNELS].count + sums[TALLY_TRANSFERS].count + sums[TALLY_OTHERS].count)
		tables[TABLE_MEMORY] = memory_table((long long)of->history->bytes, whole);
	free(rows);
}

void tabulate_sums(struct table *tables[TABLES], struct flat_sums *sums, enum grouping by,
		   int files)
{
	struct tabulation of = {sums->history, by, are_several(sums->history)};

	memset(tables, 0, TABLES * sizeof(*tables));
	tabulate_rows(tables, &of, sums, files);
	if (sums->ncommands) {
		tables[TABLE_QUEUES] = tabulate_queues(&of, &sums->waits);
		tables[TABLE_WAITS] = tabulate_waits(&of, &sums->waits);
		queues_headings(tables[TABLE_QUEUES], tables[TABLE_WAITS], sums->history->nqueues);
	}
	if (*groupings[by].plural)
		tables[TABLE_GROUPS] = tabulate_sums_of_groups(&of, sums->groups, sums->ngroups);
}
