/* SPDX-License-Identifier: MIT */
/*
 * ze_own.c: the layer's events and memory in a program's context, from free lists. They are freed
 * with the context.
 */
#include "layer/device/ze/ze_own.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/ze/ze_capture.h"
#include "layer/device/ze/ze_collect.h"
#include "layer/device/ze/ze_driver_functions.h"

#define POOL 128u	  /* events of a pool */
#define SLAB (64u * 1024) /* bytes that are allocated at once */

struct ze_pools {
	struct ze_pools *next;
	ze_event_pool_handle_t pool;
	uint32_t used;
	struct ze_own_event events[POOL];
};

struct ze_slab {
	struct ze_slab *next;
	char *memory;
	size_t used;
	struct ze_run runs[SLAB / (ZE_RUN * sizeof(struct ze_slot))];
	uint32_t nruns;
};

static ze_context_handle_t context_handle(const struct ze_context *context)
{
	return (ze_context_handle_t)(uintptr_t)context->handle.key;
}

/* --- events */

static ze_event_pool_handle_t pool_new(struct ze_context *context, ze_event_pool_flags_t flags,
				       uint32_t count)
{
	const ze_event_pool_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags, .count = count};
	ze_event_pool_handle_t pool = NULL;

	return tl_ze_real.zeEventPoolCreate(context_handle(context), &desc, 0, NULL, &pool) ==
			       ZE_RESULT_SUCCESS
		       ? pool
		       : NULL;
}

static ze_event_handle_t event_new(ze_event_pool_handle_t pool, uint32_t index)
{
	const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
				      .index = index,
				      .signal = ZE_EVENT_SCOPE_FLAG_HOST};
	ze_event_handle_t event = NULL;

	return tl_ze_real.zeEventCreate(pool, &desc, &event) == ZE_RESULT_SUCCESS ? event : NULL;
}

static struct ze_pools *context_pool_with_room(struct ze_context *context)
{
	struct ze_pools *pools = context->pools;

	if (pools && pools->used < POOL)
		return pools;
	pools = calloc(1, sizeof(*pools));
	if (!pools)
		return NULL;
	pools->pool = pool_new(
		context, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
		POOL);
	if (!pools->pool) {
		free(pools);
		return NULL;
	}
	pools->next = context->pools;
	context->pools = pools;
	return pools;
}

struct ze_own_event *tl_ze_event_take(struct ze_context *context)
{
	struct ze_own_event *own = context->events;

	if (own) {
		context->events = own->next;
		return own;
	}
	struct ze_pools *pools =
		tl_ze_usable() && !context->gone ? context_pool_with_room(context) : NULL;
	if (!pools)
		return NULL;
	own = &pools->events[pools->used];
	own->event = event_new(pools->pool, pools->used);
	if (!own->event)
		return NULL;
	pools->used++;
	return own;
}

void tl_ze_event_give(struct ze_context *context, struct ze_own_event *own)
{
	own->next = context->events;
	context->events = own;
}

/* Makes both events when the first one is needed. */
static void context_make_plain(struct ze_context *context)
{
	if (!context->plain_pool)
		context->plain_pool = pool_new(context, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 2);
	for (uint32_t i = 0; context->plain_pool && i < 2; i++)
		if (!context->plain[i])
			context->plain[i] = event_new(context->plain_pool, i);
	if (context->plain[1])
		tl_ze_real.zeEventHostSignal(context->plain[1]);
}

ze_event_handle_t tl_ze_plain(struct ze_context *context, bool signalled)
{
	if (!context->plain[1] && tl_ze_usable() && !context->gone)
		context_make_plain(context);
	return context->plain[signalled];
}

/* --- memory that the host and all devices of the context see */

void *tl_ze_memory_take(struct ze_context *context, size_t size)
{
	const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
	void *memory = NULL;

	if (!tl_ze_usable() || context->gone ||
	    tl_ze_real.zeMemAllocHost(context_handle(context), &desc, size, 64, &memory) !=
		    ZE_RESULT_SUCCESS)
		return NULL;
	memset(memory, 0, size);
	return memory;
}

void tl_ze_memory_give(struct ze_context *context, void *memory)
{
	if (memory && tl_ze_usable())
		tl_ze_real.zeMemFree(context_handle(context), memory);
}

static struct ze_slab *context_slab_with_room(struct ze_context *context)
{
	struct ze_slab *slab = context->slabs;

	if (slab && slab->nruns < sizeof(slab->runs) / sizeof(slab->runs[0]))
		return slab;
	slab = calloc(1, sizeof(*slab));
	if (!slab)
		return NULL;
	slab->memory = tl_ze_memory_take(context, SLAB);
	if (!slab->memory) {
		free(slab);
		return NULL;
	}
	slab->next = context->slabs;
	context->slabs = slab;
	return slab;
}

struct ze_run *tl_ze_run_take(struct ze_context *context)
{
	struct ze_run *run = context->runs;

	if (run) {
		context->runs = run->next;
		memset(run->slots, 0, ZE_RUN * sizeof(*run->slots));
		return run;
	}
	struct ze_slab *slab = context_slab_with_room(context);
	if (!slab)
		return NULL;
	run = &slab->runs[slab->nruns];
	run->slots = (struct ze_slot *)slab->memory + (size_t)slab->nruns++ * ZE_RUN;
	return run;
}

void tl_ze_run_give(struct ze_context *context, struct ze_run *run)
{
	run->next = context->runs;
	context->runs = run;
}

struct ze_slot *tl_ze_slot_take(struct ze_context *context)
{
	struct ze_slot *slot = context->single_free;

	if (!slot) {
		struct ze_run *run = tl_ze_run_take(context);
		for (uint32_t i = 0; run && i < ZE_RUN; i++)
			tl_ze_slot_give(context, &run->slots[i]);
		slot = context->single_free;
	}
	if (!slot)
		return NULL;
	context->single_free = (struct ze_slot *)(uintptr_t)slot->start;
	memset(slot, 0, sizeof(*slot));
	return slot;
}

void tl_ze_slot_give(struct ze_context *context, struct ze_slot *slot)
{
	slot->start = (uintptr_t)context->single_free;
	context->single_free = slot;
}

/* --- contexts */

static struct tl_handles contexts;

struct ze_context *tl_ze_context(ze_context_handle_t handle)
{
	struct ze_context *context = (struct ze_context *)tl_handles_find(&contexts, handle);

	if (context || !handle)
		return context;
	context = calloc(1, sizeof(*context));
	if (context) {
		context->handle.key = handle;
		tl_handles_put(&contexts, &context->handle);
	}
	return context;
}

static void context_destroy_events(struct ze_context *context)
{
	struct ze_pools *next;

	for (struct ze_pools *pools = context->pools; pools; pools = next) {
		next = pools->next;
		for (uint32_t i = 0; i < pools->used; i++)
			tl_ze_real.zeEventDestroy(pools->events[i].event);
		tl_ze_real.zeEventPoolDestroy(pools->pool);
		free(pools);
	}
	for (int i = 0; i < 2; i++)
		if (context->plain[i])
			tl_ze_real.zeEventDestroy(context->plain[i]);
	if (context->plain_pool)
		tl_ze_real.zeEventPoolDestroy(context->plain_pool);
}

static void context_destroy_memory(struct ze_context *context)
{
	struct ze_slab *next;

	for (struct ze_slab *slab = context->slabs; slab; slab = next) {
		next = slab->next;
		tl_ze_memory_give(context, slab->memory);
		free(slab);
	}
}

void tl_ze_context_destroy(ze_context_handle_t handle)
{
	struct ze_context *context = (struct ze_context *)tl_handles_take(&contexts, handle);

	if (!context)
		return;
	while (context->recordings)
		tl_ze_recording_orphan(context->recordings);
	while (context->captures) {
		struct ze_capture *capture = context->captures;
		context->captures = capture->next;
		tl_ze_capture_free(context, capture);
	}
	/* Memory that the device may still write to stays. */
	if (tl_ze_usable() && !context->outlived) {
		context_destroy_events(context);
		context_destroy_memory(context);
	}
	*context = (struct ze_context){.handle.key = context->handle.key, .gone = true};
}

void tl_ze_contexts_forget(void)
{
	memset(&contexts, 0, sizeof(contexts));
}

/* The layer's own events and memory in the context are freed before it. */
static void context_destroy_before(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	tl_ze_context_destroy(ZE_PARAM(call, 0, ze_context_handle_t));
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

const struct tl_hook tl_ze_context_hooks[] = {
	{"zeContextDestroy", context_destroy_before, NULL, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};
