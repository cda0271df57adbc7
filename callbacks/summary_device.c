/* SPDX-License-Identifier: MIT */
/*
 * summary_device.c: see summary_device.h.
 *
 * Commands come when their end is noticed, in any order. So each queue keeps many back, sorted, and
 * counts the first half of them when there is no more room. When a command is counted, the
 * submitting thread's last calls say what the queue waited for. Everything is under one lock, which
 * is held for some hundred nanoseconds.
 */
#include "callbacks/summary_device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks/duration_bins.h"
#include "tables/needed_memory.h"
#include "tracelayer/device.h"

#define BACK 1024u /* commands that a queue keeps back, at most */
#define NAME 256u

/* All commands of a name. */
struct row {
	struct row *next;
	enum commands_table table;
	char name[NAME];
	uint64_t bytes, bytes_time;
	double best;
	struct spread spread;
};

/* Idle time of a queue with one cause. */
struct wait {
	struct wait *next;
	const char *cause; /* never freed */
	uint64_t gaps, total, longest;
	uint64_t gap, in_gap; /* that it was seen in last, and for how long */
};

struct kept {
	uint64_t start, end, call_start, call_end;
	int thread;
};

struct queue {
	struct queue *next;
	uint32_t number;
	char *name;
	struct queue_time time;
	struct wait *waits;	/* those seen lately first */
	struct kept back[BACK]; /* by their start */
	unsigned nback;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static struct row *rows;				 /* those seen lately first */
static struct queue *queues;
static uint64_t missing; /* commands for which there was no memory */
static device_recent recent_of;

/* ---- rows ---- */

static struct row *row_find(enum commands_table table, const char *name)
{
	for (struct row **at = &rows; *at; at = &(*at)->next) {
		struct row *row = *at;
		if (row->table != table || strcmp(row->name, name))
			continue;
		*at = row->next;
		row->next = rows;
		return rows = row;
	}
	struct row *row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->table = table;
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->spread.least = UINT64_MAX;
	row->next = rows;
	return rows = row;
}

static void row_add(struct row *row, const struct tl_device_view *command)
{
	uint64_t time = command->end - command->start;
	struct spread *spread = &row->spread;

	spread->count++;
	spread->total += time;
	spread->bins[bin_of(time)]++;
	spread->least = time < spread->least ? time : spread->least;
	spread->most = time > spread->most ? time : spread->most;
	if (!command->bytes)
		return;
	row->bytes += command->bytes;
	row->bytes_time += time;
	if (time && (double)command->bytes / (double)time > row->best)
		row->best = (double)command->bytes / (double)time;
}

/* ---- queues ---- */

static struct queue *queue_of_command(const struct tl_device_view *command)
{
	for (struct queue *queue = queues; queue; queue = queue->next)
		if (queue->number == command->queue_number)
			return queue;
	struct queue *queue = calloc(1, sizeof(*queue));
	if (!queue || !(queue->name = strdup(command->queue))) {
		free(queue);
		return NULL;
	}
	queue->number = command->queue_number;
	queue->next = queues;
	return queues = queue;
}

static struct wait *commands_wait(struct queue *queue, const char *cause)
{
	for (struct wait **at = &queue->waits; *at; at = &(*at)->next) {
		struct wait *wait = *at;
		if (strcmp(wait->cause, cause))
			continue;
		*at = wait->next;
		wait->next = queue->waits;
		return queue->waits = wait;
	}
	struct wait *wait = calloc(1, sizeof(*wait));
	if (!wait)
		return NULL;
	wait->cause = cause;
	wait->next = queue->waits;
	return queue->waits = wait;
}

/* Part of the queue's last gap. */
static void command_waited(void *context, const char *name, uint64_t time)
{
	struct queue *queue = context;
	struct wait *wait = time ? commands_wait(queue, name ? name : GAP_PROGRAM) : NULL;

	if (!wait)
		return;
	if (wait->gap != (uint64_t)queue->time.gaps) {
		wait->gap = (uint64_t)queue->time.gaps;
		wait->in_gap = 0;
		wait->gaps++;
	}
	wait->in_gap += time;
	wait->total += time;
	wait->longest = wait->in_gap > wait->longest ? wait->in_gap : wait->longest;
}

static void commands_count_kept(struct queue *queue, const struct kept *kept)
{
	int64_t idle = queue_time_add(&queue->time, (int64_t)kept->start, (int64_t)kept->end);
	const struct gap gap = {(int64_t)kept->start - idle, (int64_t)kept->start,
				(int64_t)kept->call_start, (int64_t)kept->call_end};

	if (!idle)
		return;
	const struct recent *recent = kept->call_start ? recent_of(kept->thread) : NULL;
	if (!recent) {
		command_waited(queue, GAP_UNKNOWN, (uint64_t)idle);
		return;
	}
	struct gap_parts parts = gap_parts(&gap);
	/* The call that submitted is one of the thread's, too. */
	uint64_t host = (uint64_t)(parts.call - gap.from);
	uint64_t told = host ? recent_tell(recent, kept->thread, (uint64_t)gap.from,
					   (uint64_t)parts.call, command_waited, queue)
			     : 0;
	command_waited(queue, GAP_UNKNOWN, host - told);
	command_waited(queue, GAP_DEVICE, (uint64_t)(gap.to - parts.call));
}

static void command_keep_back(struct queue *queue, const struct kept *kept)
{
	unsigned at;

	if (queue->nback == BACK) {
		for (unsigned i = 0; i < BACK / 2; i++)
			commands_count_kept(queue, &queue->back[i]);
		memmove(&queue->back[0], &queue->back[BACK / 2], BACK / 2 * sizeof(queue->back[0]));
		queue->nback = BACK / 2;
	}
	for (at = queue->nback++; at && queue->back[at - 1].start > kept->start; at--)
		queue->back[at] = queue->back[at - 1];
	queue->back[at] = *kept;
}

/* ---- commands ---- */

static void command_done(const struct tl_device_view *command, void *user_data)
{
	char name[NAME];

	(void)user_data;
	command_row_name(name, sizeof(name), command->kind, command->name ? command->name : "other",
			 command->peer);
	pthread_mutex_lock(&lock);
	struct row *row = row_find(commands_table_of(command->kind), name);
	struct queue *queue = queue_of_command(command);
	if (row && queue) {
		row_add(row, command);
		command_keep_back(queue,
				  &(struct kept){command->start, command->end, command->call_start,
						 command->call_end, command->thread});
	} else {
		missing++;
	}
	pthread_mutex_unlock(&lock);
}

bool device_start(device_recent recent)
{
	recent_of = recent;
	return tl_device_watch(command_done, NULL) == 0;
}

static void commands_forget(void)
{
	while (rows) {
		struct row *row = rows;
		rows = row->next;
		free(row);
	}
	while (queues) {
		struct queue *queue = queues;
		queues = queue->next;
		while (queue->waits) {
			struct wait *wait = queue->waits;
			queue->waits = wait->next;
			free(wait);
		}
		free(queue->name);
		free(queue);
	}
}

void device_after_fork(void)
{
	/*
	 * Another thread of the parent may have held the lock; then the contents can't be trusted,
	 * and are left alone.
	 */
	bool sound = !pthread_mutex_trylock(&lock);

	pthread_mutex_init(&lock, NULL);
	if (sound)
		commands_forget();
	rows = NULL;
	queues = NULL;
	missing = 0;
}

/* ---- the tables ---- */

static void tabulate_rows(struct table *tables[COMMANDS_TABLES], const struct row *first)
{
	uint64_t whole = 0, sums[COMMANDS_TABLES] = {0};

	for (const struct row *row = first; row; row = row->next)
		whole += row->spread.total;
	for (const struct row *row = first; row; row = row->next) {
		const struct spread *spread = &row->spread;
		struct commands commands = {
			.name = row->name,
			.count = (long long)spread->count,
			.total = (long long)spread->total,
			.min = (long long)spread->least,
			.median = (long long)spread_percentile(spread, 50),
			.p99 = (long long)spread_percentile(spread, 99),
			.max = (long long)spread->most,
			.bytes = (long long)row->bytes,
			.bytes_time = (long long)row->bytes_time,
			.best = row->best,
		};
		if (!tables[row->table])
			tables[row->table] = commands_table(row->table, NULL);
		commands_row(tables[row->table], row->table, &commands, (long long)whole);
		sums[row->table] += spread->count;
	}
	for (int i = 0; i < COMMANDS_TABLES; i++)
		if (tables[i])
			commands_heading(tables[i], (size_t)sums[i]);
}

static void tabulate_queue(struct table *tables[2], const struct queue *queue)
{
	struct queue_row row = {.name = queue->name, .time = queue->time};

	for (struct wait *wait = queue->waits; wait; wait = wait->next) {
		const struct wait_row waiting = {
			.queue = queue->name,
			.cause = wait->cause,
			.gaps = (long long)wait->gaps,
			.total = (long long)wait->total,
			.longest = (long long)wait->longest,
			.idle = queue->time.idle,
		};
		waits_row(tables[1], &waiting);
		if (waiting.total > row.cause_time) {
			row.cause_time = waiting.total;
			row.cause = wait->cause;
		}
	}
	queues_row(tables[0], &row);
}

uint64_t device_tables(struct table *tables[DEVICE_TABLES])
{
	struct table **of_queues = &tables[COMMANDS_TABLES];
	size_t count = 0;

	/* need() may not return, so the lists are first taken out of the lock's reach. */
	pthread_mutex_lock(&lock);
	const struct row *all_rows = rows;
	struct queue *all_queues = queues;
	rows = NULL;
	queues = NULL;
	pthread_mutex_unlock(&lock);
	memset(tables, 0, DEVICE_TABLES * sizeof(*tables));
	tabulate_rows(tables, all_rows);
	if (!all_queues)
		return missing;
	of_queues[0] = queues_table(NULL);
	of_queues[1] = waits_table(NULL);
	for (struct queue *queue = all_queues; queue; queue = queue->next, count++) {
		for (unsigned i = 0; i < queue->nback; i++)
			commands_count_kept(queue, &queue->back[i]);
		tabulate_queue(of_queues, queue);
	}
	queues_headings(of_queues[0], of_queues[1], count);
	return missing;
}
