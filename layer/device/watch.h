/* SPDX-License-Identifier: MIT */
/*
 * watch.h: who wants to hear of device commands besides the trace: tools (tracelayer/device.h).
 */
#ifndef TL_LAYER_DEVICE_WATCH_H
#define TL_LAYER_DEVICE_WATCH_H

#include "tracelayer/device.h"

/* Somebody does. */
bool tl_device_is_watched(void);

/* Tell them all. Under no lock. */
void tl_device_tell(const struct tl_device_view *command);

#endif
