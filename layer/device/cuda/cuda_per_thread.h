/* SPDX-License-Identifier: MIT */
/*
 * cuda_per_thread.h: what a stream handle of 0 means in a call: the context's default stream, or
 * one that the calling thread has of its own.
 *
 * Functions whose names end with _ptsz or _ptds mean the latter. A program that asks
 * cuGetProcAddress for a function says by a flag which of them it wants, and calls it by the name
 * without the ending. So the layer keeps which pointers were given out for that flag.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_PER_THREAD_H
#define TL_LAYER_DEVICE_CUDA_CUDA_PER_THREAD_H

#include <stdbool.h>

#include "layer/calls/hook.h"

/*
 * The handle of the stream that the call means by `handle`. `per_thread`: its function's name says
 * so. Holding no lock.
 */
void *tl_cuda_meant_stream(const struct tl_call *call, void *handle, bool per_thread);

extern const struct tl_hook tl_cuda_per_thread_hooks[];

#endif
