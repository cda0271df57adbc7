/* SPDX-License-Identifier: MIT */
/*
 * ze_kernels.c: see ze_kernels.h.
 */
#include "layer/device/ze/ze_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/ze/ze_driver_functions.h"
#include "layer/device/ze/ze_objects.h"

static struct tl_handles kernels, images;

/* --- kernels */

struct ze_kernel *tl_ze_kernel_find(ze_kernel_handle_t handle)
{
	return (struct ze_kernel *)tl_handles_find(&kernels, handle);
}

static void kernel_forget(const void *handle)
{
	struct ze_kernel *kernel = (struct ze_kernel *)tl_handles_take(&kernels, handle);

	if (kernel)
		free(kernel->name);
	free(kernel);
}

/* A driver knows it as soon as the kernel is made. */
static uint16_t kernel_ask_facts(ze_kernel_handle_t handle, const char *name)
{
	ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};

	if (!tl_ze_usable() ||
	    tl_ze_real.zeKernelGetProperties(handle, &properties) != ZE_RESULT_SUCCESS)
		return 0;
	const struct tl_kernel_facts facts = {
		.private_bytes = properties.privateMemSize,
		.local_bytes = properties.localMemSize,
		.spill_bytes = properties.spillMemSize,
		.simd_width = properties.maxSubgroupSize,
		.has = TL_KERNEL_PRIVATE | TL_KERNEL_LOCAL | TL_KERNEL_SPILL |
		       (properties.maxSubgroupSize ? TL_KERNEL_SIMD : 0),
	};

	return tl_kernel_facts_keep(name, &facts);
}

static void kernel_create_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const ze_kernel_desc_t *desc = ZE_PARAM(call, 1, const ze_kernel_desc_t *);

	if (tl_ze_call_failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	kernel_forget(*ZE_PARAM(call, 2, void **));
	struct ze_kernel *kernel =
		tl_ze_object_new(&kernels, *ZE_PARAM(call, 2, void **), sizeof(*kernel));
	if (kernel && desc->pKernelName)
		kernel->name = strdup(desc->pKernelName);
	if (kernel)
		kernel->facts =
			kernel_ask_facts(*ZE_PARAM(call, 2, ze_kernel_handle_t *), kernel->name);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void kernel_destroy_before(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	kernel_forget(ZE_PARAM(call, 0, void *));
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void kernel_group_size_after(struct tl_call *call, void *state, uint64_t result,
				    bool unwound)
{
	if (tl_ze_call_failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_kernel *kernel = tl_ze_kernel_find(ZE_PARAM(call, 0, ze_kernel_handle_t));
	for (unsigned i = 0; kernel && i < 3; i++)
		kernel->group[i] = ZE_PARAM(call, 1 + i, uint32_t);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

/* --- images */

struct ze_image *tl_ze_image_find(ze_image_handle_t handle)
{
	return (struct ze_image *)tl_handles_find(&images, handle);
}

static uint32_t image_pixel(ze_image_format_layout_t layout)
{
	static const uint8_t bytes[] = {1, 2, 4, 2, 4, 4, 8, 8, 16, 4, 4, 2, 2, 2};

	return (uint32_t)layout < sizeof(bytes) ? bytes[layout] : 0;
}

static void image_create_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const ze_image_desc_t *desc = ZE_PARAM(call, 2, const ze_image_desc_t *);

	if (tl_ze_call_failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_image *image =
		tl_ze_object_new(&images, *ZE_PARAM(call, 3, void **), sizeof(*image));
	if (image) {
		image->pixel = image_pixel(desc->format.layout);
		image->pixels = desc->width * (desc->height ? desc->height : 1) *
				(desc->depth ? desc->depth : 1) *
				(desc->arraylevels ? desc->arraylevels : 1);
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void image_destroy_before(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	free(tl_handles_take(&images, ZE_PARAM(call, 0, void *)));
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

const struct tl_hook tl_ze_kernel_hooks[] = {
	{"zeImageCreate", NULL, image_create_after, TL_HOOK_PLAIN},
	{"zeImageDestroy", image_destroy_before, NULL, TL_HOOK_PLAIN},
	{"zeKernelCreate", NULL, kernel_create_after, TL_HOOK_PLAIN},
	{"zeKernelDestroy", kernel_destroy_before, NULL, TL_HOOK_PLAIN},
	{"zeKernelSetGroupSize", NULL, kernel_group_size_after, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

void tl_ze_kernels_forget(void)
{
	memset(&images, 0, sizeof(images));
	memset(&kernels, 0, sizeof(kernels));
}
