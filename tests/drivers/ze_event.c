/* SPDX-License-Identifier: MIT */
/*
 * Events, their pools and fences. An event lives in its pool's array; it is free there while its
 * pool pointer is NULL.
 */
#include "ze_device.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the queues do with events */

bool event_is_signaled(ze_event_handle_t event)
{
	return atomic_load_explicit(&event->signaled, memory_order_acquire);
}

void event_signal(ze_event_handle_t event, struct stamp start, struct stamp end)
{
	pthread_mutex_lock(&device_lock);
	event->start = start;
	event->end = end;
	atomic_store_explicit(&event->signaled, 1, memory_order_release);
	pthread_cond_broadcast(&device_changed);
	pthread_mutex_unlock(&device_lock);
}

void event_reset(ze_event_handle_t event)
{
	pthread_mutex_lock(&device_lock);
	atomic_store_explicit(&event->signaled, 0, memory_order_release);
	pthread_mutex_unlock(&device_lock);
}

void event_submitted(struct command *command, bool alone)
{
	ze_event_handle_t event = command->signal;

	if (!event || !event->pool->counts)
		return;
	pthread_mutex_lock(&device_lock);
	atomic_store_explicit(&event->signaled, 0, memory_order_release);
	event->turn += alone;
	command->turn = event->turn;
	pthread_mutex_unlock(&device_lock);
}

/* A counting event that already stands for a later command belongs to that command. */
void event_signal_by(struct command *command, struct stamp start, struct stamp end)
{
	pthread_mutex_lock(&device_lock);
	bool is_its = command->turn == command->signal->turn;
	pthread_mutex_unlock(&device_lock);
	if (is_its)
		event_signal(command->signal, start, end);
}

/* Events without timestamps report none. */
ze_kernel_timestamp_result_t event_timestamps(ze_event_handle_t event)
{
	ze_kernel_timestamp_result_t result = {.global = {0, 0}};

	if (!event->pool || !event->pool->timestamps)
		return result;
	pthread_mutex_lock(&device_lock);
	result.global.kernelStart = clock_wrap(event->start.ticks, clock_kernel_bits);
	result.global.kernelEnd = clock_wrap(event->end.ticks, clock_kernel_bits);
	pthread_mutex_unlock(&device_lock);
	result.context = result.global;
	return result;
}

/* ---- pools */

/* What 1.4's headers lack: ZE_EVENT_POOL_FLAG_KERNEL_MAPPED_TIMESTAMP, and the type of
 * ze_event_pool_counter_based_exp_desc_t. */
#define POOL_MAPPED 8u
#define POOL_COUNTS 0x00020014u

static bool has_counters(const ze_base_desc_t *next)
{
	while (next && (uint32_t)next->stype != POOL_COUNTS)
		next = next->pNext;
	return next;
}

ze_result_t zeEventPoolCreate(ze_context_handle_t context, const ze_event_pool_desc_t *desc,
			      uint32_t device_count, ze_device_handle_t *devices,
			      ze_event_pool_handle_t *pool)
{
	ENTER(zeEventPoolCreate);
	NEED_HANDLE(context);
	NEED_POINTER(desc && pool);
	if (desc->count == 0 || (device_count && !devices))
		return ZE_RESULT_ERROR_INVALID_SIZE;
	*pool = calloc(1, sizeof(**pool) + desc->count * sizeof((*pool)->events[0]));
	if (!*pool)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	(*pool)->count = desc->count;
	(*pool)->flags = desc->flags;
	(*pool)->timestamps = desc->flags & (ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | POOL_MAPPED);
	(*pool)->counts = has_counters(desc->pNext);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventPoolDestroy(ze_event_pool_handle_t pool)
{
	ENTER(zeEventPoolDestroy);
	NEED_HANDLE(pool);
	free(pool);
	return ZE_RESULT_SUCCESS;
}

/* ---- events */

ze_result_t zeEventCreate(ze_event_pool_handle_t pool, const ze_event_desc_t *desc,
			  ze_event_handle_t *created)
{
	ze_result_t result = ZE_RESULT_ERROR_INVALID_ARGUMENT;

	ENTER(zeEventCreate);
	NEED_HANDLE(pool);
	NEED_POINTER(desc && created);
	if (desc->index >= pool->count)
		return result;
	ze_event_handle_t event = &pool->events[desc->index];
	pthread_mutex_lock(&device_lock);
	if (!event->pool) {
		event->pool = pool;
		event->index = desc->index;
		event->start = event->end = (struct stamp){0};
		atomic_store_explicit(&event->signaled, 0, memory_order_release);
		*created = event;
		result = ZE_RESULT_SUCCESS;
	}
	pthread_mutex_unlock(&device_lock);
	return result;
}

ze_result_t zeEventDestroy(ze_event_handle_t event)
{
	ENTER(zeEventDestroy);
	NEED_HANDLE(event);
	pthread_mutex_lock(&device_lock);
	ze_event_pool_handle_t pool = event->pool;
	event->pool = NULL;
	pthread_mutex_unlock(&device_lock);
	if (pool && pool->single)
		free(pool);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventHostSignal(ze_event_handle_t event)
{
	struct stamp now;

	ENTER(zeEventHostSignal);
	NEED_HANDLE(event);
	now = clock_now(&the_driver.devices[0]);
	if (clock_steady)
		now.ticks = 77;
	event_signal(event, now, now);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventHostReset(ze_event_handle_t event)
{
	ENTER(zeEventHostReset);
	NEED_HANDLE(event);
	event_reset(event);
	return ZE_RESULT_SUCCESS;
}

/* The function that benchmarks call: no lock. */
ze_result_t zeEventQueryStatus(ze_event_handle_t event)
{
	ENTER(zeEventQueryStatus);
	NEED_HANDLE(event);
	return event_is_signaled(event) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

static bool event_done(void *event)
{
	return event_is_signaled(event);
}

ze_result_t zeEventHostSynchronize(ze_event_handle_t event, uint64_t timeout)
{
	ENTER(zeEventHostSynchronize);
	NEED_HANDLE(event);
	pthread_mutex_lock(&device_lock);
	ze_result_t result = device_wait(NULL, event_done, event, timeout);
	pthread_mutex_unlock(&device_lock);
	return result;
}

ze_result_t zeEventQueryKernelTimestamp(ze_event_handle_t event,
					ze_kernel_timestamp_result_t *result)
{
	ENTER(zeEventQueryKernelTimestamp);
	NEED_HANDLE(event);
	NEED_POINTER(result);
	if (!event->pool->timestamps)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	if (!event_is_signaled(event))
		return ZE_RESULT_NOT_READY;
	*result = event_timestamps(event);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventQueryTimestampsExp(ze_event_handle_t event, ze_device_handle_t device,
				      uint32_t *count, ze_kernel_timestamp_result_t *results)
{
	ENTER(zeEventQueryTimestampsExp);
	NEED_HANDLE(event && device);
	NEED_POINTER(count);
	if (!event->pool->timestamps)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	if (!event_is_signaled(event))
		return ZE_RESULT_NOT_READY;
	if (device_list_count(count, results, 1))
		results[0] = event_timestamps(event);
	return ZE_RESULT_SUCCESS;
}

/* ---- fences */

ze_result_t zeFenceCreate(ze_command_queue_handle_t queue, const ze_fence_desc_t *desc,
			  ze_fence_handle_t *fence)
{
	ENTER(zeFenceCreate);
	NEED_HANDLE(queue);
	NEED_POINTER(desc && fence);
	*fence = calloc(1, sizeof(**fence));
	if (!*fence)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	(*fence)->queue = &queue->queue;
	(*fence)->signaled = desc->flags & ZE_FENCE_FLAG_SIGNALED;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeFenceDestroy(ze_fence_handle_t fence)
{
	ENTER(zeFenceDestroy);
	NEED_HANDLE(fence);
	free(fence);
	return ZE_RESULT_SUCCESS;
}

static bool fence_done(void *fence)
{
	return ((ze_fence_handle_t)fence)->signaled;
}

static ze_result_t fence_wait(ze_fence_handle_t fence, uint64_t timeout)
{
	pthread_mutex_lock(&device_lock);
	ze_result_t result = device_wait(fence->queue->device, fence_done, fence, timeout);
	pthread_mutex_unlock(&device_lock);
	return result;
}

ze_result_t zeFenceHostSynchronize(ze_fence_handle_t fence, uint64_t timeout)
{
	ENTER(zeFenceHostSynchronize);
	NEED_HANDLE(fence);
	return fence_wait(fence, timeout);
}

ze_result_t zeFenceQueryStatus(ze_fence_handle_t fence)
{
	ENTER(zeFenceQueryStatus);
	NEED_HANDLE(fence);
	return fence_wait(fence, 0);
}

ze_result_t zeFenceReset(ze_fence_handle_t fence)
{
	ENTER(zeFenceReset);
	NEED_HANDLE(fence);
	pthread_mutex_lock(&device_lock);
	fence->signaled = false;
	pthread_mutex_unlock(&device_lock);
	return ZE_RESULT_SUCCESS;
}
