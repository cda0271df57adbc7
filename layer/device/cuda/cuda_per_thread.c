/* SPDX-License-Identifier: MIT */
/*
 * cuda_per_thread.c: see cuda_per_thread.h.
 */
#include "layer/device/cuda/cuda_per_thread.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "layer/device/cuda/cuda_driver_functions.h"
#include "layer/device/handles.h"

/* Entries stay for ever: a driver has some hundred functions. */
struct given {
	struct tl_handle handle;
	_Atomic bool per_thread;
};

static struct tl_handles functions;
static _Atomic bool some; /* at least one is for a default stream per thread */

static void function_given(void *function, bool per_thread)
{
	pthread_mutex_lock(&tl_cuda_lock);
	struct given *given = (struct given *)tl_handles_find(&functions, function);
	if (!given && per_thread && (given = calloc(1, sizeof(*given)))) {
		given->handle.key = function;
		tl_handles_put(&functions, &given->handle);
	}
	if (given)
		atomic_store_explicit(&given->per_thread, per_thread, memory_order_relaxed);
	if (given && per_thread)
		atomic_store_explicit(&some, true, memory_order_relaxed);
	pthread_mutex_unlock(&tl_cuda_lock);
}

/* cuGetProcAddress(symbol, pfn, version, flags[, status]) */
static void get_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	if (tl_cuda_call_failed(result, unwound) || !tl_cuda_is_known(call))
		return;
	void **place = CUDA_PARAM(call, 1, void **);
	if (place && *place)
		function_given(*place, CUDA_PARAM(call, 3, uint64_t) & CUDA_PER_THREAD_FLAG);
}

static bool call_is_per_thread(const struct tl_call *call)
{
	if (!atomic_load_explicit(&some, memory_order_relaxed))
		return false;
	const struct given *given =
		(const struct given *)tl_handles_find(&functions, tl_hook_real_of(call));
	return given && atomic_load_explicit(&given->per_thread, memory_order_relaxed);
}

void *tl_cuda_meant_stream(const struct tl_call *call, void *handle, bool per_thread)
{
	if (handle)
		return handle;
	return per_thread || call_is_per_thread(call) ? CUDA_PER_THREAD_STREAM : CUDA_LEGACY_STREAM;
}

const struct tl_hook tl_cuda_per_thread_hooks[] = {
	{"cuGetProcAddress", NULL, get_after, TL_HOOK_PLAIN},
	{"cuGetProcAddress_v2", NULL, get_after, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};
