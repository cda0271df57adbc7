/* SPDX-License-Identifier: MIT */
/*
 * call_tables.c: see call_tables.h. Each kind of table is a list of columns and the function that
 * fills a row.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables/call_tables.h"
#include "tables/needed_memory.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

static double share_of_total(long long part, long long whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static long long average_of_sum(long long total, long long count)
{
	return count ? (total + count / 2) / count : 0;
}

static void call_row(struct table *table, const char *group)
{
	table_row(table);
	if (group)
		table_group(table, group);
}

/* ---- host calls ---- */

enum call_column {
	CALL_NAME,
	CALLS,
	FAILED,
	CALL_TOTAL,
	CALL_SELF,
	CALL_SHARE,
	CALL_AVERAGE,
	CALL_MIN,
	CALL_MEDIAN,
	CALL_P99,
	CALL_MAX
};

#define SELF_COLUMN                                                                                \
	{                                                                                          \
		"self_ns", "self", TABLE_TIME, false                                               \
	}

const struct table_column self_column = SELF_COLUMN;

static const struct table_column call_columns[] = {
	[CALL_NAME] = {"function", "function", TABLE_NAME, false},
	[CALLS] = {"calls", "calls", TABLE_COUNT, false},
	[FAILED] = {"failed", "failed", TABLE_FAILURES, false},
	[CALL_TOTAL] = {"total_ns", "total", TABLE_TIME, true},
	[CALL_SELF] = SELF_COLUMN,
	[CALL_SHARE] = {"share", "share", TABLE_SHARE, false},
	[CALL_AVERAGE] = {"average_ns", "average", TABLE_TIME, false},
	[CALL_MIN] = {"min_ns", "min", TABLE_TIME, false},
	[CALL_MEDIAN] = {"median_ns", "median", TABLE_TIME, false},
	[CALL_P99] = {"p99_ns", "99 %", TABLE_TIME, false},
	[CALL_MAX] = {"max_ns", "max", TABLE_TIME, false},
};

struct table *calls_table(const char *name, const char *row, const struct table_column *group,
			  bool with_self)
{
	struct table_column columns[COUNT_OF(call_columns)];
	size_t count = COUNT_OF(columns);

	memcpy(columns, call_columns, sizeof(columns));
	columns[CALL_NAME].key = columns[CALL_NAME].title = row;
	if (!with_self)
		memmove(&columns[CALL_SELF], &columns[CALL_SELF + 1],
			(count-- - CALL_SELF - 1) * sizeof(*columns));
	return table_new_by(group, name, columns, count);
}

void calls_row(struct table *table, const struct calls *calls, long long whole)
{
	size_t missing = calls->self ? 0 : 1; /* of the columns behind the total */

	call_row(table, calls->group);
	table_text(table, CALL_NAME, calls->name);
	table_number(table, CALLS, calls->calls);
	table_number(table, FAILED, calls->failed);
	table_number(table, CALL_TOTAL, calls->total);
	if (calls->self)
		table_number(table, CALL_SELF, *calls->self);
	table_share(table, CALL_SHARE - missing, share_of_total(calls->total, whole));
	table_number(table, CALL_AVERAGE - missing, average_of_sum(calls->total, calls->calls));
	table_number(table, CALL_MIN - missing, calls->min);
	table_number(table, CALL_MEDIAN - missing, calls->median);
	table_number(table, CALL_P99 - missing, calls->p99);
	table_number(table, CALL_MAX - missing, calls->max);
}

/* ---- device commands ---- */

enum commands_table commands_table_of(enum tl_device_kind kind)
{
	switch (kind) {
	case TL_DEVICE_KERNEL:
		return COMMANDS_KERNELS;
	case TL_DEVICE_SYNC:
	case TL_DEVICE_OTHER:
		return COMMANDS_OTHERS;
	default:
		return kind < TL_DEVICE_KINDS ? COMMANDS_TRANSFERS : COMMANDS_OTHERS;
	}
}

void command_row_name(char *to, size_t room, enum tl_device_kind kind, const char *name,
		      const char *peer)
{
	const char *host = peer ? peer : "host";

	switch (kind) {
	case TL_DEVICE_READ:
		snprintf(to, room, "read device to %s", host);
		break;
	case TL_DEVICE_WRITE:
		snprintf(to, room, "write %s to device", host);
		break;
	case TL_DEVICE_COPY:
		snprintf(to, room, "copy device to %s", peer ? peer : "device");
		break;
	case TL_DEVICE_FILL:
		snprintf(to, room, "fill device");
		break;
	case TL_DEVICE_MAP:
		snprintf(to, room, "map device to %s", host);
		break;
	case TL_DEVICE_UNMAP:
		snprintf(to, room, "unmap %s to device", host);
		break;
	case TL_DEVICE_MIGRATE:
		snprintf(to, room, "migrate to %s", peer ? peer : "device");
		break;
	default:
		snprintf(to, room, "%s", name);
	}
}

enum kernel_column { KERNEL, COUNT, TOTAL, SHARE, AVERAGE, MIN, MEDIAN, P99, MAX };

static const struct table_column kernel_columns[] = {
	[KERNEL] = {"kernel", "kernel", TABLE_NAME, false},
	[COUNT] = {"count", "count", TABLE_COUNT, false},
	[TOTAL] = {"total_ns", "total", TABLE_TIME, true},
	[SHARE] = {"share", "share", TABLE_SHARE, false},
	[AVERAGE] = {"average_ns", "average", TABLE_TIME, false},
	[MIN] = {"min_ns", "min", TABLE_TIME, false},
	[MEDIAN] = {"median_ns", "median", TABLE_TIME, false},
	[P99] = {"p99_ns", "99 %", TABLE_TIME, false},
	[MAX] = {"max_ns", "max", TABLE_TIME, false},
};

/* The same, and what was moved. */
enum transfer_column { BYTES = MAX + 1, RATE, BEST };

static const struct table_column transfer_columns[] = {
	[BYTES - BYTES] = {"bytes", "bytes", TABLE_SIZE, false},
	[RATE - BYTES] = {"average_gb_per_s", "bandwidth", TABLE_RATE, false},
	[BEST - BYTES] = {"best_gb_per_s", "best", TABLE_RATE, false},
};

struct table *commands_table(enum commands_table which, const struct table_column *group)
{
	static const char *const names[] = {"kernels", "transfers", "other commands"};
	static const char *const rows[] = {"kernel", "transfer", "command"};
	/* How much was moved, and how fast, is what a table of transfers is for. */
	static const unsigned char spared[] = {MIN, P99, AVERAGE, BEST, MAX, MEDIAN, SHARE};
	struct table_column columns[COUNT_OF(kernel_columns) + COUNT_OF(transfer_columns)];

	memcpy(columns, kernel_columns, sizeof(kernel_columns));
	columns[KERNEL].key = columns[KERNEL].title = rows[which];
	memcpy(&columns[BYTES], transfer_columns, sizeof(transfer_columns));
	if (which != COMMANDS_TRANSFERS)
		return table_new_by(group, names[which], columns, COUNT_OF(kernel_columns));
	struct table *table = table_new_by(group, names[which], columns, COUNT_OF(columns));

	for (size_t i = 0; i < COUNT_OF(spared); i++)
		table_spare(table, spared[i], (unsigned char)(COUNT_OF(spared) - i));
	return table;
}

/* The same of kernels, and what they need. */
enum needs_column { PRIVATE = MAX + 1, LOCAL, SPILL, SIMD };

static const struct table_column needs_columns[] = {
	[PRIVATE - PRIVATE] = {"private_bytes", "private", TABLE_SIZE, false},
	[LOCAL - PRIVATE] = {"local_bytes", "local", TABLE_SIZE, false},
	[SPILL - PRIVATE] = {"spill_bytes", "spilled", TABLE_SIZE, false},
	[SIMD - PRIVATE] = {"simd_width", "SIMD", TABLE_COUNT, false},
};

struct table *kernels_table(const struct table_column *group)
{
	static const unsigned char spared[] = {SHARE, P99, MIN, AVERAGE, MAX};
	struct table_column columns[COUNT_OF(kernel_columns) + COUNT_OF(needs_columns)];

	memcpy(columns, kernel_columns, sizeof(kernel_columns));
	memcpy(&columns[PRIVATE], needs_columns, sizeof(needs_columns));
	struct table *table = table_new_by(group, "kernels", columns, COUNT_OF(columns));

	for (size_t i = 0; i < COUNT_OF(spared); i++)
		table_spare(table, spared[i], (unsigned char)(COUNT_OF(spared) - i));
	return table;
}

static void needs_row(struct table *table, const struct kernel_needs *needs)
{
	if (needs->private_bytes >= 0)
		table_number(table, PRIVATE, needs->private_bytes);
	if (needs->local_bytes >= 0)
		table_number(table, LOCAL, needs->local_bytes);
	if (needs->spill_bytes >= 0)
		table_number(table, SPILL, needs->spill_bytes);
	if (needs->simd_width >= 0)
		table_number(table, SIMD, needs->simd_width);
}

void commands_row(struct table *table, enum commands_table which, const struct commands *commands,
		  long long whole)
{
	call_row(table, commands->group);
	table_text(table, KERNEL, commands->name);
	table_number(table, COUNT, commands->count);
	table_number(table, TOTAL, commands->total);
	table_share(table, SHARE, share_of_total(commands->total, whole));
	table_number(table, AVERAGE, average_of_sum(commands->total, commands->count));
	table_number(table, MIN, commands->min);
	table_number(table, MEDIAN, commands->median);
	table_number(table, P99, commands->p99);
	table_number(table, MAX, commands->max);
	if (commands->needs)
		needs_row(table, commands->needs);
	if (which != COMMANDS_TRANSFERS)
		return;
	table_number(table, BYTES, commands->bytes);
	if (!commands->bytes_time)
		return;
	table_rate(table, RATE, (double)commands->bytes / (double)commands->bytes_time);
	table_rate(table, BEST, commands->best);
}

void commands_heading(struct table *table, size_t commands)
{
	table_heading(table, "%s: %zu", table_name(table), commands);
}

/* ---- queues ---- */

enum queue_column {
	QUEUE,
	COMMANDS,
	SPAN,
	BUSY,
	UTILISATION,
	IDLE,
	GAPS,
	LONGEST,
	CAUSE,
	CAUSE_SHARE
};

static const struct table_column queue_columns[] = {
	[QUEUE] = {"queue", "queue", TABLE_NAME, false},
	[COMMANDS] = {"commands", "commands", TABLE_COUNT, false},
	[SPAN] = {"span_ns", "span", TABLE_TIME, false},
	[BUSY] = {"busy_ns", "busy", TABLE_TIME, true},
	[UTILISATION] = {"utilisation", "busy", TABLE_SHARE, false},
	[IDLE] = {"idle_ns", "idle", TABLE_TIME, false},
	[GAPS] = {"gaps", "gaps", TABLE_COUNT, false},
	[LONGEST] = {"longest_gap_ns", "longest", TABLE_TIME, false},
	[CAUSE] = {"waited_for", "idle mostly for", TABLE_NAME, false},
	[CAUSE_SHARE] = {"waited_for_share", "of idle", TABLE_SHARE, false},
};

struct table *queues_table(const struct table_column *group)
{
	return table_new_by(group, "queues", queue_columns, COUNT_OF(queue_columns));
}

void queues_row(struct table *table, const struct queue_row *queue)
{
	const struct queue_time *time = &queue->time;
	int64_t span = time->end - time->first;

	call_row(table, queue->group);
	table_text(table, QUEUE, queue->name);
	table_number(table, COMMANDS, time->commands);
	table_number(table, SPAN, span);
	table_number(table, BUSY, time->busy);
	table_share(table, UTILISATION, share_of_total(time->busy, span));
	table_number(table, IDLE, time->idle);
	table_number(table, GAPS, time->gaps);
	table_number(table, LONGEST, time->longest);
	if (!queue->cause)
		return;
	table_text(table, CAUSE, queue->cause);
	table_share(table, CAUSE_SHARE, share_of_total(queue->cause_time, time->idle));
}

enum wait_column {
	WAIT_QUEUE,
	WAIT_CAUSE,
	WAIT_GAPS,
	WAIT_TOTAL,
	WAIT_SHARE,
	WAIT_AVERAGE,
	WAIT_LONGEST
};

static const struct table_column wait_columns[] = {
	[WAIT_QUEUE] = {"queue", "idle queue", TABLE_NAME, false},
	[WAIT_CAUSE] = {"waited_for", "waited for", TABLE_NAME, false},
	[WAIT_GAPS] = {"gaps", "gaps", TABLE_COUNT, false},
	[WAIT_TOTAL] = {"total_ns", "total", TABLE_TIME, true},
	[WAIT_SHARE] = {"share_of_idle", "of idle", TABLE_SHARE, false},
	[WAIT_AVERAGE] = {"average_ns", "average", TABLE_TIME, false},
	[WAIT_LONGEST] = {"longest_ns", "longest", TABLE_TIME, false},
};

struct table *waits_table(const struct table_column *group)
{
	return table_new_by(group, "idle time", wait_columns, COUNT_OF(wait_columns));
}

void waits_row(struct table *table, const struct wait_row *wait)
{
	call_row(table, wait->group);
	table_text(table, WAIT_QUEUE, wait->queue);
	table_text(table, WAIT_CAUSE, wait->cause);
	table_number(table, WAIT_GAPS, wait->gaps);
	table_number(table, WAIT_TOTAL, wait->total);
	table_share(table, WAIT_SHARE, share_of_total(wait->total, wait->idle));
	table_number(table, WAIT_AVERAGE, average_of_sum(wait->total, wait->gaps));
	table_number(table, WAIT_LONGEST, wait->longest);
}

void queues_headings(struct table *queues, struct table *waits, size_t count)
{
	table_heading(queues, "queues: %zu", count);
	table_heading(waits, "idle time, by what the queues waited for");
}

enum memory_column { MEMORY_BYTES, MEMORY_TIME, MEMORY_RATE };

static const struct table_column memory_columns[] = {
	[MEMORY_BYTES] = {"bytes", "events", TABLE_SIZE, true},
	[MEMORY_TIME] = {"device_ns", "on devices", TABLE_TIME, false},
	[MEMORY_RATE] = {"bytes_per_device_ms", "per millisecond", TABLE_SIZE, false},
};

struct table *memory_table(long long bytes, long long device_time)
{
	struct table *table = table_new("event memory", memory_columns, COUNT_OF(memory_columns));

	table_row(table);
	table_number(table, MEMORY_BYTES, bytes);
	table_number(table, MEMORY_TIME, device_time);
	if (device_time)
		table_number(table, MEMORY_RATE,
			     (long long)((double)bytes * 1e6 / (double)device_time + 0.5));
	table_heading(
		table,
		"event memory (1 to 2 KiB for a millisecond of work on devices is a good measure)");
	return table;
}

/* ---- what --by tells apart ---- */

enum group_column {
	GROUP_SPAN,
	GROUP_CALLS,
	GROUP_FAILED,
	GROUP_CALLS_TIME,
	GROUP_COMMANDS,
	GROUP_COMMANDS_TIME,
	GROUP_BYTES
};

static const struct table_column group_columns[] = {
	[GROUP_SPAN] = {"span_ns", "span", TABLE_TIME, true},
	[GROUP_CALLS] = {"calls", "calls", TABLE_COUNT, false},
	[GROUP_FAILED] = {"failed", "failed", TABLE_FAILURES, false},
	[GROUP_CALLS_TIME] = {"calls_ns", "in calls", TABLE_TIME, false},
	[GROUP_COMMANDS] = {"commands", "commands", TABLE_COUNT, false},
	[GROUP_COMMANDS_TIME] = {"device_ns", "on devices", TABLE_TIME, false},
	[GROUP_BYTES] = {"bytes", "moved", TABLE_SIZE, false},
};

struct table *groups_table(const char *name, const struct table_column *group)
{
	return table_new_by(group, name, group_columns, COUNT_OF(group_columns));
}

void groups_row(struct table *table, const struct group_row *group)
{
	call_row(table, group->name);
	table_number(table, GROUP_SPAN, group->span);
	table_number(table, GROUP_CALLS, group->calls);
	table_number(table, GROUP_FAILED, group->failed);
	table_number(table, GROUP_CALLS_TIME, group->calls_time);
	table_number(table, GROUP_COMMANDS, group->commands);
	table_number(table, GROUP_COMMANDS_TIME, group->commands_time);
	table_number(table, GROUP_BYTES, group->bytes);
}

/* ---- all ---- */

int calls_print(struct table **tables, size_t count, const struct table *always,
		enum table_format format, FILE *to)
{
	struct table **shown = need(calloc(count + 1, sizeof(*shown)));
	size_t nshown = 0;

	for (size_t i = 0; i < count; i++)
		if (tables[i] && (table_rows(tables[i]) || tables[i] == always)) {
			table_sort(tables[i]);
			shown[nshown++] = tables[i];
		}
	int failed = table_print(shown, nshown, format, to);

	free(shown);
	for (size_t i = 0; i < count; i++)
		if (tables[i])
			table_free(tables[i]);
	return failed;
}
