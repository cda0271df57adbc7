/* SPDX-License-Identifier: MIT */
/*
 * task-graph.c: the library of task-graph.h, instrumented with XPTI. It notifies on its stream
 * "task_graph":
 *
 *	graph_create	a graph is made
 *	node_create	a task is added; its place in the code is where it was added; its metadata
 *			is the name of the graph and the number of the task there
 *	edge_create	a dependency is added; source_id and target_id are the unique ids of two
 *			nodes
 *	region		a run of a graph; the instance is the number of the run, here and below
 *	task		a task runs, in the thread that runs it
 *	wait		a thread waits until another thread has finished a task
 *
 * The program links the static proxy, libtracelayer-xptiproxy.a. Where XPTI_FRAMEWORK_DISPATCHER
 * names no dispatcher, xptiTraceEnabled() is false, and the instrumentation does nothing but ask
 * that.
 */
#include "task-graph.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelayer/xpti.h>

struct edge {
	struct edge *next;
	struct task *after;
	xpti_event *event;
};

struct task {
	struct task *next; /* of its graph */
	struct task *next_ready;
	void (*work)(void *argument);
	void *argument;
	struct edge *edges; /* to those that wait for it */
	/* on how many it depends; how many of these are not done in this run */
	unsigned depends, missing;
	xpti_event *event;
};

struct graph {
	const char *name;
	struct task *tasks;
	unsigned count, runs;
	xpti_event *event, *run_event, *wait_event;

	pthread_mutex_t lock; /* of the run's state, which is: */
	struct task *ready;
	unsigned left, threads;
	sem_t available; /* ready tasks; at the end, one more for each thread */
};

/* ---- telling ---- */

static const char stream_name[] = "task_graph";
static xpti_stream_id stream;

/* The subscribers print their reports when they are told of the end. */
static void end_stream(void)
{
	xptiFinalize(stream_name);
	xptiFrameworkFinalize();
}

static void begin_stream(void)
{
	xptiFrameworkInitialize();
	stream = xptiRegisterStream(stream_name);
	xptiInitialize(stream_name, 1, 0, "1.0");
	atexit(end_stream);
}

/*
 * An event for a place in the code. NULL: nobody listens; notifying of NULL does nothing. Make an
 * event once, where its task or graph is made, not where that runs: notifying is fast, making
 * events is not.
 */
static xpti_event *event_of(const char *name, const char *file, int line, uint16_t type)
{
	xpti_payload place = XPTI_PAYLOAD(name, file, line, 0);
	uint64_t instance;

	return xptiTraceEnabled()
		       ? xptiMakeEvent(name, &place, type, xpti_activity_active, &instance)
		       : NULL;
}

static void event_describe(xpti_event *event, const char *key, const void *value, size_t size,
			   enum xpti_metadata_type type)
{
	if (event)
		xptiAddMetadata(event, key, xptiRegisterObject(value, size, (uint8_t)type));
}

/* ---- graphs ---- */

struct graph *graph_create(const char *name)
{
	static pthread_once_t begun = PTHREAD_ONCE_INIT;
	struct graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	pthread_once(&begun, begin_stream);
	graph->name = name;
	pthread_mutex_init(&graph->lock, NULL);
	sem_init(&graph->available, 0, 0);
	graph->event = event_of(name, __FILE__, __LINE__, xpti_event_graph);
	graph->run_event = event_of("graph_run", __FILE__, __LINE__, xpti_event_algorithm);
	graph->wait_event = event_of("wait for a task", __FILE__, __LINE__, xpti_event_scheduler);
	xptiNotifySubscribers(stream, xpti_trace_graph_create, NULL, graph->event, 0, NULL);
	return graph;
}

struct task *graph_add_at(struct graph *graph, const char *name, void (*work)(void *),
			  void *argument, const char *file, int line)
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->work = work;
	task->argument = argument;
	task->next = graph->tasks;
	graph->tasks = task;
	graph->count++;
	task->event = event_of(name, file, line, xpti_event_graph);
	event_describe(task->event, "graph", graph->name, strlen(graph->name),
		       xpti_metadata_string);
	event_describe(task->event, "number", &graph->count, sizeof(graph->count),
		       xpti_metadata_unsigned);
	xptiNotifySubscribers(stream, xpti_trace_node_create, graph->event, task->event, 0, NULL);
	return task;
}

int graph_edge(struct graph *graph, struct task *before, struct task *after)
{
	struct edge *edge = calloc(1, sizeof(*edge));

	if (!edge)
		return -1;
	edge->after = after;
	edge->next = before->edges;
	before->edges = edge;
	after->depends++;
	edge->event = event_of("depends", __FILE__, __LINE__, xpti_event_graph);
	if (edge->event && before->event && after->event) {
		edge->event->source_id = before->event->unique_id;
		edge->event->target_id = after->event->unique_id;
		edge->event->flags |= xpti_event_has_source_uid | xpti_event_has_target_uid;
		xptiNotifySubscribers(stream, xpti_trace_edge_create, graph->event, edge->event, 0,
				      NULL);
	}
	return 0;
}

static void destroy_edges(struct task *task)
{
	for (struct edge *edge = task->edges, *next; edge; edge = next) {
		next = edge->next;
		xptiReleaseEvent(edge->event);
		free(edge);
	}
}

void graph_destroy(struct graph *graph)
{
	for (struct task *task = graph->tasks, *next; task; task = next) {
		next = task->next;
		destroy_edges(task);
		xptiReleaseEvent(task->event);
		free(task);
	}
	xptiReleaseEvent(graph->wait_event);
	xptiReleaseEvent(graph->run_event);
	xptiReleaseEvent(graph->event);
	sem_destroy(&graph->available);
	pthread_mutex_destroy(&graph->lock);
	free(graph);
}

/* ---- running ---- */

/* The caller holds the lock, or there are no threads yet. */
static void make_ready(struct graph *graph, struct task *task)
{
	task->next_ready = graph->ready;
	graph->ready = task;
	sem_post(&graph->available);
}

static void task_finished(struct graph *graph, struct task *task)
{
	pthread_mutex_lock(&graph->lock);
	for (struct edge *edge = task->edges; edge; edge = edge->next)
		if (--edge->after->missing == 0)
			make_ready(graph, edge->after);
	if (--graph->left == 0)
		for (unsigned i = 0; i < graph->threads; i++)
			sem_post(&graph->available);
	pthread_mutex_unlock(&graph->lock);
}

/* NULL: all are done. */
static struct task *task_take(struct graph *graph)
{
	if (sem_trywait(&graph->available) != 0) {
		XPTI_SCOPED_NOTIFY(stream, xpti_trace_wait_begin, graph->event, graph->wait_event,
				   graph->runs, NULL);
		while (sem_wait(&graph->available) != 0)
			; /* a signal came */
	}
	pthread_mutex_lock(&graph->lock);
	struct task *task = graph->ready;
	if (task)
		graph->ready = task->next_ready;
	pthread_mutex_unlock(&graph->lock);
	return task;
}

static void execute(struct graph *graph, struct task *task)
{
	XPTI_SCOPED_NOTIFY(stream, xpti_trace_task_begin, graph->event, task->event, graph->runs,
			   NULL);
	task->work(task->argument);
}

static void *tasks_run(void *graph_)
{
	struct graph *graph = graph_;

	for (struct task *task; (task = task_take(graph));) {
		execute(graph, task);
		task_finished(graph, task);
	}
	return NULL;
}

/* The calling thread is one of them. */
static void run_on(struct graph *graph, unsigned threads)
{
	pthread_t others[threads];
	bool made[threads];

	for (unsigned i = 1; i < threads; i++)
		made[i] = pthread_create(&others[i], NULL, tasks_run, graph) == 0;
	tasks_run(graph);
	for (unsigned i = 1; i < threads; i++)
		if (made[i])
			pthread_join(others[i], NULL);
}

int graph_run(struct graph *graph, unsigned threads)
{
	if (!threads)
		return -1;
	graph->runs++;
	graph->threads = threads;
	XPTI_SCOPED_NOTIFY(stream, xpti_trace_region_begin, graph->event, graph->run_event,
			   graph->runs, NULL);
	graph->left = graph->count;
	for (struct task *task = graph->tasks; task; task = task->next)
		task->missing = task->depends;
	for (struct task *task = graph->tasks; task; task = task->next)
		if (!task->depends)
			make_ready(graph, task);
	if (graph->count)
		run_on(graph, threads);
	while (sem_trywait(&graph->available) == 0)
		; /* the parts of threads that could not be made */
	return 0;
}
