/* SPDX-License-Identifier: MIT */
/*
 * opencl_kernels.h: kernels' names.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_KERNELS_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_KERNELS_H

#include "layer/device/opencl/opencl_call.h"

/* The kernel's name; NULL: not known. It stays. */
const char *tl_cl_kernel_name(cl_kernel kernel);

TL_CL_BEFORE(tl_cl_release_kernel_before);
void tl_cl_kernels_after_fork(void);

#endif
