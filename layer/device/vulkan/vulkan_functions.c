/* SPDX-License-Identifier: MIT */
/*
 * vulkan_functions.c: see vulkan_functions.h.
 */
#include "layer/device/vulkan/vulkan_functions.h"

#include <stdatomic.h>
#include <string.h>

#include "layer/calls/hook.h"
#include "layer/resolve/object_lookup.h"

pthread_mutex_t tl_vk_lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic bool ending; /* drivers are called for the last time */
static _Atomic bool over;   /* nothing is reported any more */

/*
 * The real function of that name; NULL where it lies in another library than the call's function: a
 * program may call a driver without the loader, and the loader aborts if it gets a driver's handle.
 */
static void *function_beside(const struct tl_call *call, const char *function)
{
	struct tl_object own, other;
	void *real = tl_hook_real_of(call), *found = tl_hook_real(function);

	return real && found && tl_object_at((uintptr_t)real, &own) &&
			       tl_object_at((uintptr_t)found, &other) && own.start == other.start
		       ? found
		       : NULL;
}

bool tl_vk_functions_find(struct vk_functions *functions, const struct tl_call *call, void *device)
{
	void *(*get)(void *, const char *) = NULL;
	void *found = function_beside(call, "vkGetDeviceProcAddr");
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

bool tl_vk_properties_ask(const struct tl_call *call, void *hardware,
			  struct vk_properties *properties)
{
	void (*ask)(void *, struct vk_properties *) = NULL;
	void *found = function_beside(call, "vkGetPhysicalDeviceProperties");

	memcpy(&ask, &found, sizeof(found));
	if (!ask)
		return false;
	ask(hardware, properties);
	properties->name[sizeof(properties->name) - 1] = '\0';
	return properties->period > 0;
}

uint32_t tl_vk_hardware_ask(const struct tl_call *call, void *instance, void **hardware,
			    uint32_t room)
{
	int (*ask)(void *, uint32_t *, void **) = NULL;
	void *found = function_beside(call, "vkEnumeratePhysicalDevices");

	memcpy(&ask, &found, sizeof(found));
	/* More than there is room for is no error. */
	return ask && ask(instance, &room, hardware) >= VK_SUCCESS ? room : 0;
}

uint32_t tl_vk_families_ask(const struct tl_call *call, void *hardware, struct vk_family *families,
			    uint32_t room)
{
	void (*ask)(void *, uint32_t *, struct vk_family *) = NULL;
	void *found = function_beside(call, "vkGetPhysicalDeviceQueueFamilyProperties");
	uint32_t count = 0;

	memcpy(&ask, &found, sizeof(found));
	if (!ask)
		return 0;
	/* Validation layers warn of who asks for a list before its length, or for a longer one. */
	ask(hardware, &count, NULL);
	count = count < room ? count : room;
	ask(hardware, &count, families);
	return count;
}

uint32_t tl_vk_own_memory_ask(const struct tl_call *call, void *hardware)
{
	struct vk_memory_properties properties = {.ntypes = 0};
	void (*ask)(void *, struct vk_memory_properties *) = NULL;
	void *found = function_beside(call, "vkGetPhysicalDeviceMemoryProperties");
	uint32_t own = 0;

	memcpy(&ask, &found, sizeof(found));
	if (!ask)
		return 0;
	ask(hardware, &properties);
	for (uint32_t i = 0; i < properties.ntypes && i < 32; i++)
		if (properties.types[i].heap < 16 &&
		    properties.heaps[properties.types[i].heap].flags & VK_HEAP_DEVICE_LOCAL)
			own |= 1u << i;
	return own;
}

bool tl_vk_usable(void)
{
	return !tl_device_has_ended();
}

bool tl_vk_may_look(void)
{
	return tl_vk_usable() || atomic_load_explicit(&ending, memory_order_relaxed);
}

void tl_vk_functions_ending(bool is)
{
	atomic_store_explicit(&ending, is, memory_order_relaxed);
}

bool tl_vk_is_over(void)
{
	return atomic_load_explicit(&over, memory_order_acquire);
}

void tl_vk_functions_over(bool is)
{
	atomic_store_explicit(&over, is, memory_order_release);
}

void tl_vk_functions_forget(void)
{
	tl_vk_functions_over(false);
	pthread_mutex_init(&tl_vk_lock, NULL);
	tl_vk_functions_ending(false);
}
