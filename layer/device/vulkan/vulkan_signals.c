/* SPDX-License-Identifier: MIT */
/*
 * vulkan_signals.c: see vulkan_signals.h.
 */
#include "layer/device/vulkan/vulkan_signals.h"

#include <stdlib.h>

struct vk_signal {
	struct vk_signal *next, *previous;
	const void *handle;
	uint64_t value;
	uint64_t number; /* of the last batch before it; those in a list ascend */
};

static struct vk_signal *spare;

static struct vk_signal *signal_take_spare(void)
{
	struct vk_signal *signal = spare;

	if (signal)
		spare = signal->next;
	return signal ? signal : malloc(sizeof(*signal));
}

static void signal_remove(struct vk_queue *queue, struct vk_signal *signal)
{
	*(signal->previous ? &signal->previous->next : &queue->signals) = signal->next;
	*(signal->next ? &signal->next->previous : &queue->last_signal) = signal->previous;
	signal->next = spare;
	spare = signal;
}

/* It is the fence's (the value is 0), or one of the semaphore's up to that value. */
static bool signal_is_within(const struct vk_signal *signal, const void *handle, uint64_t value)
{
	return signal->handle == handle && signal->value <= value && !signal->value == !value;
}

/*
 * There is a signal of the handle behind the queue's last batch already. Its value is the lower one,
 * so it says as much as another would.
 */
static bool queue_has_signal(const struct vk_queue *queue, const void *handle, uint64_t value)
{
	const struct vk_signal *signal = queue->last_signal;

	while (signal && signal->number == queue->number &&
	       !signal_is_within(signal, handle, value))
		signal = signal->previous;
	return signal && signal->number == queue->number;
}

void tl_vk_signal_add(struct vk_queue *queue, const void *handle, uint64_t value)
{
	/* Without a batch there is nothing to learn from it. */
	if (!handle || !queue->first || queue_has_signal(queue, handle, value))
		return;
	struct vk_signal *signal = signal_take_spare();
	if (!signal)
		return;
	*signal = (struct vk_signal){.previous = queue->last_signal,
				     .handle = handle,
				     .value = value,
				     .number = queue->number};
	*(signal->previous ? &signal->previous->next : &queue->signals) = signal;
	queue->last_signal = signal;
}

uint64_t tl_vk_signal_number(const struct vk_queue *queue, const void *handle, uint64_t value)
{
	const struct vk_signal *signal = queue->last_signal;

	while (signal && !signal_is_within(signal, handle, value))
		signal = signal->previous;
	return signal ? signal->number : 0;
}

void tl_vk_signals_forget(const struct vk_device *device, const void *handle)
{
	struct vk_signal *signal, *next;

	for (struct vk_queue *queue = device->queues; queue; queue = queue->next)
		for (signal = queue->signals; signal; signal = next) {
			next = signal->next;
			if (signal->handle == handle)
				signal_remove(queue, signal);
		}
}

void tl_vk_signals_drop(struct vk_queue *queue)
{
	while (queue->signals && (!queue->first || queue->signals->number < queue->first->number))
		signal_remove(queue, queue->signals);
}

void tl_vk_signals_after_fork(void)
{
	spare = NULL;
}
