/* SPDX-License-Identifier: MIT */
/*
 * ze_append.h: hooks around the functions that append a command to a list.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_APPEND_H
#define TL_LAYER_DEVICE_ZE_ZE_APPEND_H

#include "layer/device/hook.h"

extern const struct tl_hook tl_ze_append_hooks[];

#endif
