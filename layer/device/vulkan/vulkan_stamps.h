/* SPDX-License-Identifier: MIT */
/*
 * vulkan_stamps.h: the layer's own command buffers. A stamp is a pair of them: the first one writes
 * the time at which a batch begins, the second one that at which it has ended. A stamp is used by
 * one batch at a time, and again once its times were read.
 */
#ifndef TL_LAYER_DEVICE_VULKAN_VULKAN_STAMPS_H
#define TL_LAYER_DEVICE_VULKAN_VULKAN_STAMPS_H

#include "layer/device/vulkan/vulkan_devices.h"

struct vk_stamp {
	struct vk_stamp *next;
	struct vk_block *block;
	void *begin, *end; /* command buffers */
	uint32_t query;	   /* the first of the two, in the block's pool */
	struct vk_queue *queue;
	uint64_t was[2]; /* the last times that its queries had */
};

/*
 * A stamp for a queue's next batch. Where there is no spare one, makes some, for which it submits a
 * command buffer of the layer to the queue. In a hook of a call that submits to the queue: not under
 * the lock. NULL: there is none.
 */
struct vk_stamp *tl_vk_stamp_take(struct vk_queue *queue);

/* Takes the lock. */
void tl_vk_stamp_give_back(struct vk_stamp *stamp);

enum vk_stamp_state { VK_STAMP_WAITS, VK_STAMP_READ, VK_STAMP_LOST };

/*
 * Under .looking. Some drivers wait for the device here. `ended`: the program knows that the stamp's
 * batch has ended.
 */
enum vk_stamp_state tl_vk_stamp_read(const struct vk_device *device, struct vk_stamp *stamp,
				     bool ended, uint64_t times[2]);

/* Before the device is destroyed: all stamps are gone. */
void tl_vk_stamps_destroy(struct vk_device *device);

#endif
