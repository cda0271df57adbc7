/* SPDX-License-Identifier: MIT */
/*
 * vk_passing.c: a layer of Vulkan that is gone after its exit handler has run, as validation layers
 * are. It registers that when a device is made. The handler takes its time; a question about
 * timestamps or a fence ends the process from then on.
 *
 *	VK_LAYER_PATH=FOLDER VK_INSTANCE_LAYERS=VK_LAYER_passing ./program
 */
#include <stdlib.h>
#include <string.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "tests/lib/passing.h"

#define EXPORT __attribute__((visibility("default")))

static PFN_vkGetInstanceProcAddr instance_next;
static PFN_vkGetDeviceProcAddr device_next;
static PFN_vkGetQueryPoolResults results_next;
static PFN_vkGetFenceStatus status_next;

static VkResult VKAPI_CALL results(VkDevice device, VkQueryPool pool, uint32_t first,
				   uint32_t count, size_t size, void *data, VkDeviceSize stride,
				   VkQueryResultFlags flags)
{
	check();
	return results_next(device, pool, first, count, size, data, stride, flags);
}

static VkResult VKAPI_CALL status(VkDevice device, VkFence fence)
{
	check();
	return status_next(device, fence);
}

static VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
					   const VkAllocationCallbacks *allocator,
					   VkInstance *instance)
{
	VkLayerInstanceCreateInfo *link = (void *)info->pNext;

	while (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
	       link->function != VK_LAYER_LINK_INFO)
		link = (void *)link->pNext;
	instance_next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	return ((PFN_vkCreateInstance)instance_next(NULL, "vkCreateInstance"))(info, allocator,
									       instance);
}

static VkResult VKAPI_CALL create_device(VkPhysicalDevice hardware, const VkDeviceCreateInfo *info,
					 const VkAllocationCallbacks *allocator, VkDevice *device)
{
	VkLayerDeviceCreateInfo *link = (void *)info->pNext;

	while (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
	       link->function != VK_LAYER_LINK_INFO)
		link = (void *)link->pNext;
	PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	device_next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	VkResult result = ((PFN_vkCreateDevice)get(NULL, "vkCreateDevice"))(hardware, info,
									    allocator, device);
	if (result == VK_SUCCESS) {
		atexit(leave);
		results_next =
			(PFN_vkGetQueryPoolResults)device_next(*device, "vkGetQueryPoolResults");
		status_next = (PFN_vkGetFenceStatus)device_next(*device, "vkGetFenceStatus");
	}
	return result;
}

static PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name)
{
	if (!strcmp(name, "vkGetDeviceProcAddr"))
		return (PFN_vkVoidFunction)device_function;
	if (!strcmp(name, "vkGetQueryPoolResults"))
		return (PFN_vkVoidFunction)results;
	if (!strcmp(name, "vkGetFenceStatus"))
		return (PFN_vkVoidFunction)status;
	return device_next(device, name);
}

static PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char *name)
{
	if (!strcmp(name, "vkGetInstanceProcAddr"))
		return (PFN_vkVoidFunction)instance_function;
	if (!strcmp(name, "vkCreateInstance"))
		return (PFN_vkVoidFunction)create_instance;
	if (!strcmp(name, "vkCreateDevice"))
		return (PFN_vkVoidFunction)create_device;
	return instance_next(instance, name);
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiated)
{
	negotiated->loaderLayerInterfaceVersion = 2;
	negotiated->pfnGetInstanceProcAddr = instance_function;
	negotiated->pfnGetDeviceProcAddr = device_function;
	negotiated->pfnGetPhysicalDeviceProcAddr = NULL;
	return VK_SUCCESS;
}
