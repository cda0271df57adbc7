/* SPDX-License-Identifier: MIT */
/*
 * ze_execute_hooks.h: hooks around what executes regular lists, and what waits for queues.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_EXECUTE_HOOKS_H
#define TL_LAYER_DEVICE_ZE_ZE_EXECUTE_HOOKS_H

#include "layer/device/hook.h"

extern const struct tl_hook tl_ze_execute_hooks[];

#endif
