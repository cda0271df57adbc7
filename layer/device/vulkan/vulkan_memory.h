/* SPDX-License-Identifier: MIT */
/* vulkan_memory.h: the memory that a program has allocated on a device, for the device's counter. */
#ifndef TL_LAYER_DEVICE_VULKAN_VULKAN_MEMORY_H
#define TL_LAYER_DEVICE_VULKAN_VULKAN_MEMORY_H

#include "layer/calls/hook.h"
#include "layer/device/vulkan/vulkan_devices.h"

/* Under tl_vk_lock: the device goes, and what it has allocated with it. */
void tl_vk_memory_drop(struct vk_device *device);

extern const struct tl_hook tl_vk_memory_hooks[];

#endif
