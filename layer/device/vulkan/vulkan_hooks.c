/* SPDX-License-Identifier: MIT */
/*
 * vulkan_hooks.c: Vulkan's device lanes put together: devices come and go; the hooks of all files,
 * the end, forks.
 */
#include "layer/device/vulkan/vulkan.h"

#include "layer/device/device_api.h"
#include "layer/device/device_lanes.h"
#include "layer/device/vulkan/vulkan_collect.h"
#include "layer/device/vulkan/vulkan_stamps.h"
#include "layer/device/vulkan/vulkan_submits.h"
#include "layer/device/vulkan/vulkan_waits.h"

/* --- devices come and go */

static bool info_is_of_group(const struct vk_any *any)
{
	for (; any; any = any->next)
		if (any->type == VK_DEVICE_GROUP_INFO && ((const struct vk_group *)any)->count > 1)
			return true;
	return false;
}

/* vkCreateDevice(hardware, info, allocator, device) */
static void create_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	if (tl_vk_call_failed(result, unwound) || !tl_vk_is_known(call) || !tl_vk_usable() ||
	    info_is_of_group(VK_PARAM(call, 1, const struct vk_any *)))
		return;
	tl_vk_device_created(*VK_PARAM(call, 3, void **), VK_PARAM(call, 0, void *),
			     tl_hook_real_of(call));
}

/* A device takes the layer's objects with it, so these go first. It has no work left. */
static void destroy_before(struct tl_call *call, void *state)
{
	(void)state;
	if (!tl_vk_is_known(call) || !tl_vk_usable())
		return;
	pthread_mutex_lock(&tl_vk_looking);
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_device *device = tl_vk_device_find(VK_PARAM(call, 0, const void *));
	pthread_mutex_unlock(&tl_vk_lock);
	if (device) {
		tl_vk_collect_last(device);
		tl_vk_stamps_destroy(device);
		pthread_mutex_lock(&tl_vk_lock);
		tl_vk_device_drop(device);
		pthread_mutex_unlock(&tl_vk_lock);
	}
	pthread_mutex_unlock(&tl_vk_looking);
}

/* vkGetDeviceQueue(device, family, index, queue) */
static void queue_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	(void)result;
	if (!unwound && tl_vk_is_known(call))
		tl_vk_queue_got(VK_PARAM(call, 0, const void *), *VK_PARAM(call, 3, void **),
				VK_PARAM(call, 1, uint32_t), VK_PARAM(call, 2, uint32_t));
}

/* vkGetDeviceQueue2(device, info, queue) */
static void queue2_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	(void)result;
	if (unwound || !tl_vk_is_known(call))
		return;
	const struct vk_queue_info *info = VK_PARAM(call, 1, const struct vk_queue_info *);
	tl_vk_queue_got(VK_PARAM(call, 0, const void *), *VK_PARAM(call, 2, void **), info->family,
			info->index);
}

static const struct tl_hook device_hooks[] = {
	{"vkCreateDevice", NULL, create_after, TL_HOOK_PLAIN},
	{"vkDestroyDevice", destroy_before, NULL, TL_HOOK_PLAIN},
	{"vkGetDeviceQueue", NULL, queue_after, TL_HOOK_PLAIN},
	{"vkGetDeviceQueue2", NULL, queue2_after, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

/* --- the whole */

static void lanes_end(uint64_t deadline)
{
	if (!tl_device_lock_until(&tl_vk_looking, deadline))
		return;
	tl_vk_functions_ending(true);
	tl_vk_collect_end(deadline);
	tl_vk_functions_ending(false);
	pthread_mutex_unlock(&tl_vk_looking);
}

/* What the layer has in the driver belongs to the parent. */
static void lanes_after_fork(void)
{
	tl_vk_functions_forget();
	tl_vk_devices_forget();
}

static const struct tl_hook *const lists[] = {
	device_hooks,
	tl_vk_submit_hooks,
	tl_vk_wait_hooks,
	NULL,
};

const struct tl_device_api tl_device_vulkan = {
	.prefix = "vk",
	.hooks = lists,
	.end = lanes_end,
	.collect = tl_vk_collect_some,
	.awaits = tl_vk_awaits,
	.after_fork = lanes_after_fork,
};
