/* SPDX-License-Identifier: MIT */
/*
 * vulkan_collect.h: reports batches that have ended. That is found out when a call of the program
 * has waited for them, when many are left, and when their device or the process ends; in the
 * background, as a rule.
 */
#ifndef TL_LAYER_DEVICE_VULKAN_VULKAN_COLLECT_H
#define TL_LAYER_DEVICE_VULKAN_VULKAN_COLLECT_H

#include "layer/device/device_api.h"
#include "layer/device/vulkan/vulkan_devices.h"

/* In a hook, without the lock: a batch was submitted to the queue. */
void tl_vk_collect_meanwhile(const struct vk_queue *queue);

/*
 * In the hook of a call that has waited: for all of a queue's batches, for all of a device, or for
 * those before a signal of their queue. The signal is a fence (the value is 0), or a semaphore that
 * has at least this value.
 */
void tl_vk_collect_waited_queue(struct vk_queue *queue, const struct tl_device_call *call);
void tl_vk_collect_waited_device(struct vk_device *device, const struct tl_device_call *call);
void tl_vk_collect_waited_signal(struct vk_device *device, const void *handle, uint64_t value,
				 const struct tl_device_call *call);

/*
 * Before the device is destroyed: report all of its batches. What its timestamps do not say is
 * reported without them. Under .looking.
 */
void tl_vk_collect_last(struct vk_device *device);

/* For device_api.h. */
enum tl_device_left tl_vk_collect_some(void);
bool tl_vk_awaits(void);
/* The process ends: before exit handlers of drivers, and after them. */
void tl_vk_collect_await(uint64_t deadline);
void tl_vk_collect_end(uint64_t deadline);
void tl_vk_collect_give_up(uint64_t deadline);

#endif
