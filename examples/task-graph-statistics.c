/* SPDX-License-Identifier: MIT */
/*
 * task-graph-statistics.c: an XPTI subscriber that counts and times the tasks of each stream. At
 * the end of a stream it prints two tables on standard error: the tasks, longest first, and what
 * each thread did.
 *
 *	cc -shared -fPIC -o statistics.so task-graph-statistics.c
 *	XPTI_SUBSCRIBERS=./statistics.so ...
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tracelayer/xpti.h>

struct times {
	uint64_t count, total, min, max; /* in ns */
};

/*
 * Tasks are counted by name: an event's global_user_data would be nearer, but all subscribers share
 * that.
 */
struct row {
	struct row *next;
	char name[40];
	struct times times;
};

struct thread {
	struct thread *next;
	unsigned number;
	uint64_t task_begun, wait_begun; /* 0: not in one */
	struct times tasks, waits;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all this: */
static struct row *rows;
static struct thread *threads;
static uint64_t nodes, edges;
static uint64_t first, last; /* the first begin, the last end */

static _Thread_local struct thread *self;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void times_add(struct times *times, uint64_t time)
{
	if (!times->count || time < times->min)
		times->min = time;
	if (time > times->max)
		times->max = time;
	times->count++;
	times->total += time;
}

/* ---- under the lock; NULL: no memory ---- */

static struct row *row_of(const char *name)
{
	struct row *row = rows;

	while (row && strncmp(row->name, name, sizeof(row->name) - 1) != 0)
		row = row->next;
	if (!row && (row = calloc(1, sizeof(*row)))) {
		snprintf(row->name, sizeof(row->name), "%s", name);
		row->next = rows;
		rows = row;
	}
	return row;
}

static struct thread *this_thread(void)
{
	if (!self && (self = calloc(1, sizeof(*self)))) {
		struct thread **last_one = &threads;
		for (self->number = 1; *last_one; last_one = &(*last_one)->next)
			self->number++;
		*last_one = self;
	}
	return self;
}

/* ---- the callbacks ---- */

static void on_create(uint16_t type, xpti_event *parent, xpti_event *event, uint64_t instance,
		      const void *user_data)
{
	(void)parent, (void)event, (void)instance, (void)user_data;
	pthread_mutex_lock(&lock);
	if (type == xpti_trace_node_create)
		nodes++;
	else
		edges++;
	pthread_mutex_unlock(&lock);
}

static void on_begin(uint16_t type, xpti_event *parent, xpti_event *event, uint64_t instance,
		     const void *user_data)
{
	(void)parent, (void)event, (void)instance, (void)user_data;
	pthread_mutex_lock(&lock);
	struct thread *thread = this_thread();
	uint64_t time = now();
	if (!first)
		first = time;
	if (thread)
		*(type == xpti_trace_task_begin ? &thread->task_begun : &thread->wait_begun) = time;
	pthread_mutex_unlock(&lock);
}

static void on_end(uint16_t type, xpti_event *parent, xpti_event *event, uint64_t instance,
		   const void *user_data)
{
	uint64_t time = now(); /* before the lock, which may take a while */
	const xpti_payload *place = xptiQueryPayload(event);

	(void)parent, (void)instance, (void)user_data;
	pthread_mutex_lock(&lock);
	struct thread *thread = this_thread();
	bool is_task = type == xpti_trace_task_end;
	uint64_t begun = !thread ? 0 : is_task ? thread->task_begun : thread->wait_begun;
	struct row *row = is_task && place ? row_of(place->name) : NULL;
	if (begun)
		times_add(is_task ? &thread->tasks : &thread->waits, time - begun);
	if (begun && row)
		times_add(&row->times, time - begun);
	last = time;
	pthread_mutex_unlock(&lock);
}

/* ---- the tables ---- */

static int longest_first(const void *a, const void *b)
{
	uint64_t x = (*(struct row *const *)a)->times.total,
		 y = (*(struct row *const *)b)->times.total;

	return (x < y) - (x > y);
}

static void print_rows(void)
{
	size_t count = 0;

	for (struct row *row = rows; row; row = row->next)
		count++;
	struct row *sorted[count + 1];
	count = 0;
	for (struct row *row = rows; row; row = row->next)
		sorted[count++] = row;
	qsort(sorted, count, sizeof(sorted[0]), longest_first);
	fprintf(stderr, "\n%-16s %6s %10s %10s %10s %10s\n", "task", "count", "total us", "average",
		"min", "max");
	for (size_t i = 0; i < count; i++) {
		const struct times *times = &sorted[i]->times;
		fprintf(stderr, "%-16s %6" PRIu64 " %10.1f %10.1f %10.1f %10.1f\n", sorted[i]->name,
			times->count, times->total / 1e3, times->total / 1e3 / times->count,
			times->min / 1e3, times->max / 1e3);
	}
}

static void print_threads(void)
{
	fprintf(stderr, "\n%-16s %6s %10s %10s %10s %10s\n", "thread", "tasks", "busy us", "busy",
		"waits", "waited us");
	for (struct thread *thread = threads; thread; thread = thread->next)
		fprintf(stderr, "%-16u %6" PRIu64 " %10.1f %9.1f%% %10" PRIu64 " %10.1f\n",
			thread->number, thread->tasks.count, thread->tasks.total / 1e3,
			last > first ? 100. * thread->tasks.total / (last - first) : 0.,
			thread->waits.count, thread->waits.total / 1e3);
}

/* The framework's end unloads this library. */
static __attribute__((destructor)) void rows_forget(void)
{
	for (struct row *row = rows, *next; row; row = next) {
		next = row->next;
		free(row);
	}
	for (struct thread *thread = threads, *next; thread; thread = next) {
		next = thread->next;
		free(thread);
	}
}

/* ---- what a subscriber has to have ---- */

void xptiTraceInit(unsigned int major, unsigned int minor, const char *version, const char *stream)
{
	xpti_stream_id number = xptiRegisterStream(stream);

	(void)major, (void)minor, (void)version;
	xptiRegisterCallback(number, xpti_trace_node_create, on_create);
	xptiRegisterCallback(number, xpti_trace_edge_create, on_create);
	xptiRegisterCallback(number, xpti_trace_task_begin, on_begin);
	xptiRegisterCallback(number, xpti_trace_wait_begin, on_begin);
	xptiRegisterCallback(number, xpti_trace_task_end, on_end);
	xptiRegisterCallback(number, xpti_trace_wait_end, on_end);
}

void xptiTraceFinish(const char *stream)
{
	if (strcmp(stream, "xpti.framework") == 0)
		return;
	pthread_mutex_lock(&lock);
	fprintf(stderr,
		"%s: %" PRIu64 " nodes, %" PRIu64
		" edges, %.1f us from the first begin to the last end\n",
		stream, nodes, edges, (last - first) / 1e3);
	print_rows();
	print_threads();
	pthread_mutex_unlock(&lock);
}
