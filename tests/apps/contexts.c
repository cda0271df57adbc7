/* SPDX-License-Identifier: MIT */
/*
 * contexts.c: a small framework that logs events of its own (tracelayer/trace_context.h). Nothing
 * of tracelayer is linked.
 *
 * contexts FILE: 4 threads handle 25 requests each, on a device of the program's that notes times
 * by a clock of its own; what all contexts got is merged into one, which is dumped to FILE. Prints
 * what it logged. Ends with 1 where something is not as the header says.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelayer/trace_context.h>

#define THREADS	 4
#define REQUESTS 25

static struct tl_context *all;
static uint32_t device_lane;
static int wrong;

static void expect(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "wrong: %s\n", what);
	__atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
}

/* The device's clock: a tick each 4 ns, from another beginning. */
static uint64_t device_time(uint64_t host)
{
	return host / 4 + 1000000;
}

static void call(void)
{
	cl_uint count;

	clGetPlatformIDs(0, NULL, &count);
}

/* What a device would write into an array while it runs three steps. */
static void run_device(struct tl_context *trace)
{
	static const struct tl_context_arg kind[] = {{"kind", "matmul"}};
	static const struct tl_trace_slot slots[] = {
		{"load", 'X', TL_TRACE_OPERATOR, 0, 1, 0, NULL},
		{"multiply", 'X', TL_TRACE_OPERATOR, 1, 2, 1, kind},
		{"checkpoint", 'I', TL_TRACE_OPERATOR, 2, 0, 0, NULL},
		{"not reached", 'X', TL_TRACE_OPERATOR, 2, 3, 0, NULL},
	};
	uint64_t times[4] = {0}, begin = tl_context_now();
	struct tl_device_clock clock;

	if (!trace)
		return;
	for (int i = 0; i < 3; i++)
		times[i] = device_time(tl_context_now());
	const struct tl_marker markers[] = {{device_time(begin), begin},
					    {device_time(begin + 1000000), begin + 1000000}};
	expect(!tl_device_clock_fit(&clock, markers, 2, 0), "two markers make a clock");
	uint64_t back = tl_device_clock_host(&clock, times[2]), host = (times[2] - 1000000) * 4;
	expect(back + 8 > host && back < host + 8, "its times are the host's");
	expect(tl_context_slots(trace, slots, 4, times, 4, &clock, device_lane) == 3,
	       "three slots of four were reached");
}

static void handle(struct tl_context *trace, uint32_t request)
{
	TL_TRACE_SCOPE_NAMED(trace, TL_TRACE_RUNTIME, "handle", whole);
	tl_trace_scope_arg(&whole, "model", "a \"small\" one");
	tl_trace_scope_arg(&whole, "model", "a \"large\" one");
	TL_TRACE_BEGIN(trace, TL_TRACE_RUNTIME, "prepare");
	call();
	TL_TRACE_END(trace, TL_TRACE_RUNTIME, "prepare");
	if (request % 2)
		TL_TRACE_INSTANT(trace, TL_TRACE_RUNTIME, "odd");
	else
		TL_TRACE_INSTANT(trace, TL_TRACE_DEBUG, "even");
	{
		TL_TRACE_SCOPE(trace, TL_TRACE_RUNTIME, "compute");
		call();
		run_device(trace);
		TL_TRACE_SCOPE_END();
		TL_TRACE_SCOPE_END();
		call();
	}
}

static void *work(void *number)
{
	uint32_t first = 1 + (uint32_t)(uintptr_t)number * REQUESTS;

	for (uint32_t request = first; request < first + REQUESTS; request++) {
		struct tl_context *trace = tl_context_create(TL_TRACE_STANDARD | TL_TRACE_REQUEST);
		tl_context_set_request(trace, request);
		tl_context_enter(trace);
		handle(trace, request);
		tl_context_leave(trace);
		tl_context_name_thread(trace, "worker");
		expect(!tl_context_merge(all, trace), "contexts merge");
		expect(!tl_context_count(trace), "what was merged is gone where it was");
		tl_context_destroy(trace);
	}
	return NULL;
}

static int count_type(const struct tl_context_event *event, void *types)
{
	((unsigned *)types)[(unsigned char)event->type]++;
	return 0;
}

/* NULL is a context, too: one that takes nothing. */
static void use_none(void)
{
	TL_TRACE_SCOPE(NULL, TL_TRACE_RUNTIME, "nothing");
	TL_TRACE_BEGIN(NULL, TL_TRACE_RUNTIME, "nothing");
	tl_context_name_thread(NULL, "nobody");
	expect(!tl_context_count(NULL) && !tl_context_level(NULL) && !tl_context_lane(NULL, "x"),
	       "NULL has nothing");
	expect(!tl_context_dump(NULL, "/nowhere/at/all", NULL), "and is no error");
	tl_context_destroy(NULL);
}

static void use_levels(void)
{
	static const unsigned levels[] = {TL_TRACE_NONE, TL_TRACE_REQUEST, TL_TRACE_RUNTIME,
					  TL_TRACE_OPERATOR, TL_TRACE_DEBUG};

	for (unsigned i = 0; i < 5; i++) {
		struct tl_context *trace = tl_context_create(levels[i]);
		for (unsigned j = 0; j < 5; j++)
			tl_context_log(trace, levels[j], 'I', "event");
		expect(tl_context_count(trace) == (trace && i ? 1 : 0),
		       "each level takes its own, and NONE none");
		tl_context_destroy(trace);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	unsigned types[256] = {0};

	if (argc != 2)
		return 2;
	use_none();
	if (!getenv("TRACELAYER_CONTEXT_LEVEL"))
		use_levels();
	all = tl_context_create(TL_TRACE_NONE);
	device_lane = tl_context_lane(all, "device 0");
	call();
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	tl_context_each(all, count_type, types);
	printf("B %u E %u I %u X %u\n", types['B'], types['E'], types['I'], types['X']);
	if (tl_context_dump(all, argv[1], "framework")) {
		perror(argv[1]);
		return 1;
	}
	expect(all == NULL || tl_context_dump(all, "/nowhere/at/all", NULL) == -1,
	       "a file that can't be written is told");
	tl_context_destroy(all);
	return wrong;
}
