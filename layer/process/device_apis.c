/* SPDX-License-Identifier: MIT */
/* device_apis.c: the list of APIs whose devices get lanes. */
#include <stddef.h>

#include "layer/device/cuda/cuda.h"
#include "layer/device/device.h"
#include "layer/device/opencl/opencl.h"
#include "layer/device/vulkan/vulkan.h"
#include "layer/device/ze/ze.h"

const struct tl_device_api *const tl_device_apis[] = {&tl_device_opencl, &tl_device_ze,
						      &tl_device_cuda, &tl_device_vulkan, NULL};
