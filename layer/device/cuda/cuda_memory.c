/* SPDX-License-Identifier: MIT */
/*
 * cuda_memory.c: see cuda_memory.h.
 *
 * Memory counts for the device of the context that is current at the allocation. What a stream
 * allocates and frees in its order (cuMemAllocAsync) counts from the call on. Arrays, pinned memory
 * of the host and memory that is mapped by hand (cuMemMap) do not count.
 */
#include "layer/device/cuda/cuda_memory.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/cuda/cuda_contexts.h"
#include "layer/device/cuda/cuda_per_thread.h"

struct memory {
	struct tl_handle handle; /* the address */
	struct memory *next;	 /* of all */
	struct memory **link;	 /* what points to it */
	struct cuda_context *context;
	struct tl_device *device;
	uint64_t bytes;
};

static struct tl_handles table;
static struct memory *all;

/* Under tl_cuda_lock, and so is what follows. */
static void memory_remove(struct memory *memory)
{
	tl_handles_remove(&table, &memory->handle);
	*memory->link = memory->next;
	if (memory->next)
		memory->next->link = memory->link;
	tl_device_memory(memory->device, -(int64_t)memory->bytes);
	free(memory);
}

static void memory_add(void *address, uint64_t bytes, struct cuda_context *context)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return;
	memory->handle.key = address;
	memory->context = context;
	memory->device = context->device->device;
	memory->bytes = bytes;
	memory->next = all;
	memory->link = &all;
	if (all)
		all->link = &memory->next;
	all = memory;
	tl_handles_put(&table, &memory->handle);
	tl_device_memory(memory->device, (int64_t)bytes);
}

void tl_cuda_memory_drop(const struct cuda_context *context)
{
	for (struct memory *memory = all, *next; memory; memory = next) {
		next = memory->next;
		if (memory->context == context)
			memory_remove(memory);
	}
}

/* --- the hooks; holding no lock */

static void memory_allocated(const struct tl_call *call, uint64_t bytes)
{
	void *current = NULL, *const *place = CUDA_PARAM(call, 0, void *const *);

	if (!tl_cuda_usable() || tl_cuda_real.cuCtxGetCurrent(&current) != CUDA_SUCCESS)
		return;
	struct cuda_context *context = tl_cuda_context(current);
	if (!context)
		return;
	pthread_mutex_lock(&tl_cuda_lock);
	memory_add(*place, bytes, context);
	pthread_mutex_unlock(&tl_cuda_lock);
}

/* cuMemAlloc(address, bytes), and functions that begin like it */
static void alloc_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	if (!tl_cuda_call_failed(result, unwound) && tl_cuda_is_known(call))
		memory_allocated(call, CUDA_PARAM(call, 1, size_t));
}

/* cuMemAllocPitch(address, pitch, width, height, …) */
static void alloc_pitch_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	if (!tl_cuda_call_failed(result, unwound) && tl_cuda_is_known(call))
		memory_allocated(call, *CUDA_PARAM(call, 1, const size_t *) *
					       CUDA_PARAM(call, 3, size_t));
}

/* A stream that captures allocates nothing now. `at`: the parameter with the stream. */
static void alloc_in_order(struct tl_call *call, uint64_t result, bool unwound, int at,
			   bool per_thread)
{
	if (tl_cuda_call_failed(result, unwound) || !tl_cuda_is_known(call) || !tl_cuda_usable())
		return;
	if (!tl_cuda_captures(tl_cuda_meant_stream(call, CUDA_PARAM(call, at, void *), per_thread)))
		memory_allocated(call, CUDA_PARAM(call, 1, size_t));
}

#define IN_ORDER(name, at, per_thread)                                                             \
	static void name(struct tl_call *call, void *state, uint64_t result, bool unwound)         \
	{                                                                                          \
		(void)state;                                                                       \
		alloc_in_order(call, result, unwound, at, per_thread);                             \
	}
IN_ORDER(alloc_async_after, 2, false)
IN_ORDER(alloc_async_per_thread_after, 2, true)
IN_ORDER(alloc_pool_after, 3, false)
IN_ORDER(alloc_pool_per_thread_after, 3, true)

/* Before the call: another thread may get the address at once. */
static void free_before(struct tl_call *call, void *state)
{
	(void)state;
	if (!tl_cuda_is_known(call))
		return;
	pthread_mutex_lock(&tl_cuda_lock);
	struct memory *memory =
		(struct memory *)tl_handles_find(&table, CUDA_PARAM(call, 0, const void *));
	if (memory)
		memory_remove(memory);
	pthread_mutex_unlock(&tl_cuda_lock);
}

void tl_cuda_memory_forget(void)
{
	memset(&table, 0, sizeof(table));
	all = NULL;
}

const struct tl_hook tl_cuda_memory_hooks[] = {
	{"cuMemAlloc_v2", NULL, alloc_after, TL_HOOK_PLAIN},
	{"cuMemAllocManaged", NULL, alloc_after, TL_HOOK_PLAIN},
	{"cuMemAllocPitch_v2", NULL, alloc_pitch_after, TL_HOOK_PLAIN},
	{"cuMemAllocAsync", NULL, alloc_async_after, TL_HOOK_PLAIN},
	{"cuMemAllocAsync_ptsz", NULL, alloc_async_per_thread_after, TL_HOOK_PLAIN},
	{"cuMemAllocFromPoolAsync", NULL, alloc_pool_after, TL_HOOK_PLAIN},
	{"cuMemAllocFromPoolAsync_ptsz", NULL, alloc_pool_per_thread_after, TL_HOOK_PLAIN},
	{"cuMemFree_v2", free_before, NULL, TL_HOOK_PLAIN},
	{"cuMemFreeAsync", free_before, NULL, TL_HOOK_PLAIN},
	{"cuMemFreeAsync_ptsz", free_before, NULL, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};
