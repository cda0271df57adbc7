/* SPDX-License-Identifier: MIT */
/* ze_execute_hooks.h: hooks around functions that execute regular lists, or wait for queues. */
#ifndef TL_LAYER_DEVICE_ZE_ZE_EXECUTE_HOOKS_H
#define TL_LAYER_DEVICE_ZE_ZE_EXECUTE_HOOKS_H

#include "layer/calls/hook.h"

extern const struct tl_hook tl_ze_execute_hooks[];

#endif
