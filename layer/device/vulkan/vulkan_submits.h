/* SPDX-License-Identifier: MIT */
/* vulkan_submits.h: the hooks of functions that submit batches of command buffers. */
#ifndef TL_LAYER_DEVICE_VULKAN_VULKAN_SUBMITS_H
#define TL_LAYER_DEVICE_VULKAN_VULKAN_SUBMITS_H

#include "layer/calls/hook.h"

extern const struct tl_hook tl_vk_submit_hooks[];

/* The process ends: prints how many batches have no slice because they got no timestamps, if any. */
void tl_vk_submits_say_missed(void);

#endif
