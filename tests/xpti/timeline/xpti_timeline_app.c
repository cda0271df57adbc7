/* SPDX-License-Identifier: MIT */
/*
 * xpti_timeline_app.c: programs that notify on XPTI streams, for tests of the subscriber that shows
 * streams in the trace.
 *
 *	xpti_timeline_app WHAT [NUMBER]
 *
 * WHAT is one of the functions' names below. What is to be compared with the trace goes to stdout.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_OPENCL
#include <CL/cl.h>
#endif

#include "tracelayer/xpti.h"

static uint8_t app; /* the stream "app" */

static xpti_event *event_of(const char *name, const char *file, int line)
{
	uint64_t instance;
	xpti_payload payload = XPTI_PAYLOAD(name, file, line, 0);

	return xptiMakeEvent(name, &payload, xpti_event_algorithm, xpti_activity_active, &instance);
}

static void tell(uint16_t type, xpti_event *event, uint64_t instance)
{
	xptiNotifySubscribers(app, type, NULL, event, instance, NULL);
}

static void tell_data(uint16_t type, xpti_event *event, uint64_t instance, const void *data)
{
	xptiNotifySubscribers(app, type, NULL, event, instance, data);
}

static void add(xpti_event *event, const char *key, const void *value, size_t size, uint8_t type)
{
	xptiAddMetadata(event, key, xptiRegisterObject(value, size, type));
}

static void begin_stream(void)
{
	xptiInitialize("app", 1, 0, "1.0");
	app = xptiRegisterStream("app");
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void run(xpti_event *event, uint64_t instance)
{
	tell(xpti_trace_task_begin, event, instance);
	tell(xpti_trace_task_end, event, instance);
}

/* ---- one of each */

static void graph(void)
{
	xpti_event *nodes[3] = {event_of("load", "graph.c", 10), event_of("add", "graph.c", 11),
				event_of("store", "graph.c", 12)};
	xpti_event *whole = event_of("the graph", "graph.c", 1);
	int32_t below = -7;
	uint64_t large = 1ull << 40;
	double half = 0.5;
	bool yes = true;

	tell(xpti_trace_graph_create, whole, 1);
	add(nodes[0], "kernel", "vector \"add\"", 12, xpti_metadata_string);
	add(nodes[0], "below", &below, sizeof(below), xpti_metadata_signed);
	add(nodes[0], "large", &large, sizeof(large), xpti_metadata_unsigned);
	add(nodes[0], "half", &half, sizeof(half), xpti_metadata_floating);
	add(nodes[0], "yes", &yes, sizeof(yes), xpti_metadata_boolean);
	add(nodes[0], "raw", "\001\377", 2, xpti_metadata_binary);
	add(nodes[0], "source", "mine", 4, xpti_metadata_string);
	for (int i = 0; i < 3; i++)
		tell(xpti_trace_node_create, nodes[i], 1);
	for (int i = 0; i < 2; i++) {
		xpti_event *edge = event_of(i ? "sum" : "input", "graph.c", 20 + i);
		edge->source_id = nodes[i]->unique_id;
		edge->target_id = nodes[i + 1]->unique_id;
		/* Twice is once. */
		tell(xpti_trace_edge_create, edge, 1);
		tell(xpti_trace_edge_create, edge, 1);
	}
	for (uint64_t round = 1; round <= 2; round++)
		for (int i = 0; i < 3; i++) {
			xptiNotifySubscribers(app, xpti_trace_task_begin, whole, nodes[i], round,
					      NULL);
			xptiNotifySubscribers(app, xpti_trace_task_end, whole, nodes[i], round,
					      NULL);
		}
}

/* A task that runs others while it runs itself. */
static void spawn(void)
{
	xpti_event *parent = event_of("parent", "spawn.c", 1),
		   *child = event_of("child", "spawn.c", 2),
		   *edge = event_of("spawns", "spawn.c", 3);

	edge->source_id = parent->unique_id;
	edge->target_id = child->unique_id;
	tell(xpti_trace_edge_create, edge, 1);
	tell(xpti_trace_task_begin, parent, 1);
	run(child, 1);
	run(child, 2);
	tell(xpti_trace_task_end, parent, 1);
}

static void kinds(void)
{
	static const uint16_t pairs[] = {xpti_trace_region_begin,   xpti_trace_task_begin,
					 xpti_trace_barrier_begin,  xpti_trace_lock_begin,
					 xpti_trace_transfer_begin, xpti_trace_thread_begin,
					 xpti_trace_wait_begin,	    xpti_trace_function_begin};
	xpti_event *event = event_of("something", "command_kinds.c", 5);
	xpti_function_with_args function = {3, "called with arguments", NULL, NULL, NULL};
	xpti_mem_alloc_data memory = {.alloc_size = 4096};
	char name[32] = "on the stack";

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		tell(pairs[i], event, i + 1);
		tell(pairs[i] + 1, event, i + 1);
	}
	tell_data(xpti_trace_function_begin, NULL, 20, "by name alone");
	tell_data(xpti_trace_function_end, NULL, 20, "by name alone");
	/* The same address has another text, as long. */
	tell_data(xpti_trace_function_begin, NULL, 21, name);
	tell_data(xpti_trace_function_end, NULL, 21, name);
	strcpy(name, "on the floor");
	tell_data(xpti_trace_function_begin, NULL, 22, name);
	tell_data(xpti_trace_function_end, NULL, 22, name);
	tell_data(xpti_trace_function_with_args_begin, NULL, 23, &function);
	tell_data(xpti_trace_function_with_args_end, NULL, 23, &function);
	tell_data(xpti_trace_mem_alloc_begin, NULL, 24, &memory);
	memory.alloc_pointer = 0x10000;
	tell_data(xpti_trace_mem_alloc_end, NULL, 24, &memory);
	tell_data(xpti_trace_mem_release_begin, event, 25, &memory);
	tell_data(xpti_trace_mem_release_end, event, 25, &memory);
	tell(xpti_trace_signal, event, 26);
	tell_data(xpti_trace_diagnostics, event, 27, "something is odd");
	tell(60, event, 28);
}

/* What the framework must not read, and what is said of types that nobody knows. */
static void strange(void)
{
	xpti_event *event = event_of("real", "strange.c", 1);
	char text[] = "\001\002\003";

	tell(xpti_trace_task_begin, (xpti_event *)1, 1);
	tell(xpti_trace_task_end, (xpti_event *)1, 1);
	tell(xpti_trace_node_create, (xpti_event *)8, 2);
	tell(xpti_trace_edge_create, (xpti_event *)16, 3);
	tell_data(xpti_trace_function_begin, NULL, 4, (void *)8);
	tell_data(xpti_trace_function_end, NULL, 4, (void *)8);
	tell_data(xpti_trace_function_begin, NULL, 5, text);
	tell_data(xpti_trace_function_end, NULL, 5, text);
	tell_data(xpti_trace_diagnostics, event, 6, (void *)24);
	xpti_event edge = {.source_id = 12345, .target_id = UINT64_MAX};
	tell(xpti_trace_edge_create, &edge, 7);
	tell(xpti_trace_node_create, event_of(NULL, "only-a-file.c", 9), UINT64_MAX);
}

static void user_defined(void)
{
	xpti_event *event = event_of("mine", "own.c", 1);
	uint16_t pair = xptiRegisterUserDefinedTracePoint("tool", XPTI_TRACE_POINT_BEGIN(1));
	uint16_t end = xptiRegisterUserDefinedTracePoint("tool", XPTI_TRACE_POINT_END(1));
	uint16_t lone = xptiRegisterUserDefinedTracePoint("tool", XPTI_TRACE_POINT_BEGIN(2));

	for (uint64_t i = 1; i <= 1000; i++) {
		tell(pair, event, i);
		tell(lone, event, i);
		tell(end, event, i);
	}
}

/* ---- what is not balanced */

static void unbalanced(void)
{
	xpti_event *a = event_of("a", "u.c", 1), *b = event_of("b", "u.c", 2),
		   *c = event_of("c", "u.c", 3);

	tell(xpti_trace_task_end, a, 1);     /* began before anybody listened */
	tell(xpti_trace_region_begin, c, 1); /* never ends */
	/* a and b interleave, and b's child lies in a's end */
	tell(xpti_trace_task_begin, a, 2);
	tell(xpti_trace_task_begin, b, 2);
	run(c, 3);
	tell(xpti_trace_task_end, a, 2);
	run(c, 4);
	tell(xpti_trace_task_end, b, 2);
	tell(xpti_trace_task_begin, a, 5); /* its end doesn't know which */
	tell(xpti_trace_task_end, a, 0);
}

/* Each begins before the one before it ends. */
static void chain(void)
{
	xpti_event *event = event_of("link", "stack_frames.c", 1);

	for (uint64_t i = 1; i <= 200; i++) {
		tell(xpti_trace_task_begin, event, i);
		if (i > 3)
			tell(xpti_trace_task_end, event, i - 3);
	}
	for (uint64_t i = 198; i <= 200; i++)
		tell(xpti_trace_task_end, event, i);
}

/* More at once than there is room for. */
static void deep(void)
{
	xpti_event *event = event_of("deep", "deep.c", 1);

	for (uint64_t i = 1; i <= 2000; i++)
		tell(xpti_trace_task_begin, event, i);
	for (uint64_t i = 2000; i; i--)
		tell(xpti_trace_task_end, event, i);
}

/* ---- streams and ends */

static void late(void)
{
	xpti_event *event = event_of("late", "late.c", 1);
	uint8_t second = xptiRegisterStream("second");

	run(event, 1);
	/* nobody hears it */
	xptiNotifySubscribers(second, xpti_trace_task_begin, NULL, event, 1, NULL);
	xptiInitialize("second", 1, 0, "1.0");
	xptiNotifySubscribers(second, xpti_trace_task_end, NULL, event, 1, NULL);
	xptiNotifySubscribers(second, xpti_trace_task_begin, NULL, event, 2, NULL);
	xptiNotifySubscribers(second, xpti_trace_task_end, NULL, event, 2, NULL);
	tell(xpti_trace_task_begin, event, 3);
	xptiNotifySubscribers(second, xpti_trace_task_begin, NULL, event, 4, NULL);
	/* it is unfinished, app's goes on */
	xptiFinalize("second");
	xptiNotifySubscribers(second, xpti_trace_task_end, NULL, event, 4, NULL);
	tell(xpti_trace_task_end, event, 3);
}

static void unloaded(void)
{
	for (uint64_t i = 1; i <= 3; i++) {
		xptiFrameworkInitialize();
		begin_stream();
		xpti_event *event = event_of("round", "rounds.c", (int)i);
		run(event, i);
		tell(xpti_trace_task_begin, event, 10 + i);
		xptiFrameworkFinalize();
	}
}

static void open_at_exit(void)
{
	tell(xpti_trace_task_begin, event_of("outer", "open.c", 1), 1);
	tell(xpti_trace_task_begin, event_of("inner", "open.c", 2), 1);
}

static void open_at__exit(void)
{
	open_at_exit();
	_exit(0);
}

static void killed(void)
{
	for (uint64_t i = 1; i <= 100; i++)
		run(event_of("done", "killed.c", 1), i);
	raise(SIGKILL);
}

/* ---- threads */

static int threads = 4;
static pthread_barrier_t barrier;
static xpti_event *handed[64];

/*
 * Says what it did: instance, and when it may have begun and ended at the earliest and the latest.
 */
static void *nests(void *argument)
{
	uint64_t number = (uintptr_t)argument, before, began, ended, after;
	unsigned seed = (unsigned)number * 77 + 1;
	xpti_event *event = event_of("nested", "threads.c", 1);

	for (uint64_t i = 1; i <= 300; i++) {
		uint64_t instance = number * 1000 + i;
		before = now();
		tell(xpti_trace_task_begin, event, instance);
		began = now();
		for (int inner = rand_r(&seed) % 4; inner; inner--) {
			tell(xpti_trace_function_begin, event, instance);
			tell(xpti_trace_function_end, event, instance);
		}
		ended = now();
		tell(xpti_trace_task_end, event, instance);
		after = now();
		printf("%llu %llu %llu %llu %llu\n", (unsigned long long)instance,
		       (unsigned long long)before, (unsigned long long)began,
		       (unsigned long long)ended, (unsigned long long)after);
	}
	return NULL;
}

/* Each begins what its neighbour ends. */
static void *hands_over(void *argument)
{
	uint64_t number = (uintptr_t)argument, next = (number + 1) % (uint64_t)threads;

	handed[number] = event_of("handed over", "threads.c", 2);
	pthread_barrier_wait(&barrier);
	for (uint64_t i = 1; i <= 100; i++) {
		tell(xpti_trace_task_begin, handed[number], number * 1000 + i);
		pthread_barrier_wait(&barrier);
		tell(xpti_trace_task_end, handed[next], next * 1000 + i);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void *runs_once(void *argument)
{
	run(handed[0], (uintptr_t)argument + 1);
	return NULL;
}

static void start(void *(*function)(void *))
{
	pthread_t ids[64];

	pthread_barrier_init(&barrier, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, function, (void *)(uintptr_t)i);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
}

static void nested(void)
{
	start(nests);
}
static void handed_over(void)
{
	start(hands_over);
}

/* One after the other. */
static void many(void)
{
	handed[0] = event_of("short", "threads.c", 3);
	for (uintptr_t i = 0; i < 200; i++) {
		pthread_t id;
		pthread_create(&id, NULL, runs_once, (void *)i);
		pthread_join(id, NULL);
	}
}

/* ---- forks */

static void in_child(xpti_event *event)
{
	run(event, 2);
	tell(xpti_trace_task_end, event, 1); /* the parent's, of which a child knows nothing */
}

static void forks(void)
{
	xpti_event *event = event_of("forked", "fork.c", 1);
	int status;

	run(event, 100);
	tell(xpti_trace_task_begin, event, 1);
	pid_t child = fork();
	if (child == 0) {
		in_child(event);
		exit(0);
	}
	waitpid(child, &status, 0);
	/* which runs no handlers of fork */
	child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (child == 0) {
		in_child(event);
		_exit(0);
	}
	waitpid(child, &status, 0);
	tell(xpti_trace_task_end, event, 1);
}

#ifdef WITH_OPENCL
static void driver(void)
{
	xpti_event *event = event_of("ask", "driver.c", 1);
	cl_uint count = 0;

	tell(xpti_trace_task_begin, event, 1);
	clGetPlatformIDs(0, NULL, &count);
	tell(xpti_trace_task_end, event, 1);
}

static cl_command_queue queue_new(void)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_int error;

	if (clGetPlatformIDs(1, &platform, NULL) ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		abort();
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	return clCreateCommandQueueWithProperties(context, device, NULL, &error);
}

static void *end_task(void *event)
{
	tell(xpti_trace_task_end, event, 1);
	return NULL;
}

/* Commands: in tasks one inside the other, in none, in tasks that interleave or end elsewhere. */
static void submit(void)
{
	cl_command_queue queue = queue_new();
	xpti_event *event[5];
	pthread_t other;

	for (int i = 0; i < 5; i++)
		event[i] = event_of(
			(const char *[]){"outer", "inner", "first", "second", "elsewhere"}[i],
			"submit.c", i + 1);
	tell(xpti_trace_task_begin, event[0], 1);
	clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL);
	tell(xpti_trace_task_begin, event[1], 1);
	tell(xpti_trace_function_begin, event[0], 1);
	clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL);
	clFlush(queue);
	tell(xpti_trace_function_end, event[0], 1);
	tell(xpti_trace_task_end, event[1], 1);
	clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);
	tell(xpti_trace_task_end, event[0], 1);
	clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL);
	tell(xpti_trace_task_begin, event[2], 1);
	tell(xpti_trace_task_begin, event[3], 1);
	clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);
	tell(xpti_trace_task_end, event[2], 1);
	clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL);
	tell(xpti_trace_task_end, event[3], 1);
	tell(xpti_trace_task_begin, event[4], 1);
	clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL);
	pthread_create(&other, NULL, end_task, event[4]);
	pthread_join(other, NULL);
	clFinish(queue);
}
#endif

/* How long a begin and its end take; the fastest of several rounds. */
static void cost(void)
{
	xpti_event *event = event_of("timed", "cost.c", 1);
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < 50; round++) {
		uint64_t before = now();
		for (uint64_t i = 1; i <= 1000; i++)
			run(event, i);
		uint64_t took = now() - before;
		best = took < best ? took : best;
		usleep(2000);
	}
	printf("%.1f ns for a begin and its end\n", (double)best / 1000);
}

/* More edges than are kept. */
static void edges(void)
{
	enum { NODES = 40000 };
	static xpti_event *nodes[NODES];

	for (int i = 0; i < NODES; i++) {
		nodes[i] = event_of("node", "edges.c", i + 1);
		if (!i)
			continue;
		/* One that the program has filled in itself. */
		xpti_event edge = {.payload = nodes[i]->payload,
				   .source_id = nodes[i - 1]->unique_id,
				   .target_id = nodes[i]->unique_id};
		tell(xpti_trace_edge_create, &edge, 1);
	}
	run(nodes[1], 1); /* their edge is forgotten */
	run(nodes[2], 1);
	run(nodes[NODES - 2], 1);
	run(nodes[NODES - 1], 1);
}

static const struct {
	const char *name;
	void (*run)(void);
} all[] = {
#define EACH(name)                                                                                 \
	{                                                                                          \
#name, name                                                                        \
	}
	EACH(graph),	    EACH(spawn),	 EACH(kinds),  EACH(strange), EACH(user_defined),
	EACH(unbalanced),   EACH(chain),	 EACH(deep),   EACH(late),    EACH(unloaded),
	EACH(open_at_exit), EACH(open_at__exit), EACH(killed), EACH(nested),  EACH(handed_over),
	EACH(many),	    EACH(forks),	 EACH(cost),   EACH(edges),
#ifdef WITH_OPENCL
	EACH(driver),	    EACH(submit),
#endif
};

int main(int argc, char **argv)
{
	if (argc > 2)
		threads = atoi(argv[2]);
	for (size_t i = 0; argc > 1 && i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(all[i].name, argv[1]) == 0) {
			begin_stream();
			all[i].run();
			return 0;
		}
	return 2;
}
