/* SPDX-License-Identifier: MIT */
/*
 * tabulate_queues.c: the tables of queues, and of what they waited for. See tabulate_work.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/basics/basics.h"
#include "cli/summary/tabulate_work.h"

/* A queue is of one process; its waiting may be for several threads or requests. */
static const struct table_column *queue_group_column(const struct tabulation *of)
{
	return of->by == BY_PROCESS ? tabulated_group_column(of) : NULL;
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

/* Returns how many queues have commands that are selected. */
static size_t add_queues(struct table *table, const struct tabulation *of,
			 const struct waits *waits)
{
	uint32_t count = of->history->nqueues;
	struct queue_row *rows = need(calloc(count + 1, sizeof(*rows)));
	char name[LABEL], process[LABEL];
	size_t added = 0;

	find_causes(rows, of, waits);
	for (uint32_t i = 0; i < count; i++) {
		if (!waits->queues[i].commands)
			continue;
		rows[i].time = waits->queues[i];
		tabulated_queue_label(name, sizeof(name), of, i);
		rows[i].name = name;
		rows[i].group = queue_group_column(of)
					? tabulated_group_label(process, of,
								of->history->queues[i].process + 1)
					: NULL;
		queues_row(table, &rows[i]);
		added++;
	}
	free(rows);
	return added;
}

static const struct table_column *waits_column(const struct tabulation *of)
{
	return of->by == BY_QUEUE ? NULL : tabulated_other_column(of);
}

static void add_waits(struct table *table, const struct tabulation *of, const struct waits *waits)
{
	const struct table_column *column = waits_column(of);
	char label[LABEL], queue[LABEL];

	for (uint32_t i = 0; i < waits->keys.count; i++) {
		const struct wait *wait = &waits->list[i];
		struct wait_row row = {
			.group = tabulated_row_label(label, of, column, wait->group),
			.queue = queue,
			.cause = of->history->names.list[wait->cause],
			.gaps = wait->gaps,
			.total = wait->total,
			.longest = wait->longest,
			.idle = waits->queues[wait->queue].idle,
		};

		tabulated_queue_label(queue, sizeof(queue), of, wait->queue);
		waits_row(table, &row);
	}
}

void tabulate_queues(struct table *tables[TABLES], const struct tabulation *of,
		     const struct waits *waits)
{
	struct table *queues = queues_table(queue_group_column(of)),
		     *causes = waits_table(waits_column(of));

	queues_headings(queues, causes, add_queues(queues, of, waits));
	add_waits(causes, of, waits);
	tables[TABLE_QUEUES] = queues;
	tables[TABLE_WAITS] = causes;
}
