/* SPDX-License-Identifier: MIT */
/* vulkan_submits.h: the hooks of functions that submit batches of command buffers. */
#ifndef TL_LAYER_DEVICE_VULKAN_VULKAN_SUBMITS_H
#define TL_LAYER_DEVICE_VULKAN_VULKAN_SUBMITS_H

#include "layer/calls/hook.h"

extern const struct tl_hook tl_vk_submit_hooks[];

#endif
