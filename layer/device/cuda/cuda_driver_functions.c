/* SPDX-License-Identifier: MIT */
/*
 * cuda_driver_functions.c: see cuda_driver_functions.h.
 */
#include "layer/device/cuda/cuda_driver_functions.h"

#include <stdatomic.h>
#include <string.h>

#include "layer/calls/hook.h"

pthread_mutex_t tl_cuda_looking = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t tl_cuda_lock = PTHREAD_MUTEX_INITIALIZER;
struct tl_cuda_real tl_cuda_real;

enum known { UNKNOWN, LACKING, USABLE };

static pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;
/* Stored with release, loaded with acquire: then tl_cuda_real is filled in. */
static _Atomic int known;
static _Atomic bool ending; /* the driver is called for the last time */

static void function_find(void *member, const char *name)
{
	void *found = tl_hook_real(name);

	memcpy(member, &found, sizeof(found));
}

static bool driver_find(void)
{
	bool complete = true;

#define FIND(function, parameters)  function_find(&tl_cuda_real.function, #function);
#define CHECK(function, parameters) complete &= tl_cuda_real.function != NULL;
	CUDA_NEEDED(FIND)
	CUDA_WANTED(FIND)
	CUDA_NEEDED(CHECK)
#undef FIND
#undef CHECK
	if (!tl_cuda_real.cuEventElapsedTime)
		tl_cuda_real.cuEventElapsedTime = tl_cuda_real.cuEventElapsedTime_v2;
	return complete && tl_cuda_real.cuEventElapsedTime;
}

bool tl_cuda_usable(void)
{
	if (tl_device_has_ended() && !atomic_load_explicit(&ending, memory_order_relaxed))
		return false;
	int now = atomic_load_explicit(&known, memory_order_acquire);
	if (now != UNKNOWN || tl_device_has_ended())
		return now == USABLE;
	pthread_mutex_lock(&finding);
	if (atomic_load_explicit(&known, memory_order_relaxed) == UNKNOWN)
		atomic_store_explicit(&known, driver_find() ? USABLE : LACKING,
				      memory_order_release);
	pthread_mutex_unlock(&finding);
	return atomic_load_explicit(&known, memory_order_relaxed) == USABLE;
}

void tl_cuda_driver_ending(bool is)
{
	atomic_store_explicit(&ending, is, memory_order_relaxed);
}

int tl_cuda_capture_relax(void)
{
	int mode = CUDA_CAPTURE_RELAXED;

	if (!tl_cuda_real.cuThreadExchangeStreamCaptureMode ||
	    tl_cuda_real.cuThreadExchangeStreamCaptureMode(&mode) != CUDA_SUCCESS)
		return CUDA_CAPTURE_RELAXED;
	return mode;
}

void tl_cuda_capture_restore(int mode)
{
	if (mode != CUDA_CAPTURE_RELAXED)
		tl_cuda_real.cuThreadExchangeStreamCaptureMode(&mode);
}

bool tl_cuda_captures(void *stream)
{
	int status = CUDA_CAPTURE_NONE;

	/* No driver that lacks this function captures. */
	return tl_cuda_real.cuStreamIsCapturing &&
	       (tl_cuda_real.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
		status != CUDA_CAPTURE_NONE);
}

void tl_cuda_driver_functions_forget(void)
{
	pthread_mutex_init(&finding, NULL);
	pthread_mutex_init(&tl_cuda_looking, NULL);
	pthread_mutex_init(&tl_cuda_lock, NULL);
	tl_cuda_driver_ending(false);
}
