/* SPDX-License-Identifier: MIT */
/*
 * cuda_engine.h: what cuda_driver.c does the work with: contexts, streams with a thread each, events
 * with a clock of the device's, graphs.
 *
 * The default stream of a context and its blocking streams wait for each other, as CUDA says. While
 * a stream captures, what is put on it becomes a part of a graph. A query of an event in CUDA's
 * strictest capture mode spoils all captures, and so does the default stream's use.
 *
 * CUDA_DRIVER_WORK names a file that gets a line for each command that was executed: its stream,
 * name, bytes, and its begin and end in nanoseconds of CLOCK_MONOTONIC.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_listener.h"

enum {
	SUCCESS = 0,
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	INVALID_CONTEXT = 201,
	INVALID_HANDLE = 400,
	NOT_FOUND = 500,
	NOT_READY = 600,
	NOT_SUPPORTED = 801,
	CAPTURE_UNSUPPORTED = 900,
	CAPTURE_INVALIDATED = 901,
	CAPTURE_IMPLICIT = 906,
};
typedef int result;
typedef uint64_t pointer;

/* One lock for all, and one condition for every change. */
static pthread_mutex_t engine = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t engine_changed = PTHREAD_COND_INITIALIZER;

static uint64_t host_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The device's clock: it has an epoch of its own, and is 50 ppm fast. */
static uint64_t device_time(uint64_t host)
{
	return host + host / 20000 + 123456789000;
}

struct context {
	struct stream *streams; /* linked by .next; the first one is the default stream */
	bool gone;
};

struct stream {
	struct stream *next;
	struct context *context;
	unsigned number;
	bool blocking, started, gone;
	struct task *first, **last;
	struct graph *capture;
	bool spoilt;
	int mode; /* of the capture */
};

struct event {
	struct context *context;
	unsigned pending, recorded; /* so many records are under way; so many there were */
	uint64_t host;
	bool gone;
};

struct task {
	struct task *next;
	uint64_t sequence;
	enum what what;
	char name[64];
	void *to;
	const void *from;
	size_t bytes, rows, to_pitch, from_pitch;
	unsigned value, unit, wanted;
	struct event *event;
	struct graph *graph;
	void (*function)(void *);
	void *record; /* the listener's */
};

__attribute__((visibility("default"))) const struct cuda_listener *cuda_driver_listener;

struct graph {
	struct task *nodes;
	struct task **last;
};

static uint64_t sequences;
static unsigned stream_count;
static int captures; /* streams that capture in the strictest mode */
static __thread int thread_mode;
/* The call is of a function in its form for a default stream per thread. */
static __thread bool engine_thread_form;
static __thread struct context *current[16];
static __thread unsigned depth;

static struct context *context_now(void)
{
	return depth ? current[depth - 1] : NULL;
}

static void engine_lock(void)
{
	pthread_mutex_lock(&engine);
}

static void engine_unlock(void)
{
	pthread_mutex_unlock(&engine);
}

/* --- executing */

static void work_log(const struct stream *stream, const struct task *task, uint64_t start,
		     uint64_t end)
{
	const char *path = getenv("CUDA_DRIVER_WORK");
	FILE *to = path && task->what != EVENT && task->what != WAIT ? fopen(path, "a") : NULL;

	if (!to)
		return;
	fprintf(to, "%u\t%s\t%zu\t%llu\t%llu\n", stream->number, task->name,
		task->bytes * task->rows, (unsigned long long)start, (unsigned long long)end);
	fclose(to);
}

static void pause_for(unsigned microseconds)
{
	const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};

	nanosleep(&time, NULL);
}

static void task_run(const struct task *task);

static void graph_run(const struct graph *graph)
{
	for (const struct task *node = graph->nodes; node; node = node->next)
		task_run(node);
}

/* Without the lock. */
static void task_run(const struct task *task)
{
	switch (task->what) {
	case KERNEL:
		for (size_t i = 0; task->to && i < task->bytes; i++)
			((unsigned *)task->to)[i] += task->value;
		pause_for(task->wanted);
		break;
	case COPY:
		for (size_t i = 0; i < task->rows; i++)
			memcpy((char *)task->to + i * task->to_pitch,
			       (const char *)task->from + i * task->from_pitch, task->bytes);
		break;
	case FILL:
		for (size_t i = 0; i < task->bytes / task->unit; i++)
			memcpy((char *)task->to + i * task->unit, &task->value, task->unit);
		break;
	case HOST:
		task->function(task->to);
		break;
	case GRAPH:
		graph_run(task->graph);
		break;
	default:
		break;
	}
}

/* Whether a task of the stream came before and has not ended. */
static bool stream_is_behind(const struct stream *stream, uint64_t sequence)
{
	return stream->first && stream->first->sequence < sequence;
}

/* With the lock. */
static bool task_is_ready(const struct stream *stream, const struct task *task)
{
	const struct stream *legacy = stream->context->streams;

	if (task->what == WAIT && task->event->recorded < task->wanted)
		return false;
	if (task->what == WAIT && task->event->pending > task->event->recorded - task->wanted)
		return false;
	if (stream != legacy)
		return !stream->blocking || !stream_is_behind(legacy, task->sequence);
	for (const struct stream *other = legacy->next; other; other = other->next)
		if (other->blocking && stream_is_behind(other, task->sequence))
			return false;
	return true;
}

static void *stream_run(void *argument)
{
	struct stream *stream = argument;

	engine_lock();
	for (;;) {
		struct task *task = stream->first;
		if (!task && stream->gone)
			break;
		if (!task || !task_is_ready(stream, task)) {
			pthread_cond_wait(&engine_changed, &engine);
			continue;
		}
		engine_unlock();
		uint64_t start = host_now();
		task_run(task);
		uint64_t end = host_now();
		if (task->record)
			cuda_driver_listener->ended(task->record, start, end);
		work_log(stream, task, start, end);
		engine_lock();
		if (task->what == EVENT) {
			task->event->host = host_now();
			task->event->pending--;
		}
		if (!(stream->first = task->next))
			stream->last = &stream->first;
		free(task);
		pthread_cond_broadcast(&engine_changed);
	}
	engine_unlock();
	return NULL;
}

/* --- contexts and streams */

static struct stream *stream_new(struct context *context, bool blocking)
{
	struct stream *stream = calloc(1, sizeof(*stream)), **at;

	engine_lock();
	stream->context = context;
	stream->number = stream_count++;
	stream->blocking = blocking;
	stream->last = &stream->first;
	for (at = &context->streams; *at; at = &(*at)->next)
		;
	*at = stream;
	engine_unlock();
	return stream;
}

static struct context *context_new(void)
{
	struct context *context = calloc(1, sizeof(*context));

	stream_new(context, true);
	return context;
}

/* Of a handle; 0, 1 and 2 are default streams. A thread's own one is the same for all threads here. */
static struct stream *stream_of(void *handle, bool per_thread)
{
	struct context *context = context_now();
	static struct stream *own;

	if ((uintptr_t)handle > 2)
		return handle;
	if (!context)
		return NULL;
	if (handle == (void *)1 || (!handle && !per_thread && !engine_thread_form))
		return context->streams;
	if (!own || own->context != context)
		own = stream_new(context, true);
	return own;
}

static void *task_report(const struct stream *stream, const struct task *task)
{
	if (!cuda_driver_listener || task->what == EVENT || task->what == WAIT ||
	    task->what == HOST)
		return NULL;
	return cuda_driver_listener->put(task->what, task->name, task->bytes * task->rows,
					 stream->number);
}

static bool is_spoiled_by_query(void)
{
	return captures && thread_mode == 0;
}

/* With the lock: every capture is invalid from now on. */
static result captures_spoil(struct context *context)
{
	for (struct stream *stream = context ? context->streams : NULL; stream;
	     stream = stream->next)
		stream->spoilt |= stream->capture != NULL;
	return CAPTURE_UNSUPPORTED;
}

/* The default stream can't be used while a blocking stream captures. */
static bool is_implicit(const struct stream *stream)
{
	if (stream != stream->context->streams)
		return false;
	for (const struct stream *other = stream->next; other; other = other->next)
		if (other->blocking && other->capture)
			return true;
	return false;
}

/* Put a task on the stream, or into the graph that it captures. */
static result task_put(struct stream *stream, const struct task *like)
{
	struct task *task = malloc(sizeof(*task));
	pthread_t thread;

	if (!stream || stream->gone || stream->context->gone || !task) {
		free(task);
		return stream ? INVALID_HANDLE : INVALID_CONTEXT;
	}
	*task = *like;
	task->next = NULL;
	engine_lock();
	if (is_implicit(stream)) {
		captures_spoil(stream->context);
		engine_unlock();
		free(task);
		return CAPTURE_IMPLICIT;
	}
	if (stream->capture) {
		*stream->capture->last = task;
		stream->capture->last = &task->next;
		engine_unlock();
		return SUCCESS;
	}
	task->sequence = ++sequences;
	task->record = task_report(stream, task);
	if (task->what == EVENT) {
		task->event->pending++;
		task->event->recorded++;
	}
	*stream->last = task;
	stream->last = &task->next;
	if (!stream->started && !pthread_create(&thread, NULL, stream_run, stream)) {
		pthread_detach(thread);
		stream->started = true;
	}
	pthread_cond_broadcast(&engine_changed);
	engine_unlock();
	return SUCCESS;
}

static void stream_wait(struct stream *stream)
{
	engine_lock();
	while (stream->first)
		pthread_cond_wait(&engine_changed, &engine);
	engine_unlock();
}

static result put_and_wait(struct stream *stream, const struct task *task)
{
	result error = task_put(stream, task);

	if (!error)
		stream_wait(stream);
	return error;
}

static result context_wait(struct context *context)
{
	if (!context)
		return INVALID_CONTEXT;
	for (struct stream *stream = context->streams; stream; stream = stream->next)
		stream_wait(stream);
	return SUCCESS;
}

static struct task copy_task(const char *name, void *to, const void *from, size_t bytes)
{
	struct task task = {.what = COPY, .to = to, .from = from, .bytes = bytes, .rows = 1};

	snprintf(task.name, sizeof(task.name), "%s", name);
	return task;
}

static struct task fill_task(pointer to, unsigned value, size_t count, unsigned unit)
{
	return (struct task){.what = FILL,
			     .name = "memset",
			     .to = (void *)(uintptr_t)to,
			     .bytes = count * unit,
			     .rows = 1,
			     .value = value,
			     .unit = unit};
}
