/* SPDX-License-Identifier: MIT */
/*
 * ze_mutable.h: hooks around the functions that change commands of a list, or copy a list.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_MUTABLE_H
#define TL_LAYER_DEVICE_ZE_ZE_MUTABLE_H

#include "layer/device/hook.h"

extern const struct tl_hook tl_ze_mutable_hooks[];

#endif
