/* SPDX-License-Identifier: MIT */
/*
 * vulkan_functions.c: see vulkan_functions.h.
 */
#include "layer/device/vulkan/vulkan_functions.h"

#include <stdatomic.h>
#include <string.h>

#include "layer/calls/hook.h"
#include "layer/resolve/object_lookup.h"

pthread_mutex_t tl_vk_looking = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t tl_vk_lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic bool ending; /* drivers are called for the last time */

/* The real function of that name, if it lies in the same library. */
static void *function_beside(const char *name, const void *create)
{
	void *found = tl_hook_real(name);
	struct tl_object there, here;

	return found && tl_object_at((uintptr_t)found, &there) &&
			       tl_object_at((uintptr_t)create, &here) && there.start == here.start
		       ? found
		       : NULL;
}

bool tl_vk_functions_find(struct vk_functions *functions, void *device, const void *create)
{
	void *(*get)(void *, const char *) = NULL;
	void *found = function_beside("vkGetDeviceProcAddr", create);
	bool complete = true;

	memcpy(&get, &found, sizeof(found));
	if (!get)
		return false;
#define FIND(function, parameters)                                                                 \
	found = get(device, #function);                                                            \
	memcpy(&functions->function, &found, sizeof(found));                                       \
	complete &= found != NULL;
	VK_DEVICE_FUNCTIONS(FIND)
	VK_DEVICE_PROCEDURES(FIND)
#undef FIND
	return complete;
}

bool tl_vk_properties_ask(void *hardware, struct vk_properties *properties, const void *create)
{
	void (*ask)(void *, struct vk_properties *) = NULL;
	void *found = function_beside("vkGetPhysicalDeviceProperties", create);

	memcpy(&ask, &found, sizeof(found));
	if (!ask)
		return false;
	ask(hardware, properties);
	properties->name[sizeof(properties->name) - 1] = '\0';
	return properties->period > 0;
}

uint32_t tl_vk_families_ask(void *hardware, struct vk_family *families, uint32_t room,
			    const void *create)
{
	void (*ask)(void *, uint32_t *, struct vk_family *) = NULL;
	void *found = function_beside("vkGetPhysicalDeviceQueueFamilyProperties", create);

	memcpy(&ask, &found, sizeof(found));
	if (!ask)
		return 0;
	ask(hardware, &room, families);
	return room;
}

bool tl_vk_usable(void)
{
	return !tl_device_has_ended() || atomic_load_explicit(&ending, memory_order_relaxed);
}

void tl_vk_functions_ending(bool is)
{
	atomic_store_explicit(&ending, is, memory_order_relaxed);
}

void tl_vk_functions_forget(void)
{
	pthread_mutex_init(&tl_vk_looking, NULL);
	pthread_mutex_init(&tl_vk_lock, NULL);
	tl_vk_functions_ending(false);
}
