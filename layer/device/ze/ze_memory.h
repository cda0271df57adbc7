/* SPDX-License-Identifier: MIT */
/* ze_memory.h: how much memory the program has on each device. With tl_ze_lock held. */
#ifndef TL_LAYER_DEVICE_ZE_ZE_MEMORY_H
#define TL_LAYER_DEVICE_ZE_ZE_MEMORY_H

#include "layer/calls/hook.h"

void tl_ze_memory_forget(void);

extern const struct tl_hook tl_ze_memory_hooks[];

#endif
