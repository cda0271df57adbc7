/* SPDX-License-Identifier: MIT */
/*
 * cuda_kernels.h: names of kernels.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_KERNELS_H
#define TL_LAYER_DEVICE_CUDA_CUDA_KERNELS_H

#include "layer/calls/hook.h"

/*
 * The name of a CUfunction or CUkernel, which stays in memory; NULL: not known. Holding no lock.
 */
const char *tl_cuda_kernel_name(void *function);

void tl_cuda_kernels_forget(void);

extern const struct tl_hook tl_cuda_kernel_hooks[];

#endif
