/* SPDX-License-Identifier: MIT */
/*
 * vulkan_memory.c: see vulkan_memory.h.
 *
 * Memory counts if its type lies in a heap of the device. What is imported was allocated elsewhere,
 * and does not count.
 */
#include "layer/device/vulkan/vulkan_memory.h"

#include <stdlib.h>

struct vk_memory {
	struct tl_handle handle;
	struct vk_memory *next;	 /* of the device's */
	struct vk_memory **link; /* what points to it */
	int64_t bytes;
};

/* Under the lock, and so is what follows. */
static void memory_remove(struct vk_device *device, struct vk_memory *memory)
{
	tl_handles_remove(&device->memory_table, &memory->handle);
	*memory->link = memory->next;
	if (memory->next)
		memory->next->link = memory->link;
	tl_device_memory(device->device, -memory->bytes);
	free(memory);
}

static void memory_add(struct vk_device *device, const void *handle, uint64_t bytes)
{
	struct vk_memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return;
	memory->handle.key = handle;
	memory->bytes = (int64_t)bytes;
	memory->next = device->memory;
	memory->link = &device->memory;
	if (memory->next)
		memory->next->link = &memory->next;
	device->memory = memory;
	tl_handles_put(&device->memory_table, &memory->handle);
	tl_device_memory(device->device, memory->bytes);
}

void tl_vk_memory_drop(struct vk_device *device)
{
	while (device->memory)
		memory_remove(device, device->memory);
}

/* --- the hooks */

static bool info_is_import(const struct vk_any *any)
{
	for (; any; any = any->next)
		if (any->type == VK_IMPORT_FD_INFO || any->type == VK_IMPORT_POINTER_INFO)
			return true;
	return false;
}

/* vkAllocateMemory(device, info, allocator, memory) */
static void allocate_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	if (tl_vk_call_failed(result, unwound) || !tl_vk_is_known(call) || !tl_vk_usable())
		return;
	const struct vk_memory_info *info = VK_PARAM(call, 1, const struct vk_memory_info *);
	if (info_is_import(&info->any))
		return;
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_device *device = tl_vk_device_find(VK_PARAM(call, 0, const void *));
	if (device && info->type < 32 && device->own_memory >> info->type & 1)
		memory_add(device, *VK_PARAM(call, 3, void *const *), info->size);
	pthread_mutex_unlock(&tl_vk_lock);
}

/* vkFreeMemory(device, memory, allocator). Before: another thread may get the handle at once. */
static void free_before(struct tl_call *call, void *state)
{
	(void)state;
	if (!tl_vk_is_known(call) || !tl_vk_usable())
		return;
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_device *device = tl_vk_device_find(VK_PARAM(call, 0, const void *));
	struct vk_memory *memory =
		device ? (struct vk_memory *)tl_handles_find(&device->memory_table,
							     VK_PARAM(call, 1, const void *))
		       : NULL;
	if (memory)
		memory_remove(device, memory);
	pthread_mutex_unlock(&tl_vk_lock);
}

const struct tl_hook tl_vk_memory_hooks[] = {
	{"vkAllocateMemory", NULL, allocate_after, TL_HOOK_PLAIN},
	{"vkFreeMemory", free_before, NULL, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};
