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

uint64_t bench_floor_buffer[BENCH_FLOOR_WORDS];
uint64_t bench_floor_at;

typedef ze_result_t real_function(ze_event_handle_t event);

static real_function *direct, *real; /* direct: NULL while there are callbacks */
static bench_callback *prologue, *epilogue;
static int callbacks;
static bool is_recorded;

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
	if (is_recorded)
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
