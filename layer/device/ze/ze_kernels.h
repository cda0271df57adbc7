/* SPDX-License-Identifier: MIT */
/* ze_kernels.h: the program's kernels and images. With tl_ze_lock held. */
#ifndef TL_LAYER_DEVICE_ZE_ZE_KERNELS_H
#define TL_LAYER_DEVICE_ZE_ZE_KERNELS_H

#include <level_zero/ze_api.h>
#include <stdint.h>

#include "layer/calls/hook.h"
#include "layer/device/handles.h"
#include "layer/device/kernel_facts.h"

struct ze_kernel {
	struct tl_handle handle;
	char *name;
	uint32_t group[3]; /* [0] 0: not set */
	uint16_t facts;	   /* kernel_facts.h; 0: not known */
};

struct ze_image {
	struct tl_handle handle;
	uint64_t pixels;
	uint32_t pixel; /* bytes; 0: not known */
};

struct ze_kernel *tl_ze_kernel_find(ze_kernel_handle_t handle);
struct ze_image *tl_ze_image_find(ze_image_handle_t handle);
void tl_ze_kernels_forget(void);

extern const struct tl_hook tl_ze_kernel_hooks[];

#endif
