/* SPDX-License-Identifier: MIT */
/* vulkan_waits.h: the hooks of functions that wait for batches, or find that they have ended. */
#ifndef TL_LAYER_DEVICE_VULKAN_VULKAN_WAITS_H
#define TL_LAYER_DEVICE_VULKAN_VULKAN_WAITS_H

#include "layer/calls/hook.h"

extern const struct tl_hook tl_vk_wait_hooks[];

#endif
