/* SPDX-License-Identifier: MIT */
/*
 * limit.c: see limit.h.
 */
#include "bench/limit.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/harness.h"
#include "tracelayer/shim.h"

typedef ze_result_t real_function(ze_event_handle_t event);

static real_function *direct, *real; /* direct: NULL while there are callbacks */
static bench_callback *prologue, *epilogue;
static int callbacks;
static bool is_recorded;

/* Pages of /dev/shm that nobody has written to, for the records of three million calls. */
#define FRESH	   (128u << 20)
#define FRESH_STEP (256u * 1024) /* so many are made by one system call */
static char *fresh;		 /* NULL: records go to memory that stays warm */
static uint32_t fresh_at;

static void fresh_store(uint64_t start, uint64_t end, uint64_t result)
{
	uint64_t *record = (uint64_t *)(void *)(fresh + fresh_at);

	if (fresh_at % FRESH_STEP == 0)
		bench_populate(fresh + fresh_at, FRESH_STEP);
	record[0] = 1;
	record[1] = start;
	record[2] = end - start;
	record[3] = result;
	fresh_at = (fresh_at + 32) % FRESH;
}

static __attribute__((constructor)) void limit_find(void)
{
	real = (real_function *)dlsym(RTLD_NEXT, "zeEventQueryStatus");
	direct = real;
}

TL_EXPORT void bench_limit_set(bench_callback *before, bench_callback *after, int count,
			       int recorded)
{
	prologue = before;
	epilogue = after;
	callbacks = count;
	is_recorded = recorded;
	if (recorded > 1)
		fresh = bench_new_memory(FRESH);
	direct = NULL;
}

static __attribute__((noinline)) ze_result_t limit_call(ze_event_handle_t event)
{
	ze_event_query_status_params_t params = {&event};
	void *instance[BENCH_LIMIT_MAX];
	uint64_t start = 0;

	for (int i = 0; i < callbacks; i++) {
		instance[i] = NULL;
		prologue(&params, ZE_RESULT_SUCCESS, NULL, &instance[i]);
	}
	if (is_recorded)
		start = tl_counter();
	ze_result_t result = real(event);
	if (is_recorded && fresh)
		fresh_store(start, tl_counter(), (uint64_t)result);
	else if (is_recorded)
		bench_floor_store(1, start, tl_counter(), (uint64_t)result);
	for (int i = 0; i < callbacks; i++)
		epilogue(&params, result, NULL, &instance[i]);
	return result;
}

TL_EXPORT ze_result_t zeEventQueryStatus(ze_event_handle_t event)
{
	if (TL_LIKELY(direct != NULL))
		return direct(event);
	return limit_call(event);
}
