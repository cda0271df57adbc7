/* SPDX-License-Identifier: MIT */
/*
 * ze_memory.c: see ze_memory.h.
 */
#include "layer/device/ze/ze_memory.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/handles.h"
#include "layer/device/ze/ze_devices.h"
#include "layer/device/ze/ze_driver_functions.h"
#include "layer/device/ze/ze_objects.h"

static struct tl_handles allocations;

struct allocation {
	struct tl_handle handle;
	struct tl_device *device;
	int64_t size;
};

/* `device` NULL: it is the host's. */
static void memory_allocated(const void *memory, ze_device_handle_t device, size_t size)
{
	struct allocation *allocation = tl_ze_object_new(&allocations, memory, sizeof(*allocation));
	struct ze_device *of = device ? tl_ze_device(device) : NULL;

	if (!allocation)
		return;
	allocation->device = of ? of->device : tl_ze_host();
	allocation->size = (int64_t)size;
	tl_device_memory(allocation->device, allocation->size);
}

static void memory_alloc_after_at(struct tl_call *call, uint64_t result, bool unwound,
				  unsigned size, int device, unsigned memory)
{
	if (tl_ze_call_failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	memory_allocated(*ZE_PARAM(call, memory, void **),
			 device < 0 ? NULL : ZE_PARAM(call, device, ze_device_handle_t),
			 ZE_PARAM(call, size, size_t));
	pthread_mutex_unlock(&tl_ze_lock);
}

static void memory_alloc_device_after(struct tl_call *call, void *state, uint64_t result,
				      bool unwound)
{
	memory_alloc_after_at(call, result, unwound, 2, 4, 5);
	(void)state;
}

static void memory_alloc_shared_after(struct tl_call *call, void *state, uint64_t result,
				      bool unwound)
{
	memory_alloc_after_at(call, result, unwound, 3, 5, 6);
	(void)state;
}

static void memory_alloc_host_after(struct tl_call *call, void *state, uint64_t result,
				    bool unwound)
{
	memory_alloc_after_at(call, result, unwound, 2, -1, 4);
	(void)state;
}

/*
 * As with struct ze_taken: once memory is freed, another allocation may have its address at once.
 */
static void memory_free_before_at(struct tl_call *call, void *state, unsigned memory)
{
	struct ze_taken *taken = state;

	pthread_mutex_lock(&tl_ze_lock);
	taken->object = tl_handles_take(&allocations, ZE_PARAM(call, memory, void *));
	pthread_mutex_unlock(&tl_ze_lock);
}

static void memory_free_before(struct tl_call *call, void *state)
{
	memory_free_before_at(call, state, 1);
}

static void memory_free_ext_before(struct tl_call *call, void *state)
{
	memory_free_before_at(call, state, 2);
}

static void memory_free_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct ze_taken *taken = state;
	struct allocation *allocation = (struct allocation *)taken->object;

	if (!allocation)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	if (tl_ze_call_failed(result, unwound)) {
		tl_handles_put(&allocations, taken->object);
	} else {
		tl_device_memory(allocation->device, -allocation->size);
		free(allocation);
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)call;
}

const struct tl_hook tl_ze_memory_hooks[] = {
	{"zeMemAllocDevice", NULL, memory_alloc_device_after, TL_HOOK_PLAIN},
	{"zeMemAllocShared", NULL, memory_alloc_shared_after, TL_HOOK_PLAIN},
	{"zeMemAllocHost", NULL, memory_alloc_host_after, TL_HOOK_PLAIN},
	{"zeMemFree", memory_free_before, memory_free_after, TL_HOOK_PLAIN},
	{"zeMemFreeExt", memory_free_ext_before, memory_free_after, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

void tl_ze_memory_forget(void)
{
	memset(&allocations, 0, sizeof(allocations));
}
