/* SPDX-License-Identifier: MIT */
/*
 * vulkan_signals.h: what tells a program that its batches have ended: fences, and semaphores with
 * values. A queue signals them in the order in which the program submits them, once all batches
 * before have ended. A signal is kept as long as its queue has a batch before it that has not been
 * reported. Of a fence's or a semaphore's signals behind the same batch only the first one is kept: a
 * program may go on for days after the last batch that is recorded.
 *
 * All under tl_vk_lock.
 */
#ifndef TL_LAYER_DEVICE_VULKAN_VULKAN_SIGNALS_H
#define TL_LAYER_DEVICE_VULKAN_VULKAN_SIGNALS_H

#include "layer/device/vulkan/vulkan_devices.h"

/*
 * A fence, or a semaphore that gets the value, is signaled behind the queue's last batch. A fence
 * has the value 0, which no semaphore gets: a driver may give both the same handle. NULL: nothing
 * is.
 */
void tl_vk_signal_add(struct vk_queue *queue, const void *handle, uint64_t value);

/*
 * The handle was found signaled, a semaphore with this value: the number of the last batch that has
 * ended by that. 0: there is none.
 */
uint64_t tl_vk_signal_number(const struct vk_queue *queue, const void *handle, uint64_t value);

/* The fence was reset, or the handle is about to go: what signals it next is something else. */
void tl_vk_signals_forget(const struct vk_device *device, const void *handle);

/* The queue's first batch has been taken out. */
void tl_vk_signals_drop(struct vk_queue *queue);

/* In a forked child. */
void tl_vk_signals_after_fork(void);

#endif
