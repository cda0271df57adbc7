/* SPDX-License-Identifier: MIT */
/*
 * limit.h: what a preloaded library can't do without: the limit of the tracers' rows.
 *
 * libbench_limit.so has zeEventQueryStatus alone. Without callbacks it jumps on to the loader's.
 * With them it makes the calls that a tracer needs, and nothing else: no call is open, callbacks
 * may not be exchanged, nothing is kept for calls that never return.
 */
#ifndef BENCH_LIMIT_H
#define BENCH_LIMIT_H

#include <level_zero/ze_api.h>

typedef void bench_callback(ze_event_query_status_params_t *params, ze_result_t result,
			    void *user_data, void **instance_data);

#define BENCH_LIMIT_MAX 16

/*
 * From now on there are `count` pairs of callbacks around the call. `recorded`: two counter reads
 * and a store of 32 bytes, too; 2: the store in new pages of /dev/shm.
 */
void bench_limit_set(bench_callback *before, bench_callback *after, int count, int recorded);

#endif
