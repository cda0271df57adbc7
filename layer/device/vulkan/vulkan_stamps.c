/* SPDX-License-Identifier: MIT */
/*
 * vulkan_stamps.c: see vulkan_stamps.h.
 *
 * Stamps are made by blocks. A block has a command pool of its own, since a pool may be used by one
 * thread at a time. Its queries have to be reset by the device before anyone may ask for them: the
 * block's last command buffer does that, and a fence says that it has. Only the order of one queue
 * puts that before the stamps' own commands, so a block belongs to one queue.
 *
 * The first command buffer of a stamp resets its two queries. Until the device has come to that, the
 * queries have the times of the stamp's last batch, which .was tells apart; unless the program knows
 * that the batch has ended.
 *
 * That its times are there does not mean that a command buffer is no longer pending, as only a fence
 * or a semaphore of its batch says that. So they are recorded for simultaneous use.
 */
#include "layer/device/vulkan/vulkan_stamps.h"

#include <stdlib.h>

#define STAMPS	4u    /* of the first block of a queue */
#define MOST	64u   /* of a later one */
#define BLOCKS	1024u /* of a device */
#define BUFFERS (2 * MOST + 1)

struct vk_block {
	struct vk_block *next;
	void *commands, *queries, *fence;
	bool reset; /* under the device's .looking: the device has reset the queries */
	uint32_t count;
	struct vk_stamp stamp[MOST];
};

/* --- making a block */

static bool buffer_record_begin(const struct vk_functions *real, void *buffer)
{
	const struct vk_begin_info info = {.any = {.type = VK_BEGIN_INFO},
					   .flags = VK_SIMULTANEOUS_USE};

	return real->vkBeginCommandBuffer(buffer, &info) == VK_SUCCESS;
}

static bool stamp_record(const struct vk_functions *real, const struct vk_stamp *stamp)
{
	void *queries = stamp->block->queries;

	if (!buffer_record_begin(real, stamp->begin))
		return false;
	real->vkCmdResetQueryPool(stamp->begin, queries, stamp->query, 2);
	real->vkCmdWriteTimestamp(stamp->begin, VK_STAGE_TOP, queries, stamp->query);
	if (real->vkEndCommandBuffer(stamp->begin) != VK_SUCCESS ||
	    !buffer_record_begin(real, stamp->end))
		return false;
	real->vkCmdWriteTimestamp(stamp->end, VK_STAGE_BOTTOM, queries, stamp->query + 1);
	return real->vkEndCommandBuffer(stamp->end) == VK_SUCCESS;
}

static bool block_record(const struct vk_functions *real, struct vk_block *block, void **buffers,
			 struct vk_queue *queue)
{
	for (uint32_t i = 0; i < block->count; i++) {
		block->stamp[i] = (struct vk_stamp){.block = block,
						    .begin = buffers[2 * i],
						    .end = buffers[2 * i + 1],
						    .query = 2 * i,
						    .queue = queue};
		if (!stamp_record(real, &block->stamp[i]))
			return false;
	}
	void *reset = buffers[2 * block->count];
	if (!buffer_record_begin(real, reset))
		return false;
	real->vkCmdResetQueryPool(reset, block->queries, 0, 2 * block->count);
	return real->vkEndCommandBuffer(reset) == VK_SUCCESS;
}

static void block_free(struct vk_device *device, struct vk_block *block)
{
	void *handle = (void *)(uintptr_t)device->handle.key;

	if (block->fence)
		device->real.vkDestroyFence(handle, block->fence, NULL);
	if (block->queries)
		device->real.vkDestroyQueryPool(handle, block->queries, NULL);
	/* With its command buffers. */
	if (block->commands)
		device->real.vkDestroyCommandPool(handle, block->commands, NULL);
	free(block);
}

/* The device's objects of a block, and what its command buffers do. */
static bool block_fill(struct vk_device *device, struct vk_block *block, struct vk_queue *queue)
{
	const struct vk_functions *real = &device->real;
	void *handle = (void *)(uintptr_t)device->handle.key, *buffers[BUFFERS];
	const struct vk_command_pool_info pool = {.any = {.type = VK_COMMAND_POOL_INFO},
						  .family = queue->family};
	const struct vk_query_pool_info queries = {.any = {.type = VK_QUERY_POOL_INFO},
						   .type = VK_TIMESTAMPS,
						   .count = 2 * block->count};
	const struct vk_fence_info fence = {.any = {.type = VK_FENCE_INFO}};

	if (real->vkCreateCommandPool(handle, &pool, NULL, &block->commands) != VK_SUCCESS ||
	    real->vkCreateQueryPool(handle, &queries, NULL, &block->queries) != VK_SUCCESS ||
	    real->vkCreateFence(handle, &fence, NULL, &block->fence) != VK_SUCCESS)
		return false;
	const struct vk_command_buffers_info wanted = {.any = {.type = VK_COMMAND_BUFFERS_INFO},
						       .pool = block->commands,
						       .count = 2 * block->count + 1};
	if (real->vkAllocateCommandBuffers(handle, &wanted, buffers) != VK_SUCCESS ||
	    !block_record(real, block, buffers, queue))
		return false;
	const struct vk_submit submit = {
		.any = {.type = VK_SUBMIT_INFO}, .count = 1, .buffers = &buffers[2 * block->count]};
	void *submitted = (void *)(uintptr_t)queue->handle.key;

	return real->vkQueueSubmit(submitted, 1, &submit, block->fence) == VK_SUCCESS;
}

/* NULL: the device has enough, or can't make any. */
static struct vk_block *block_new(struct vk_queue *queue)
{
	struct vk_device *device = queue->device;
	uint32_t blocks = 0, stamps = STAMPS;

	pthread_mutex_lock(&tl_vk_lock);
	for (const struct vk_block *it = device->blocks; it; it = it->next, blocks++)
		if (it->stamp[0].queue == queue)
			stamps = MOST;
	pthread_mutex_unlock(&tl_vk_lock);
	struct vk_block *block = blocks < BLOCKS ? calloc(1, sizeof(*block)) : NULL;
	if (!block)
		return NULL;
	block->count = stamps;
	if (block_fill(device, block, queue))
		return block;
	block_free(device, block);
	return NULL;
}

/* --- taking and giving back */

/* Under the lock. */
static struct vk_stamp *spare_take(struct vk_queue *queue)
{
	struct vk_stamp *stamp = queue->spare;

	if (stamp)
		queue->spare = stamp->next;
	return stamp;
}

struct vk_stamp *tl_vk_stamp_take(struct vk_queue *queue)
{
	struct vk_device *device = queue->device;

	pthread_mutex_lock(&tl_vk_lock);
	struct vk_stamp *stamp = spare_take(queue);
	pthread_mutex_unlock(&tl_vk_lock);
	struct vk_block *block = stamp ? NULL : block_new(queue);
	if (!block)
		return stamp;
	pthread_mutex_lock(&tl_vk_lock);
	block->next = device->blocks;
	device->blocks = block;
	for (uint32_t i = 0; i < block->count; i++) {
		block->stamp[i].next = queue->spare;
		queue->spare = &block->stamp[i];
	}
	stamp = spare_take(queue);
	pthread_mutex_unlock(&tl_vk_lock);
	return stamp;
}

void tl_vk_stamp_give_back(struct vk_stamp *stamp)
{
	pthread_mutex_lock(&tl_vk_lock);
	stamp->next = stamp->queue->spare;
	stamp->queue->spare = stamp;
	pthread_mutex_unlock(&tl_vk_lock);
}

/* --- reading */

/* VK_STAMP_READ: it is. */
static enum vk_stamp_state block_is_reset(const struct vk_device *device, struct vk_block *block)
{
	void *handle = (void *)(uintptr_t)device->handle.key;
	int result =
		block->reset ? VK_SUCCESS : device->real.vkGetFenceStatus(handle, block->fence);

	if (result != VK_SUCCESS)
		return result == VK_DEVICE_LOST ? VK_STAMP_LOST : VK_STAMP_WAITS;
	block->reset = true;
	return VK_STAMP_READ;
}

enum vk_stamp_state tl_vk_stamp_read(const struct vk_device *device, struct vk_stamp *stamp,
				     bool ended, uint64_t times[2])
{
	void *handle = (void *)(uintptr_t)device->handle.key;
	struct {
		uint64_t time, available;
	} answers[2] = {{0, 0}, {0, 0}};

	enum vk_stamp_state reset = block_is_reset(device, stamp->block);
	if (reset != VK_STAMP_READ)
		return reset;
	int result = device->real.vkGetQueryPoolResults(
		handle, stamp->block->queries, stamp->query, 2, sizeof(answers), answers,
		sizeof(answers[0]), VK_RESULTS_64_BIT | VK_RESULTS_AVAILABLE);
	if (result == VK_DEVICE_LOST)
		return VK_STAMP_LOST;
	if (!answers[0].available || !answers[1].available)
		return VK_STAMP_WAITS;
	/* The device may reset and write them while the driver reads one after the other. */
	if (!ended && (answers[0].time == stamp->was[0] || answers[1].time == stamp->was[1]))
		return VK_STAMP_WAITS;
	stamp->was[0] = answers[0].time;
	stamp->was[1] = answers[1].time;
	times[0] = answers[0].time;
	times[1] = answers[1].time;
	return VK_STAMP_READ;
}

void tl_vk_stamps_destroy(struct vk_device *device)
{
	struct vk_block *block, *next;

	pthread_mutex_lock(&tl_vk_lock);
	block = device->blocks;
	device->blocks = NULL;
	for (struct vk_queue *queue = device->queues; queue; queue = queue->next)
		queue->spare = NULL;
	pthread_mutex_unlock(&tl_vk_lock);
	for (; block; block = next) {
		next = block->next;
		block_free(device, block);
	}
}
