/* SPDX-License-Identifier: MIT */
/*
 * bench_tracers: what a call of zeEventQueryStatus costs with callbacks around it. Each process
 * makes one measurement; tracers.sh starts the processes: with tracelayer, with the stock loader's
 * own tracing layer, and with neither.
 *
 *	bench_tracers call COUNT THREADS	nanoseconds of a call: the call alone
 *	bench_tracers direct COUNT THREADS	... with COUNT pairs of callbacks that the program
 *						calls itself
 *	bench_tracers tracer COUNT THREADS	... with COUNT tracers
 *	bench_tracers other COUNT THREADS	... with a tracer on another function
 *	bench_tracers limit COUNT THREADS	... with COUNT pairs of callbacks that libbench_limit.so
 *						calls, which is preloaded
 *	bench_tracers limit-recorded COUNT THREADS	the same with a record
 *	bench_tracers limit-new COUNT 1	the same in new pages of /dev/shm
 *	bench_tracers destroy ROUNDS THREADS	nanoseconds of destroy after disable, the median,
 *						while threads call
 *	bench_tracers toggle ROUNDS		enables and disables ROUNDS times while a thread
 *						calls; prints how many calls that thread made
 */
#include <dlfcn.h>
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/ze_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/limit.h"

#define BATCH	    20000 /* calls */
#define BATCHES	    150
#define THREADS_MAX 16
#define TRACERS_MAX 16

static ze_event_handle_t event;
static _Atomic bool stop;
static __thread unsigned long begun, ended;

static void result_need(ze_result_t result, const char *what)
{
	if (result == ZE_RESULT_SUCCESS)
		return;
	fprintf(stderr, "tracers: %s: 0x%x; is ZE_ENABLE_ALT_DRIVERS set to the test driver?\n",
		what, result);
	exit(1);
}

static void prologue(ze_event_query_status_params_t *params, ze_result_t result, void *user_data,
		     void **instance_data)
{
	(void)params, (void)result, (void)user_data;
	*instance_data = &begun;
	begun++;
}

static void epilogue(ze_event_query_status_params_t *params, ze_result_t result, void *user_data,
		     void **instance_data)
{
	(void)params, (void)result, (void)user_data;
	if (*instance_data == &begun)
		ended++;
}

/* So that the compiler cannot look into them from the loop. */
static bench_callback *volatile the_prologue = prologue, *volatile the_epilogue = epilogue;

static ze_event_handle_t make_event(void)
{
	uint32_t one = 1;
	ze_driver_handle_t driver;
	ze_device_handle_t device;
	ze_context_handle_t context;
	ze_event_pool_handle_t pool;
	ze_event_handle_t made;
	ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
	ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
	ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};

	result_need(zeInit(0), "zeInit");
	result_need(zeDriverGet(&one, &driver), "zeDriverGet");
	one = 1;
	result_need(zeDeviceGet(driver, &one, &device), "zeDeviceGet");
	result_need(zeContextCreate(driver, &context_desc, &context), "zeContextCreate");
	result_need(zeEventPoolCreate(context, &pool_desc, 1, &device, &pool), "zeEventPoolCreate");
	result_need(zeEventCreate(pool, &event_desc, &made), "zeEventCreate");
	return made;
}

static zel_tracer_handle_t make_tracer(bool on_another)
{
	zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_EXP_DESC};
	zel_core_callbacks_t before = {0}, after = {0};
	zel_tracer_handle_t tracer;

	if (on_another) {
		before.Event.pfnHostResetCb = (ze_pfnEventHostResetCb_t)(void (*)(void))prologue;
		after.Event.pfnHostResetCb = (ze_pfnEventHostResetCb_t)(void (*)(void))epilogue;
	} else {
		before.Event.pfnQueryStatusCb = prologue;
		after.Event.pfnQueryStatusCb = epilogue;
	}
	result_need(zelTracerCreate(&desc, &tracer), "zelTracerCreate");
	result_need(zelTracerSetPrologues(tracer, &before), "zelTracerSetPrologues");
	result_need(zelTracerSetEpilogues(tracer, &after), "zelTracerSetEpilogues");
	result_need(zelTracerSetEnabled(tracer, true), "zelTracerSetEnabled");
	return tracer;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static double per_call(void)
{
	uint64_t start = now();

	for (int i = 0; i < BATCH; i++)
		zeEventQueryStatus(event);
	return (double)(now() - start) / BATCH;
}

static double per_direct_call(int count)
{
	bench_callback *before = the_prologue, *after = the_epilogue;
	uint64_t start = now();

	for (int i = 0; i < BATCH; i++) {
		ze_event_handle_t passed = event;
		ze_event_query_status_params_t params = {&passed};
		void *instance[TRACERS_MAX];
		for (int j = 0; j < count; j++) {
			instance[j] = NULL;
			before(&params, ZE_RESULT_SUCCESS, NULL, &instance[j]);
		}
		ze_result_t result = zeEventQueryStatus(passed);
		for (int j = 0; j < count; j++)
			after(&params, result, NULL, &instance[j]);
	}
	return (double)(now() - start) / BATCH;
}

struct work {
	int direct; /* pairs of callbacks called by the loop; -1: the loop is the call alone */
	double ns;
};

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/*
 * What else the machine does only ever adds to a batch, so the first decile of many short ones is
 * what the call costs.
 */
static void *thread_measure(void *arg)
{
	struct work *work = arg;
	double ns[BATCHES];

	for (int i = 0; i < BATCHES; i++)
		ns[i] = work->direct < 0 ? per_call() : per_direct_call(work->direct);
	qsort(ns, BATCHES, sizeof(*ns), by_size);
	work->ns = ns[BATCHES / 10];
	return NULL;
}

static void *call_until_stopped(void *arg)
{
	while (!atomic_load_explicit(&stop, memory_order_relaxed))
		zeEventQueryStatus(event);
	return arg;
}

static int measure_calls(int direct, int threads)
{
	pthread_t thread[THREADS_MAX];
	struct work work[THREADS_MAX];
	double sum = 0;

	for (int i = 0; i < threads; i++) {
		work[i].direct = direct;
		pthread_create(&thread[i], NULL, thread_measure, &work[i]);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		sum += work[i].ns;
	}
	printf("%.2f\n", sum / threads);
	return 0;
}

static void limit_begin(int count, int recorded)
{
	void (*set)(bench_callback *, bench_callback *, int, int) =
		(void (*)(bench_callback *, bench_callback *, int, int))dlsym(RTLD_DEFAULT,
									      "bench_limit_set");

	if (!set) {
		fprintf(stderr, "tracers: libbench_limit.so is not preloaded\n");
		exit(1);
	}
	set(prologue, epilogue, count < BENCH_LIMIT_MAX ? count : BENCH_LIMIT_MAX, recorded);
}

static int measure_destroy(int rounds, int threads)
{
	double *ns = calloc((size_t)rounds, sizeof(*ns));
	pthread_t thread;

	if (!ns)
		return 1;
	for (int i = 0; i < threads; i++)
		pthread_create(&thread, NULL, call_until_stopped, NULL);
	for (int i = 0; i < rounds; i++) {
		struct timespec pause = {.tv_nsec = 1000000};
		zel_tracer_handle_t tracer = make_tracer(false);
		nanosleep(&pause, NULL);
		result_need(zelTracerSetEnabled(tracer, false), "zelTracerSetEnabled");
		uint64_t start = now();
		result_need(zelTracerDestroy(tracer), "zelTracerDestroy");
		ns[i] = (double)(now() - start);
	}
	qsort(ns, (size_t)rounds, sizeof(*ns), by_size);
	printf("%.0f\n", ns[rounds / 2]);
	return 0;
}

static int tracer_toggle(int rounds)
{
	zel_tracer_handle_t tracer = make_tracer(false);
	pthread_t thread;

	pthread_create(&thread, NULL, call_until_stopped, NULL);
	for (int i = 1; i <= rounds; i++) {
		result_need(zelTracerSetEnabled(tracer, i % 2 == 0), "zelTracerSetEnabled");
		if (i % 1000 == 0 || i == rounds) {
			printf("%d\n", i);
			fflush(stdout);
		}
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int count = argc > 2 ? atoi(argv[2]) : 1, threads = argc > 3 ? atoi(argv[3]) : 1;

	if (threads < 1 || threads > THREADS_MAX || count < 0) {
		fprintf(stderr,
			"tracers: wrong arguments: 1 to %d threads; see the head of bench/bench_tracers.c\n",
			THREADS_MAX);
		return 2;
	}
	event = make_event();
	if (!strcmp(what, "destroy"))
		return measure_destroy(count, threads);
	if (!strcmp(what, "toggle"))
		return tracer_toggle(count);
	if (!strcmp(what, "direct"))
		return measure_calls(count < TRACERS_MAX ? count : TRACERS_MAX, threads);
	for (int i = 0; !strcmp(what, "tracer") && i < count; i++)
		make_tracer(false);
	if (!strcmp(what, "other"))
		make_tracer(true);
	if (!strcmp(what, "limit"))
		limit_begin(count, 0);
	if (!strcmp(what, "limit-recorded"))
		limit_begin(count, 1);
	if (!strcmp(what, "limit-new") && threads == 1)
		limit_begin(count, 2);
	return measure_calls(-1, threads);
}
