/* SPDX-License-Identifier: MIT */
/*
 * vulkan_waits.c: see vulkan_waits.h.
 *
 * A fence is signaled when its batches have ended, and those before them on the queue; so is a
 * semaphore with a value. A question that finds one signaled counts as a wait.
 */
#include "layer/device/vulkan/vulkan_waits.h"

#include "layer/device/vulkan/vulkan_collect.h"
#include "layer/device/vulkan/vulkan_signals.h"

static struct vk_device *call_device(const struct tl_call *call)
{
	if (!tl_vk_is_known(call) || !tl_vk_usable())
		return NULL;
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_device *device = tl_vk_device_find(VK_PARAM(call, 0, const void *));
	pthread_mutex_unlock(&tl_vk_lock);
	return device;
}

/* The device of a call that has waited, and the call; NULL: it has not. */
static struct vk_device *call_waited(const struct tl_call *call, uint64_t result, bool unwound,
				     struct tl_device_call *here)
{
	struct vk_device *device = tl_vk_call_failed(result, unwound) ? NULL : call_device(call);

	if (device)
		*here = tl_device_call_of(call);
	return device;
}

static void queue_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	(void)state;
	if (tl_vk_call_failed(result, unwound) || !tl_vk_is_known(call) || !tl_vk_usable())
		return;
	const struct tl_device_call here = tl_device_call_of(call);
	pthread_mutex_lock(&tl_vk_lock);
	struct vk_queue *queue = tl_vk_queue_find(VK_PARAM(call, 0, const void *));
	pthread_mutex_unlock(&tl_vk_lock);
	if (queue)
		tl_vk_collect_waited_queue(queue, &here);
}

static void device_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct tl_device_call here;
	struct vk_device *device = call_waited(call, result, unwound, &here);

	(void)state;
	if (!device)
		return;
	tl_vk_collect_waited_device(device, &here);
}

/* vkWaitForFences(device, count, fences, all, timeout) */
static void fences_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct tl_device_call here;
	struct vk_device *device = call_waited(call, result, unwound, &here);

	(void)state;
	if (!device)
		return;
	void *const *fences = VK_PARAM(call, 2, void *const *);
	uint32_t count = VK_PARAM(call, 1, uint32_t);
	/* Of several, it is not known which was signaled. */
	if (count > 1 && !VK_PARAM(call, 3, uint32_t))
		return;
	for (uint32_t i = 0; i < count; i++)
		tl_vk_collect_waited_signal(device, fences[i], 0, &here);
}

static void fence_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct tl_device_call here;
	struct vk_device *device = call_waited(call, result, unwound, &here);

	(void)state;
	if (!device)
		return;
	tl_vk_collect_waited_signal(device, VK_PARAM(call, 1, const void *), 0, &here);
}

/* The value 0, which a semaphore may have from the start, says nothing. */
static void semaphore_has(struct vk_device *device, const void *semaphore, uint64_t value,
			  const struct tl_device_call *here)
{
	if (value)
		tl_vk_collect_waited_signal(device, semaphore, value, here);
}

/* vkWaitSemaphores(device, info, timeout) */
static void semaphores_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct tl_device_call here;
	struct vk_device *device = call_waited(call, result, unwound, &here);

	(void)state;
	if (!device)
		return;
	const struct vk_semaphore_wait *wait = VK_PARAM(call, 1, const struct vk_semaphore_wait *);
	/* Of several, it is not known which has its value. */
	if (wait->count > 1 && wait->flags & VK_WAIT_ANY)
		return;
	for (uint32_t i = 0; i < wait->count; i++)
		semaphore_has(device, wait->semaphores[i], wait->values[i], &here);
}

/* vkGetSemaphoreCounterValue(device, semaphore, value) */
static void semaphore_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct tl_device_call here;
	struct vk_device *device = call_waited(call, result, unwound, &here);

	(void)state;
	if (!device)
		return;
	semaphore_has(device, VK_PARAM(call, 1, const void *), *VK_PARAM(call, 2, const uint64_t *),
		      &here);
}

static void device_forget_signal(const struct vk_device *device, const void *handle)
{
	pthread_mutex_lock(&tl_vk_lock);
	tl_vk_signals_forget(device, handle);
	pthread_mutex_unlock(&tl_vk_lock);
}

/* vkResetFences(device, count, fences). Before: afterwards another thread may submit with them. */
static void reset_before(struct tl_call *call, void *state)
{
	struct vk_device *device = call_device(call);

	(void)state;
	for (uint32_t i = 0; device && i < VK_PARAM(call, 1, uint32_t); i++)
		device_forget_signal(device, VK_PARAM(call, 2, void *const *)[i]);
}

/* vkGetFenceFdKHR(device, info, fd). A sync file takes the signal with it: the fence is reset. */
static void fence_fd_before(struct tl_call *call, void *state)
{
	struct vk_device *device = call_device(call);
	const struct vk_fence_fd *info =
		device ? VK_PARAM(call, 1, const struct vk_fence_fd *) : NULL;

	(void)state;
	if (info && info->type == VK_SYNC_FD)
		device_forget_signal(device, info->fence);
}

/* vkDestroyFence(device, fence, allocator), vkDestroySemaphore(device, semaphore, allocator) */
static void signal_before(struct tl_call *call, void *state)
{
	struct vk_device *device = call_device(call);

	(void)state;
	if (device)
		device_forget_signal(device, VK_PARAM(call, 1, const void *));
}

const struct tl_hook tl_vk_wait_hooks[] = {
	{"vkQueueWaitIdle", NULL, queue_after, TL_HOOK_TIMED},
	{"vkDeviceWaitIdle", NULL, device_after, TL_HOOK_TIMED},
	{"vkWaitForFences", NULL, fences_after, TL_HOOK_TIMED},
	{"vkGetFenceStatus", NULL, fence_after, TL_HOOK_TIMED},
	{"vkResetFences", reset_before, NULL, TL_HOOK_PLAIN},
	{"vkGetFenceFdKHR", fence_fd_before, NULL, TL_HOOK_PLAIN},
	{"vkWaitSemaphores", NULL, semaphores_after, TL_HOOK_TIMED},
	{"vkWaitSemaphoresKHR", NULL, semaphores_after, TL_HOOK_TIMED},
	{"vkGetSemaphoreCounterValue", NULL, semaphore_after, TL_HOOK_TIMED},
	{"vkGetSemaphoreCounterValueKHR", NULL, semaphore_after, TL_HOOK_TIMED},
	{"vkDestroyFence", signal_before, NULL, TL_HOOK_PLAIN},
	{"vkDestroySemaphore", signal_before, NULL, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};
