/* SPDX-License-Identifier: MIT */
/*
 * vulkan_stamps.c: see vulkan_stamps.h.
 *
 * Stamps are made by blocks. A block has a command pool of its own, since a pool may be used by one
 * thread at a time. Its queries have to be reset by the device before anyone may ask for them: the
 * block's last command buffer does that, and a fence says that it has. Only the order of one queue
 * puts that before the stamps' own commands, so a block belongs to one queue.
 *
 * A command buffer may not be submitted while it is pending, unless it is recorded for that, which
 * makes it slower in some drivers. And that its times are there does not mean that it has ended: only
 * a fence says so. So a block's stamps are used one after the other, each once. When all of their
 * times were read, the block is reset anew. Its fence then also says that what was submitted before
 * has ended, and the block is used again.
 */
#include "layer/device/vulkan/vulkan_stamps.h"

#include <stdlib.h>
#include <string.h>

#define STAMPS	4u    /* of the first block of a queue */
#define MOST	64u   /* of a later one */
#define BLOCKS	1024u /* of a device */
#define BUFFERS (2 * MOST + 1)

struct vk_answer {
	uint64_t time, available;
};

struct vk_block {
	struct vk_block *next;	/* of the device's */
	struct vk_block *later; /* of the queue's used ones */
	void *commands, *queries;
	void *reset, *fence; /* the last command buffer, and that it has reset the queries */
	bool resets;	     /* it is submitted once more, for the next use */
	bool was_reset;	     /* under the device's .looking: the fence was signaled once */
	uint32_t count, taken;
	uint32_t unread; /* under tl_vk_lock: of those taken */
	/* under the device's .looking, while some are unread: what the queries said last */
	struct vk_answer answers[2 * MOST];
	struct vk_stamp stamp[MOST];
};

/* --- making a block */

static bool buffer_record_begin(const struct vk_functions *real, void *buffer)
{
	const struct vk_begin_info info = {.any = {.type = VK_BEGIN_INFO}};

	return real->vkBeginCommandBuffer(buffer, &info) == VK_SUCCESS;
}

static bool stamp_record(const struct vk_functions *real, const struct vk_stamp *stamp)
{
	void *queries = stamp->block->queries;

	if (!buffer_record_begin(real, stamp->begin))
		return false;
	real->vkCmdWriteTimestamp(stamp->begin, VK_STAGE_TOP, queries, stamp->query);
	if (real->vkEndCommandBuffer(stamp->begin) != VK_SUCCESS ||
	    !buffer_record_begin(real, stamp->end))
		return false;
	real->vkCmdWriteTimestamp(stamp->end, VK_STAGE_BOTTOM, queries, stamp->query + 1);
	return real->vkEndCommandBuffer(stamp->end) == VK_SUCCESS;
}

static bool block_record(const struct vk_functions *real, struct vk_block *block, void **buffers)
{
	for (uint32_t i = 0; i < block->count; i++) {
		block->stamp[i] = (struct vk_stamp){.block = block,
						    .begin = buffers[2 * i],
						    .end = buffers[2 * i + 1],
						    .query = 2 * i};
		if (!stamp_record(real, &block->stamp[i]))
			return false;
	}
	block->reset = buffers[2 * block->count];
	if (!buffer_record_begin(real, block->reset))
		return false;
	real->vkCmdResetQueryPool(block->reset, block->queries, 0, 2 * block->count);
	return real->vkEndCommandBuffer(block->reset) == VK_SUCCESS;
}

/* Nobody reads its stamps. */
static bool block_reset(struct vk_block *block, const struct vk_queue *queue)
{
	const struct vk_submit submit = {
		.any = {.type = VK_SUBMIT_INFO}, .count = 1, .buffers = &block->reset};

	memset(block->answers, 0, sizeof(block->answers));
	return queue->device->real.vkQueueSubmit((void *)(uintptr_t)queue->handle.key, 1, &submit,
						 block->fence) == VK_SUCCESS;
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
	return real->vkAllocateCommandBuffers(handle, &wanted, buffers) == VK_SUCCESS &&
	       block_record(real, block, buffers) && block_reset(block, queue);
}

/* NULL: the device has enough, or can't make any. */
static struct vk_block *block_new(struct vk_queue *queue)
{
	struct vk_device *device = queue->device;
	uint32_t blocks = 0;

	pthread_mutex_lock(&tl_vk_lock);
	for (const struct vk_block *it = device->blocks; it; it = it->next)
		blocks++;
	pthread_mutex_unlock(&tl_vk_lock);
	struct vk_block *block = blocks < BLOCKS ? calloc(1, sizeof(*block)) : NULL;
	if (!block)
		return NULL;
	block->count = queue->used ? MOST : STAMPS;
	if (!block_fill(device, block, queue)) {
		block_free(device, block);
		return NULL;
	}
	pthread_mutex_lock(&tl_vk_lock);
	block->next = device->blocks;
	device->blocks = block;
	pthread_mutex_unlock(&tl_vk_lock);
	return block;
}

/* --- using a block again */

static void used_put(struct vk_queue *queue, struct vk_block *block)
{
	struct vk_block **link = &queue->used;

	while (*link)
		link = &(*link)->later;
	block->later = NULL;
	*link = block;
}

static bool block_is_read(const struct vk_block *block)
{
	pthread_mutex_lock(&tl_vk_lock);
	bool is = !block->unread;
	pthread_mutex_unlock(&tl_vk_lock);
	return is;
}

static bool block_is_signaled(const struct vk_block *block, const struct vk_device *device)
{
	void *handle = (void *)(uintptr_t)device->handle.key;

	return device->real.vkGetFenceStatus(handle, block->fence) == VK_SUCCESS;
}

/* All of its times were read: it is to be reset. One is never read if its call was left by longjmp. */
static void block_reset_again(struct vk_block *block, const struct vk_queue *queue)
{
	void *device = (void *)(uintptr_t)queue->device->handle.key;

	block->resets = block_is_read(block) && block_is_signaled(block, queue->device) &&
			queue->device->real.vkResetFences(device, 1, &block->fence) == VK_SUCCESS &&
			block_reset(block, queue);
}

/* Resets used blocks that were read, and takes out one that has been reset. NULL: there is none. */
static struct vk_block *used_take(struct vk_queue *queue)
{
	struct vk_block **link = &queue->used, *block, *taken = NULL;

	while ((block = *link)) {
		if (!taken && block->resets && block_is_signaled(block, queue->device)) {
			taken = block;
			*link = block->later;
			continue;
		}
		if (!block->resets)
			block_reset_again(block, queue);
		link = &block->later;
	}
	if (taken) {
		taken->resets = false;
		taken->taken = 0;
	}
	return taken;
}

/* --- taking and giving back */

/* Lets the queue have a block with a stamp that was not taken. False: it has none. */
static bool queue_open_block(struct vk_queue *queue)
{
	if (queue->open && queue->open->taken == queue->open->count) {
		used_put(queue, queue->open);
		queue->open = NULL;
	}
	if (!queue->open)
		queue->open = used_take(queue);
	if (!queue->open)
		queue->open = block_new(queue);
	return queue->open;
}

struct vk_stamp *tl_vk_stamp_take(struct vk_queue *queue)
{
	if (!queue_open_block(queue))
		return NULL;
	pthread_mutex_lock(&tl_vk_lock);
	queue->open->unread++;
	pthread_mutex_unlock(&tl_vk_lock);
	return &queue->open->stamp[queue->open->taken++];
}

void tl_vk_stamp_give_back(const struct vk_stamp *stamp)
{
	pthread_mutex_lock(&tl_vk_lock);
	stamp->block->unread--;
	pthread_mutex_unlock(&tl_vk_lock);
}

/* --- reading */

/* VK_STAMP_READ: the device has reset its queries. */
static enum vk_stamp_state block_is_reset(const struct vk_device *device, struct vk_block *block)
{
	void *handle = (void *)(uintptr_t)device->handle.key;
	int result =
		block->was_reset ? VK_SUCCESS : device->real.vkGetFenceStatus(handle, block->fence);

	if (result != VK_SUCCESS)
		return result == VK_DEVICE_LOST ? VK_STAMP_LOST : VK_STAMP_WAITS;
	block->was_reset = true;
	return VK_STAMP_READ;
}

static bool stamp_is_answered(const struct vk_stamp *stamp)
{
	const struct vk_answer *answers = &stamp->block->answers[stamp->query];

	return answers[0].available && answers[1].available;
}

/* Asks for this stamp's times and those of the next ones. False: the device is lost. */
static bool stamps_ask(const struct vk_device *device, const struct vk_stamp *stamp,
		       uint32_t stamps)
{
	void *handle = (void *)(uintptr_t)device->handle.key;
	struct vk_block *block = stamp->block;
	uint32_t first = stamp->query, count = 2 * block->count - first;

	if (stamps < count / 2)
		count = 2 * stamps;
	return device->real.vkGetQueryPoolResults(
		       handle, block->queries, first, count, count * sizeof(block->answers[0]),
		       &block->answers[first], sizeof(block->answers[0]),
		       VK_RESULTS_64_BIT | VK_RESULTS_AVAILABLE) != VK_DEVICE_LOST;
}

enum vk_stamp_state tl_vk_stamp_read(const struct vk_device *device, const struct vk_stamp *stamp,
				     uint32_t stamps, uint64_t times[2])
{
	enum vk_stamp_state reset = block_is_reset(device, stamp->block);

	if (reset != VK_STAMP_READ)
		return reset;
	if (!stamp_is_answered(stamp) && !stamps_ask(device, stamp, stamps))
		return VK_STAMP_LOST;
	if (!stamp_is_answered(stamp))
		return VK_STAMP_WAITS;
	for (uint32_t i = 0; i < 2; i++)
		times[i] = stamp->block->answers[stamp->query + i].time;
	return VK_STAMP_READ;
}

void tl_vk_stamps_destroy(struct vk_device *device)
{
	struct vk_block *block, *next;

	pthread_mutex_lock(&tl_vk_lock);
	block = device->blocks;
	device->blocks = NULL;
	for (struct vk_queue *queue = device->queues; queue; queue = queue->next)
		queue->open = queue->used = NULL;
	pthread_mutex_unlock(&tl_vk_lock);
	for (; block; block = next) {
		next = block->next;
		block_free(device, block);
	}
}
