/* SPDX-License-Identifier: MIT */
/*
 * cuda_memory.h: memory that the program allocates on devices.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_MEMORY_H
#define TL_LAYER_DEVICE_CUDA_CUDA_MEMORY_H

#include "layer/calls/hook.h"

struct cuda_context;

/* Under tl_cuda_lock: the context is gone, and its memory with it. */
void tl_cuda_memory_drop(const struct cuda_context *context);

void tl_cuda_memory_forget(void);

extern const struct tl_hook tl_cuda_memory_hooks[];

#endif
