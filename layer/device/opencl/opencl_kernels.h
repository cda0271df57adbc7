/* SPDX-License-Identifier: MIT */
/*
 * opencl_kernels.h: kernels' names.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_KERNELS_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_KERNELS_H

#include "layer/device/opencl/opencl_call.h"
#include "layer/device/opencl/opencl_devices.h"
#include "layer/device/work.h"

/*
 * Fills in the kernel's name, which stays; NULL: not known; and what the driver knows of it on this
 * device.
 */
void tl_cl_kernel_describe(cl_kernel kernel, const struct tl_cl_device *device,
			   struct tl_device_facts *facts);

TL_CL_BEFORE(tl_cl_release_kernel_before);
void tl_cl_kernels_after_fork(void);

#endif
