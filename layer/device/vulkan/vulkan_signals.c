/* SPDX-License-Identifier: MIT */
/*
 * vulkan_signals.c: see vulkan_signals.h.
 */
#include "layer/device/vulkan/vulkan_signals.h"

#include <stdlib.h>

struct vk_signal {
	struct vk_signal *next;
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

/* Takes the link's signal out. */
static void link_remove(struct vk_queue *queue, struct vk_signal **link)
{
	struct vk_signal *signal = *link;

	*link = signal->next;
	if (!*link)
		queue->last_signal = link;
	signal->next = spare;
	spare = signal;
}

void tl_vk_signal_add(struct vk_queue *queue, const void *handle, uint64_t value)
{
	/* Without a batch there is nothing to learn from it. */
	struct vk_signal *signal = handle && queue->first ? signal_take_spare() : NULL;

	if (!signal)
		return;
	*signal = (struct vk_signal){.handle = handle, .value = value, .number = queue->number};
	*queue->last_signal = signal;
	queue->last_signal = &signal->next;
}

uint64_t tl_vk_signal_number(const struct vk_queue *queue, const void *handle, uint64_t value)
{
	uint64_t number = 0;

	for (const struct vk_signal *signal = queue->signals; signal; signal = signal->next)
		if (signal->handle == handle && signal->value <= value)
			number = signal->number;
	return number;
}

void tl_vk_signals_forget(const struct vk_device *device, const void *handle)
{
	for (struct vk_queue *queue = device->queues; queue; queue = queue->next)
		for (struct vk_signal **link = &queue->signals; *link;)
			if ((*link)->handle == handle)
				link_remove(queue, link);
			else
				link = &(*link)->next;
}

void tl_vk_signals_drop(struct vk_queue *queue)
{
	while (queue->signals && (!queue->first || queue->signals->number < queue->first->number))
		link_remove(queue, &queue->signals);
}

void tl_vk_signals_after_fork(void)
{
	spare = NULL;
}
