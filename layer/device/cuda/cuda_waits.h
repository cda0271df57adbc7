/* SPDX-License-Identifier: MIT */
/*
 * cuda_waits.h: calls that wait for commands: by their stream, their context, or an event of the
 * program that was recorded after them.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_WAITS_H
#define TL_LAYER_DEVICE_CUDA_CUDA_WAITS_H

#include "layer/calls/hook.h"

void tl_cuda_waits_forget(void);

extern const struct tl_hook tl_cuda_wait_hooks[];

#endif
