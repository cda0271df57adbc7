/* SPDX-License-Identifier: MIT */
/*
 * cuda_ends.h: calls that create or destroy contexts, or destroy streams.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_ENDS_H
#define TL_LAYER_DEVICE_CUDA_CUDA_ENDS_H

#include "layer/calls/hook.h"

extern const struct tl_hook tl_cuda_end_hooks[];

#endif
