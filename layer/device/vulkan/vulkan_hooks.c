/* SPDX-License-Identifier: MIT */
/*
 * vulkan_hooks.c: Vulkan's device lanes put together: devices come and go; the hooks of all files,
 * the end, forks.
 */
#include "layer/device/vulkan/vulkan.h"

#include "layer/device/device_api.h"
#include "layer/device/device_lanes.h"
#include "layer/device/vulkan/vulkan_collect.h"
#include "layer/device/vulkan/vulkan_contents.h"
#include "layer/device/vulkan/vulkan_memory.h"
#include "layer/device/vulkan/vulkan_signals.h"
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
	tl_vk_device_created(call, *VK_PARAM(call, 3, void **), VK_PARAM(call, 0, void *));
}

/*
 * A device takes the layer's objects with it, so these go first. It has no work left. Once the
 * lanes have ended nothing is reported, but the objects go all the same: a program that destroys
 * its device in a destructor is told of what is left (by a validation layer). The program is about
 * to call the driver, so that is there.
 */
static void destroy_before(struct tl_call *call, void *state)
{
	(void)state;
	if (!tl_vk_is_known(call))
		return;
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_device *device = tl_vk_device_find(VK_PARAM(call, 0, const void *));
	/* The end waits for it, if it finds it. */
	bool usable = tl_vk_usable();
	if (device && usable)
		tl_vk_device_hide(device);
	pthread_mutex_unlock(&tl_vk_lock);
	if (!device)
		return;
	pthread_mutex_lock(&device->looking);
	device->leaving = true;
	if (!tl_vk_is_over())
		tl_vk_collect_last(device);
	tl_vk_stamps_destroy(device);
	pthread_mutex_unlock(&device->looking);
	pthread_mutex_lock(&tl_vk_lock);
	if (usable)
		tl_vk_device_drop(device);
	else
		tl_vk_device_hide(device);
	pthread_mutex_unlock(&tl_vk_lock);
}

#define HARDWARE 64u

/*
 * The driver may be unloaded with the instance, even if the program has not destroyed its devices:
 * the layer does not call it for these any more. Its objects stay with the program's.
 */
static void instance_before(struct tl_call *call, void *state)
{
	void *hardware[HARDWARE];
	struct vk_device *device;

	(void)state;
	pthread_mutex_lock(&tl_vk_lock);
	bool some = tl_vk_devices();
	pthread_mutex_unlock(&tl_vk_lock);
	if (!some || !tl_vk_is_known(call) || !tl_vk_usable() || !VK_PARAM(call, 0, void *))
		return;
	uint32_t count = tl_vk_hardware_ask(call, VK_PARAM(call, 0, void *), hardware, HARDWARE);
	for (uint32_t i = 0; i < count; i++)
		while ((device = tl_vk_device_left(hardware[i]))) {
			pthread_mutex_lock(&device->looking);
			tl_vk_collect_last(device);
			pthread_mutex_unlock(&device->looking);
			pthread_mutex_lock(&tl_vk_lock);
			tl_vk_device_drop(device);
			pthread_mutex_unlock(&tl_vk_lock);
		}
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
	{"vkDestroyInstance", instance_before, NULL, TL_HOOK_PLAIN},
	{"vkGetDeviceQueue", NULL, queue_after, TL_HOOK_PLAIN},
	{"vkGetDeviceQueue2", NULL, queue2_after, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

/* --- the whole */

/* What the layer has in the driver belongs to the parent. */
static void lanes_after_fork(void)
{
	tl_vk_functions_forget();
	tl_vk_contents_after_fork();
	tl_vk_devices_forget();
	tl_vk_signals_after_fork();
}

static const struct tl_hook *const lists[] = {
	device_hooks,	      tl_vk_submit_hooks, tl_vk_wait_hooks,
	tl_vk_contents_hooks, tl_vk_memory_hooks, NULL,
};

const struct tl_device_api tl_device_vulkan = {
	.prefix = "vk",
	.hooks = lists,
	.end = tl_vk_collect_end,
	.await = tl_vk_collect_await,
	.give_up = tl_vk_collect_give_up,
	.collect = tl_vk_collect_some,
	.awaits = tl_vk_awaits,
	.after_fork = lanes_after_fork,
};
