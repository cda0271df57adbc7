/* SPDX-License-Identifier: MIT */
/*
 * ze_queues.c: see ze_queues.h.
 */
#include "layer/device/ze/ze_queues.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/ze/ze_collect.h"
#include "layer/device/ze/ze_driver_functions.h"
#include "layer/device/ze/ze_executions.h"
#include "layer/device/ze/ze_objects.h"

static struct tl_handles queues, fences;
static struct ze_queue *all_queues;

void tl_ze_queue_open(struct ze_queue *queue, struct ze_device *device, uint32_t group,
		      uint32_t index, ze_command_queue_mode_t mode)
{
	queue->device = device;
	queue->lanes = tl_ze_engine(device, group, index);
	queue->synchronous = mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
	queue->last = &queue->first;
	queue->next = all_queues;
	queue->link = &all_queues;
	if (queue->next)
		queue->next->link = &queue->next;
	all_queues = queue;
}

void tl_ze_queue_close(struct ze_queue *queue)
{
	for (struct ze_execution *execution = queue->first; execution; execution = execution->next)
		execution->submitted = true;
	tl_ze_collect(queue);
	tl_ze_give_up(queue);
	*queue->link = queue->next;
	if (queue->next)
		queue->next->link = queue->link;
}

struct ze_queue *tl_ze_queues(void)
{
	return all_queues;
}

struct ze_queue *tl_ze_queue_find(ze_command_queue_handle_t handle)
{
	return (struct ze_queue *)tl_handles_find(&queues, handle);
}

static void queue_create_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const ze_command_queue_desc_t *desc = ZE_PARAM(call, 2, const ze_command_queue_desc_t *);

	if (tl_ze_call_failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_device *device = tl_ze_device(ZE_PARAM(call, 1, ze_device_handle_t));
	struct ze_queue *queue =
		device ? tl_ze_object_new(&queues, *ZE_PARAM(call, 3, void **), sizeof(*queue))
		       : NULL;
	if (queue)
		tl_ze_queue_open(queue, device, desc->ordinal, desc->index, desc->mode);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void queue_destroy_before(struct tl_call *call, void *state)
{
	struct ze_taken *taken = state;

	pthread_mutex_lock(&tl_ze_lock);
	taken->object = tl_handles_take(&queues, ZE_PARAM(call, 0, void *));
	if (taken->object)
		tl_ze_collect((struct ze_queue *)taken->object);
	pthread_mutex_unlock(&tl_ze_lock);
}

static void queue_destroy_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct ze_taken *taken = state;

	if (!taken->object)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	if (tl_ze_call_failed(result, unwound)) {
		tl_handles_put(&queues, taken->object);
	} else {
		tl_ze_queue_close((struct ze_queue *)taken->object);
		free(taken->object);
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)call;
}

/* --- fences */

struct ze_fence *tl_ze_fence_find(ze_fence_handle_t handle)
{
	return (struct ze_fence *)tl_handles_find(&fences, handle);
}

static void fence_create_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	if (tl_ze_call_failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_fence *fence =
		tl_ze_object_new(&fences, *ZE_PARAM(call, 2, void **), sizeof(*fence));
	if (fence)
		fence->queue = ZE_PARAM(call, 0, ze_command_queue_handle_t);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void fence_destroy_before(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	free(tl_handles_take(&fences, ZE_PARAM(call, 0, void *)));
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

const struct tl_hook tl_ze_queue_hooks[] = {
	{"zeCommandQueueCreate", NULL, queue_create_after, TL_HOOK_PLAIN},
	{"zeCommandQueueDestroy", queue_destroy_before, queue_destroy_after, TL_HOOK_PLAIN},
	{"zeFenceCreate", NULL, fence_create_after, TL_HOOK_PLAIN},
	{"zeFenceDestroy", fence_destroy_before, NULL, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

void tl_ze_queues_forget(void)
{
	memset(&queues, 0, sizeof(queues));
	memset(&fences, 0, sizeof(fences));
	all_queues = NULL;
}
