/* SPDX-License-Identifier: MIT */
/*
 * vk_lanes.c: batches of command buffers of all kinds, for stack_vulkan_lanes.sh. Prints how many of
 * its batches have command buffers, and what they have written.
 *
 *	vk_lanes work	one queue: several batches in a call, empty ones, many without a wait, fences,
 *			semaphores, vkQueueSubmit2
 *	vk_lanes threads	devices that come and go in three threads
 *	vk_lanes leave	ends without a wait
 *	vk_lanes within	a signal handler calls exit while a call waits for batches that wait for it
 *	vk_lanes fork	a child ends after the parent has submitted, which goes on
 *	vk_lanes wait	a device is destroyed while another waits for the program, with many batches
 *	vk_lanes leak	the instance is destroyed, and the device is not
 *	vk_lanes atexit	the device is destroyed by an exit handler
 *	vk_lanes late	an exit handler submits and waits, and leaves the device
 *	vk_lanes fence	fences that are signaled by calls without batches
 *	vk_lanes values	waits for semaphores' values, questions for them
 *	vk_lanes ahead	many batches, of which the program stays two ahead of the device
 *	vk_lanes names	command buffers with names and labels, and secondary ones
 *	vk_lanes most	70,000 batches that have not ended
 *	vk_lanes many	more batches in a call, and without a wait, than the layer makes at once
 */
#include <pthread.h>
#include <stdatomic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vulkan/vulkan.h>

#define WORDS 1024u

static VkInstance instance;
static VkPhysicalDevice hardware;
static _Atomic unsigned batches;

struct gpu {
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	VkCommandBuffer fill[3]; /* each fills a part of the buffer */
	VkBuffer buffer;
	VkDeviceMemory memory;
	uint32_t *words;
	VkFence fence;
	bool newer; /* vkQueueSubmit2 and timelines */
};

static void need(VkResult result, const char *what)
{
	if (result != VK_SUCCESS) {
		printf("%s: %d\n", what, result);
		exit(1);
	}
}
#define NEED(call) need(call, #call)

static void start(bool names)
{
	const char *utils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
	const VkApplicationInfo about = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					 .apiVersion = VK_API_VERSION_1_3};
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					   .pApplicationInfo = &about,
					   .enabledExtensionCount = names,
					   .ppEnabledExtensionNames = &utils};
	uint32_t one = 1;

	NEED(vkCreateInstance(&info, NULL, &instance));
	VkResult result = vkEnumeratePhysicalDevices(instance, &one, &hardware);
	need(result == VK_INCOMPLETE ? VK_SUCCESS : result, "vkEnumeratePhysicalDevices");
}

static uint32_t memory_type(uint32_t bits)
{
	VkPhysicalDeviceMemoryProperties all;
	const VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

	vkGetPhysicalDeviceMemoryProperties(hardware, &all);
	for (uint32_t i = 0; i < all.memoryTypeCount; i++)
		if (bits >> i & 1 && (all.memoryTypes[i].propertyFlags & wanted) == wanted)
			return i;
	exit(1);
}

static void buffer_make(struct gpu *gpu)
{
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
					 .size = 4 * WORDS,
					 .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
						  VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkMemoryRequirements asks;

	NEED(vkCreateBuffer(gpu->device, &info, NULL, &gpu->buffer));
	vkGetBufferMemoryRequirements(gpu->device, gpu->buffer, &asks);
	const VkMemoryAllocateInfo room = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
					   .allocationSize = asks.size,
					   .memoryTypeIndex = memory_type(asks.memoryTypeBits)};
	NEED(vkAllocateMemory(gpu->device, &room, NULL, &gpu->memory));
	NEED(vkBindBufferMemory(gpu->device, gpu->buffer, gpu->memory, 0));
	NEED(vkMapMemory(gpu->device, gpu->memory, 0, VK_WHOLE_SIZE, 0, (void **)&gpu->words));
}

static void gpu_open(struct gpu *gpu)
{
	const float priority = 1;
	VkPhysicalDeviceProperties properties;
	VkPhysicalDeviceVulkan13Features features13 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
		.synchronization2 = VK_TRUE};
	VkPhysicalDeviceVulkan12Features features12 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
		.pNext = &features13,
		.timelineSemaphore = VK_TRUE};
	const VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
						.queueCount = 1,
						.pQueuePriorities = &priority};

	vkGetPhysicalDeviceProperties(hardware, &properties);
	gpu->newer = properties.apiVersion >= VK_API_VERSION_1_3;
	const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					 .pNext = gpu->newer ? &features12 : NULL,
					 .queueCreateInfoCount = 1,
					 .pQueueCreateInfos = &queues};
	NEED(vkCreateDevice(hardware, &info, NULL, &gpu->device));
	const VkDeviceQueueInfo2 which = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2};
	if (gpu->newer)
		vkGetDeviceQueue2(gpu->device, &which, &gpu->queue);
	else
		vkGetDeviceQueue(gpu->device, 0, 0, &gpu->queue);
	buffer_make(gpu);
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	NEED(vkCreateFence(gpu->device, &fence, NULL, &gpu->fence));
	NEED(vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->pool));
	const VkCommandBufferAllocateInfo wanted = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = gpu->pool,
		.commandBufferCount = 3};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
	NEED(vkAllocateCommandBuffers(gpu->device, &wanted, gpu->fill));
	for (uint32_t i = 0; i < 3; i++) {
		NEED(vkBeginCommandBuffer(gpu->fill[i], &begin));
		vkCmdFillBuffer(gpu->fill[i], gpu->buffer, i * 256 * 4, 256 * 4, i + 7);
		NEED(vkEndCommandBuffer(gpu->fill[i]));
	}
}

static void gpu_close(struct gpu *gpu)
{
	vkDestroyFence(gpu->device, gpu->fence, NULL);
	vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
	vkDestroyBuffer(gpu->device, gpu->buffer, NULL);
	vkFreeMemory(gpu->device, gpu->memory, NULL);
	vkDestroyDevice(gpu->device, NULL);
}

static void await(struct gpu *gpu)
{
	NEED(vkWaitForFences(gpu->device, 1, &gpu->fence, VK_TRUE, UINT64_MAX));
	NEED(vkResetFences(gpu->device, 1, &gpu->fence));
}

static void submit(struct gpu *gpu, uint32_t count, VkFence fence)
{
	const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				   .commandBufferCount = count,
				   .pCommandBuffers = gpu->fill};

	NEED(vkQueueSubmit(gpu->queue, 1, &info, fence));
	batches += count > 0;
}

static VkSemaphore timeline_new(struct gpu *gpu)
{
	const VkSemaphoreTypeCreateInfo type = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
		.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
					    .pNext = &type};
	VkSemaphore timeline;

	NEED(vkCreateSemaphore(gpu->device, &info, NULL, &timeline));
	return timeline;
}

/* A semaphore without values needs none; then their array may be missing. */
static void submit_no_values(struct gpu *gpu)
{
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.signalSemaphoreValueCount = 1};
	const VkSemaphoreCreateInfo plain = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkSemaphore semaphore;

	NEED(vkCreateSemaphore(gpu->device, &plain, NULL, &semaphore));
	const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				   .pNext = &values,
				   .commandBufferCount = 1,
				   .pCommandBuffers = gpu->fill,
				   .signalSemaphoreCount = 1,
				   .pSignalSemaphores = &semaphore};
	NEED(vkQueueSubmit(gpu->queue, 1, &info, VK_NULL_HANDLE));
	batches++;
	NEED(vkQueueWaitIdle(gpu->queue));
	vkDestroySemaphore(gpu->device, semaphore, NULL);
}

static void wait_for_value(struct gpu *gpu, VkSemaphore timeline, uint64_t value)
{
	const VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
					  .semaphoreCount = 1,
					  .pSemaphores = &timeline,
					  .pValues = &value};

	NEED(vkWaitSemaphores(gpu->device, &wait, UINT64_MAX));
}

/* Semaphores with values; the last wait is for one of them. */
static void submit_newer(struct gpu *gpu)
{
	VkSemaphore timeline = timeline_new(gpu);

	VkCommandBufferSubmitInfo buffers[2];
	for (int i = 0; i < 2; i++)
		buffers[i] = (VkCommandBufferSubmitInfo){
			.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
			.commandBuffer = gpu->fill[i]};
	const VkSemaphoreSubmitInfo signal = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
					      .semaphore = timeline,
					      .value = 5,
					      .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
	const VkSubmitInfo2 submits[2] = {
		{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		 .commandBufferInfoCount = 2,
		 .pCommandBufferInfos = buffers},
		{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		 .commandBufferInfoCount = 1,
		 .pCommandBufferInfos = buffers,
		 .signalSemaphoreInfoCount = 1,
		 .pSignalSemaphoreInfos = &signal},
	};
	NEED(vkQueueSubmit2(gpu->queue, 2, submits, VK_NULL_HANDLE));
	batches += 2;
	wait_for_value(gpu, timeline, 5);
	NEED(vkQueueWaitIdle(gpu->queue));
	vkDestroySemaphore(gpu->device, timeline, NULL);
}

/* One batch, with or without command buffers, that gives the semaphore a value. */
static void submit_value(struct gpu *gpu, uint32_t count, VkSemaphore timeline, uint64_t value)
{
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.signalSemaphoreValueCount = 1,
		.pSignalSemaphoreValues = &value};
	const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				   .pNext = &values,
				   .commandBufferCount = count,
				   .pCommandBuffers = gpu->fill,
				   .signalSemaphoreCount = 1,
				   .pSignalSemaphores = &timeline};

	NEED(vkQueueSubmit(gpu->queue, 1, &info, VK_NULL_HANDLE));
	batches += count > 0;
}

/* The semaphore has its value once the batch's shaders have run, whatever else it does. */
static void wait_for_stage(struct gpu *gpu)
{
	VkSemaphore timeline = timeline_new(gpu);
	const VkCommandBufferSubmitInfo buffer = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
		.commandBuffer = gpu->fill[0]};
	const VkSemaphoreSubmitInfo signal = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
					      .semaphore = timeline,
					      .value = 1,
					      .stageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT};
	const VkSubmitInfo2 info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
				    .commandBufferInfoCount = 1,
				    .pCommandBufferInfos = &buffer,
				    .signalSemaphoreInfoCount = 1,
				    .pSignalSemaphoreInfos = &signal};

	NEED(vkQueueSubmit2(gpu->queue, 1, &info, VK_NULL_HANDLE));
	batches++;
	wait_for_value(gpu, timeline, 1);
	NEED(vkQueueWaitIdle(gpu->queue));
	vkDestroySemaphore(gpu->device, timeline, NULL);
}

/*
 * Many batches end that nobody waits for. Then each signals a value, and the program stays two of
 * them ahead of the device.
 */
static void stay_ahead(struct gpu *gpu)
{
	VkSemaphore timeline = timeline_new(gpu);
	const uint64_t most = 2000;

	for (int i = 0; i < 400; i++) {
		submit(gpu, 1, VK_NULL_HANDLE);
		if (i % 100 == 99)
			usleep(20000);
	}
	for (uint64_t value = 1; value <= most; value++) {
		submit_value(gpu, 1, timeline, value);
		wait_for_value(gpu, timeline, value < most && value > 2 ? value - 2 : value);
	}
	vkDestroySemaphore(gpu->device, timeline, NULL);
}

/* Ten batches that a wait for a value ends, and five that a question does. */
static void wait_for_values(struct gpu *gpu)
{
	VkSemaphore timeline = timeline_new(gpu);
	uint64_t value = 0, now;

	submit_no_values(gpu);
	if (gpu->newer)
		wait_for_stage(gpu);
	for (int i = 0; i < 5; i++) {
		submit_value(gpu, 1, timeline, ++value);
		wait_for_value(gpu, timeline, value);
		submit(gpu, 2, VK_NULL_HANDLE);
		submit_value(gpu, 0, timeline, value += 3);
		wait_for_value(gpu, timeline, value);
	}
	for (int i = 0; i < 5; i++) {
		submit_value(gpu, 1, timeline, ++value);
		do {
			usleep(50);
			NEED(vkGetSemaphoreCounterValue(gpu->device, timeline, &now));
		} while (now < value);
	}
	vkDestroySemaphore(gpu->device, timeline, NULL);
}

static void work(struct gpu *gpu)
{
	const VkSubmitInfo three[3] = {
		{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		 .commandBufferCount = 1,
		 .pCommandBuffers = gpu->fill},
		{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO},
		{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		 .commandBufferCount = 2,
		 .pCommandBuffers = gpu->fill + 1},
	};

	NEED(vkQueueSubmit(gpu->queue, 3, three, gpu->fence));
	batches += 2;
	await(gpu);
	for (int i = 0; i < 100; i++)
		submit(gpu, 1 + i % 3, VK_NULL_HANDLE);
	NEED(vkQueueWaitIdle(gpu->queue));
	NEED(vkQueueSubmit(gpu->queue, 0, NULL, gpu->fence));
	await(gpu);
	submit(gpu, 0, gpu->fence);
	await(gpu);
	for (int i = 0; i < 5; i++) {
		submit(gpu, 1, gpu->fence);
		while (vkGetFenceStatus(gpu->device, gpu->fence) == VK_NOT_READY)
			usleep(50);
		NEED(vkResetFences(gpu->device, 1, &gpu->fence));
	}
	if (gpu->newer)
		submit_newer(gpu);
	submit(gpu, 3, VK_NULL_HANDLE);
	NEED(vkDeviceWaitIdle(gpu->device));
}

/* A batch that waits until the program lets it go (gate_open). */
static VkSemaphore gate_close(struct gpu *gpu)
{
	const uint64_t one = 1;
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = 1,
		.pWaitSemaphoreValues = &one};
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkSemaphore gate = timeline_new(gpu);
	const VkSubmitInfo waits = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				    .pNext = &values,
				    .waitSemaphoreCount = 1,
				    .pWaitSemaphores = &gate,
				    .pWaitDstStageMask = &stage,
				    .commandBufferCount = 1,
				    .pCommandBuffers = gpu->fill};
	NEED(vkQueueSubmit(gpu->queue, 1, &waits, VK_NULL_HANDLE));
	batches++;
	return gate;
}

static void gate_open(struct gpu *gpu, VkSemaphore gate)
{
	const VkSemaphoreSignalInfo signal = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = gate, .value = 1};

	NEED(vkSignalSemaphore(gpu->device, &signal));
	NEED(vkDeviceWaitIdle(gpu->device));
	vkDestroySemaphore(gpu->device, gate, NULL);
}

static void wait_for_program(struct gpu *gpu)
{
	struct gpu other;

	gpu_open(&other);
	VkSemaphore gate = gate_close(gpu);
	for (int i = 0; i < 100; i++)
		submit(gpu, 1, VK_NULL_HANDLE);
	usleep(50000);
	submit(&other, 1, VK_NULL_HANDLE);
	NEED(vkDeviceWaitIdle(other.device));
	alarm(20);
	gpu_close(&other);
	gate_open(gpu, gate);
}

/* With nothing in them, but for the gate's. */
static void submit_most(struct gpu *gpu)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};

	NEED(vkResetCommandPool(gpu->device, gpu->pool, 0));
	for (int i = 0; i < 3; i++) {
		NEED(vkBeginCommandBuffer(gpu->fill[i], &begin));
		NEED(vkEndCommandBuffer(gpu->fill[i]));
	}
	VkSemaphore gate = gate_close(gpu);
	for (int i = 0; i < 70000; i++)
		submit(gpu, 1, VK_NULL_HANDLE);
	gate_open(gpu, gate);
}

#define LONG                                                                                       \
	"a label that is so long that it has to be cut, in the middle of its last but one letter: "

static void label(VkCommandBuffer buffer, const char *name)
{
	PFN_vkCmdBeginDebugUtilsLabelEXT begin =
		(PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetInstanceProcAddr(
			instance, "vkCmdBeginDebugUtilsLabelEXT");
	const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
					    .pLabelName = name};

	begin(buffer, &label);
}

static void name_buffer(struct gpu *gpu, VkCommandBuffer buffer, const char *name)
{
	PFN_vkSetDebugUtilsObjectNameEXT set =
		(PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(
			instance, "vkSetDebugUtilsObjectNameEXT");
	const VkDebugUtilsObjectNameInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = VK_OBJECT_TYPE_COMMAND_BUFFER,
		.objectHandle = (uint64_t)(uintptr_t)buffer,
		.pObjectName = name};

	NEED(set(gpu->device, &info));
}

/*
 * A primary one that executes two others, which have names or not; `name`: the primary one's, or
 * NULL; `text`: its label, or NULL.
 */
static VkCommandBuffer secondaries(struct gpu *gpu, bool named, const char *name, const char *text)
{
	VkCommandBuffer primary, two[2];
	VkCommandBufferAllocateInfo wanted = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = gpu->pool,
		.commandBufferCount = 1};
	const VkCommandBufferInheritanceInfo from = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
		.pInheritanceInfo = &from};

	NEED(vkAllocateCommandBuffers(gpu->device, &wanted, &primary));
	wanted.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
	wanted.commandBufferCount = 2;
	NEED(vkAllocateCommandBuffers(gpu->device, &wanted, two));
	if (name)
		name_buffer(gpu, primary, name);
	for (int i = 0; i < 2; i++) {
		if (named)
			name_buffer(gpu, two[i], i ? "lava" : "rocks");
		NEED(vkBeginCommandBuffer(two[i], &begin));
		vkCmdFillBuffer(two[i], gpu->buffer, 0, 1024, 7);
		vkCmdFillBuffer(two[i], gpu->buffer, 0, 1024, 8);
		NEED(vkEndCommandBuffer(two[i]));
	}
	NEED(vkBeginCommandBuffer(primary, &begin));
	if (text)
		label(primary, text);
	vkCmdExecuteCommands(primary, 2, two);
	NEED(vkEndCommandBuffer(primary));
	return primary;
}

/* One with a name is freed, and the driver gives its handle to another one. */
static void name_one_that_goes(struct gpu *gpu)
{
	const VkCommandBufferAllocateInfo wanted = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = gpu->pool,
		.commandBufferCount = 1};
	VkCommandBuffer buffer;

	NEED(vkAllocateCommandBuffers(gpu->device, &wanted, &buffer));
	name_buffer(gpu, buffer, "gone");
	vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &buffer);
}

static void begin_again(struct gpu *gpu)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};

	NEED(vkDeviceWaitIdle(gpu->device));
	NEED(vkResetCommandPool(gpu->device, gpu->pool, 0));
	NEED(vkBeginCommandBuffer(gpu->fill[0], &begin));
}

static void end_and_submit(struct gpu *gpu)
{
	NEED(vkEndCommandBuffer(gpu->fill[0]));
	submit(gpu, 1, VK_NULL_HANDLE);
}

/* 128 bytes in two regions, 64, and 16 that lie in the command buffer. */
static void record_copies(struct gpu *gpu)
{
	const VkBufferCopy regions[2] = {{.srcOffset = 0, .dstOffset = 1024, .size = 64},
					 {.srcOffset = 256, .dstOffset = 2048, .size = 64}};
	const VkBufferCopy2 region = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_COPY_2, .dstOffset = 3072, .size = 64};
	const VkCopyBufferInfo2 info = {.sType = VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2,
					.srcBuffer = gpu->buffer,
					.dstBuffer = gpu->buffer,
					.regionCount = 1,
					.pRegions = &region};

	vkCmdCopyBuffer(gpu->fill[0], gpu->buffer, gpu->buffer, 2, regions);
	vkCmdCopyBuffer2(gpu->fill[0], &info);
	vkCmdUpdateBuffer(gpu->fill[0], gpu->buffer, 3584, 16, regions);
}

static void submit_named(struct gpu *gpu)
{
	submit(gpu, 2, VK_NULL_HANDLE);
	name_buffer(gpu, gpu->fill[0], "ocean");
	submit(gpu, 2, VK_NULL_HANDLE);
	NEED(vkDeviceWaitIdle(gpu->device));
	name_buffer(gpu, gpu->fill[0], "");
	name_one_that_goes(gpu);
	gpu->fill[0] = secondaries(gpu, false, NULL, NULL);
	submit(gpu, 1, VK_NULL_HANDLE);
	gpu->fill[0] = secondaries(gpu, true, NULL, NULL);
	submit(gpu, 1, VK_NULL_HANDLE);
	gpu->fill[0] = secondaries(gpu, true, "island", NULL);
	submit(gpu, 1, VK_NULL_HANDLE);
	gpu->fill[0] = secondaries(gpu, true, NULL, LONG "\u00e4\u00e4\u00e4\u00e4\u00e4");
	submit(gpu, 1, VK_NULL_HANDLE);
	/* Recorded again, without a label. */
	begin_again(gpu);
	end_and_submit(gpu);
	begin_again(gpu);
	record_copies(gpu);
	end_and_submit(gpu);
	begin_again(gpu);
	vkCmdFillBuffer(gpu->fill[0], gpu->buffer, 0, VK_WHOLE_SIZE, 9);
	end_and_submit(gpu);
	NEED(vkDeviceWaitIdle(gpu->device));
}

/* 200 batches in a call, and 4,500 without a wait. */
static void submit_many(struct gpu *gpu)
{
	VkSemaphore gate = gate_close(gpu);
	VkSubmitInfo infos[200];

	for (int i = 0; i < 200; i++)
		infos[i] = (VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
					  .commandBufferCount = 1,
					  .pCommandBuffers = gpu->fill};
	NEED(vkQueueSubmit(gpu->queue, 200, infos, VK_NULL_HANDLE));
	batches += 200;
	for (int i = 0; i < 4500; i++)
		submit(gpu, 1, VK_NULL_HANDLE);
	gate_open(gpu, gate);
}

static struct gpu last; /* for the exit handler */

static void close_last(void)
{
	NEED(vkDeviceWaitIdle(last.device));
	gpu_close(&last);
	vkDestroyInstance(instance, NULL);
	printf("closed at exit\n");
}

static void work_late(void)
{
	for (int i = 0; i < 100; i++)
		submit(&last, 1, VK_NULL_HANDLE);
	NEED(vkQueueWaitIdle(last.queue));
	printf("batches %u\n", batches);
}

static void leave(int number)
{
	(void)number;
	exit(7);
}

static void leave_within(void)
{
	gpu_open(&last);
	submit(&last, 2, VK_NULL_HANDLE);
	NEED(vkDeviceWaitIdle(last.device));
	/* Its end is known by then, so nobody asks the driver while it waits for the gate. */
	usleep(50000);
	gate_close(&last);
	submit(&last, 1, VK_NULL_HANDLE);
	printf("batches %u\n", batches);
	fflush(stdout);
	signal(SIGALRM, leave);
	ualarm(50000, 0);
	NEED(vkDeviceWaitIdle(last.device));
}

/* True: the mode is one of these, and its work is done. */
static bool run_other(const char *mode)
{
	struct gpu gpu;

	if (!strcmp(mode, "atexit")) {
		atexit(close_last);
		gpu_open(&last);
		for (int i = 0; i < 40; i++)
			submit(&last, 2, VK_NULL_HANDLE);
		printf("batches %u\n", batches);
		exit(0);
	}
	if (!strcmp(mode, "late")) {
		atexit(work_late);
		gpu_open(&last);
		exit(0);
	}
	if (!strcmp(mode, "within"))
		leave_within();
	if (strcmp(mode, "wait") && strcmp(mode, "leak") && strcmp(mode, "fence") &&
	    strcmp(mode, "values") && strcmp(mode, "ahead") && strcmp(mode, "names") &&
	    strcmp(mode, "most") && strcmp(mode, "many"))
		return false;
	gpu_open(&gpu);
	if (!strcmp(mode, "wait"))
		wait_for_program(&gpu);
	if (!strcmp(mode, "values"))
		wait_for_values(&gpu);
	if (!strcmp(mode, "ahead"))
		stay_ahead(&gpu);
	if (!strcmp(mode, "many"))
		submit_many(&gpu);
	if (!strcmp(mode, "most"))
		return submit_most(&gpu), gpu_close(&gpu), true;
	if (!strcmp(mode, "names"))
		return submit_named(&gpu), gpu_close(&gpu), true;
	for (int i = 0; i < 10; i++) {
		submit(&gpu, 2, VK_NULL_HANDLE);
		NEED(vkQueueSubmit(gpu.queue, 0, NULL, gpu.fence));
		await(&gpu);
	}
	if (strcmp(mode, "leak") != 0)
		gpu_close(&gpu);
	return true;
}

static unsigned sum(const struct gpu *gpu)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 768; i++)
		sum += gpu->words[i];
	return sum;
}

static void *come_and_go(void *unused)
{
	for (int i = 0; i < 4; i++) {
		struct gpu gpu;
		gpu_open(&gpu);
		for (int j = 0; j < 40; j++) {
			submit(&gpu, (uint32_t)(j % 3), j % 4 ? VK_NULL_HANDLE : gpu.fence);
			if (j % 4 == 0)
				await(&gpu);
		}
		NEED(vkDeviceWaitIdle(gpu.device));
		gpu_close(&gpu);
	}
	return unused;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "work";
	pthread_t threads[3];
	struct gpu gpu;

	start(!strcmp(mode, "names"));
	if (!strcmp(mode, "threads")) {
		for (int i = 0; i < 3; i++)
			if (pthread_create(&threads[i], NULL, come_and_go, NULL))
				return 1;
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
	} else if (!run_other(mode)) {
		gpu_open(&gpu);
		work(&gpu);
		if (!strcmp(mode, "fork")) {
			pid_t child = fork();
			if (!child)
				exit(3);
			int status = 0;
			waitpid(child, &status, 0);
			printf("child %d\n", WEXITSTATUS(status));
			work(&gpu);
		}
		if (!strcmp(mode, "leave"))
			submit(&gpu, 3, VK_NULL_HANDLE);
		printf("sum %u\n", sum(&gpu));
		if (!strcmp(mode, "leave"))
			printf("batches %u\n", batches), exit(0);
		gpu_close(&gpu);
	}
	vkDestroyInstance(instance, NULL);
	printf("batches %u\n", batches);
	return 0;
}
