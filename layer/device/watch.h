/* SPDX-License-Identifier: MIT */
/*
 * watch.h: tools that watch device commands (tracelayer/device.h). Any thread.
 */
#ifndef TL_LAYER_DEVICE_WATCH_H
#define TL_LAYER_DEVICE_WATCH_H

#include "tracelayer/device.h"

/* At least one tool watches. */
bool tl_device_is_watched(void);

/* Call all of them. The caller holds no lock of this room. */
void tl_device_tell(const struct tl_device_view *command);

#endif
