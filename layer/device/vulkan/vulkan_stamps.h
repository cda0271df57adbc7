/* SPDX-License-Identifier: MIT */
/*
 * vulkan_stamps.h: the layer's own command buffers. A stamp is a pair of them: the first one writes
 * the time at which a batch begins, the second one that at which it has ended. A stamp is used by
 * one batch at a time, and again once its times were read and the device is done with it.
 */
#ifndef TL_LAYER_DEVICE_VULKAN_VULKAN_STAMPS_H
#define TL_LAYER_DEVICE_VULKAN_VULKAN_STAMPS_H

#include "layer/device/vulkan/vulkan_devices.h"

struct vk_stamp {
	struct vk_block *block;
	void *begin, *end; /* command buffers */
	uint32_t query;	   /* the first of the two, in the block's pool */
};

/*
 * A stamp for a queue's next batch. For that, may submit command buffers of the layer to the queue:
 * at first, and then for every 64 batches. They are in front of the call's own batches, so a program
 * that has waited for these leaves none pending. In a hook of a call that submits to the queue: not
 * under the lock. NULL: there is none.
 */
struct vk_stamp *tl_vk_stamp_take(struct vk_queue *queue);

/* Its times were read, or it was not submitted. Takes the lock. */
void tl_vk_stamp_give_back(const struct vk_stamp *stamp);

enum vk_stamp_state { VK_STAMP_WAITS, VK_STAMP_READ, VK_STAMP_LOST };

/*
 * Under .looking. Some drivers wait for the device here, each time. So if the times are not known
 * yet, those of so many stamps are asked for at once: of this one, and of the next ones of its block.
 */
enum vk_stamp_state tl_vk_stamp_read(const struct vk_device *device, const struct vk_stamp *stamp,
				     uint32_t stamps, uint64_t times[2]);

/* Before the device is destroyed: all stamps are gone. */
void tl_vk_stamps_destroy(struct vk_device *device);

#endif
