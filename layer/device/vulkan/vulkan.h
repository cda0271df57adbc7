/* SPDX-License-Identifier: MIT */
/*
 * vulkan.h: the contract of layer/device/vulkan, the room that knows Vulkan: when what a program
 * submits to its queues runs. It reports that to layer/device (work.h).
 *
 * The room needs no header of Khronos: vulkan_functions.h declares the few functions that it calls.
 * A batch of vkQueueSubmit and vkQueueSubmit2 gets a command buffer of the layer in front of the
 * program's, and one behind them; each writes a timestamp. So a slice is a batch: Vulkan has no
 * time for a single dispatch or draw without a change to the program's own command buffers.
 *
 * The room promises that the program does not notice it. The driver gets copies of the program's
 * structs. A batch that may not contain other command buffers (protected, or of a device group) is
 * left alone, and so is a queue that has no timestamps. Nothing waits for the device in a thread of
 * the program, but where the program destroys the device, which has no work left then.
 *
 * Other rooms use one thing, tl_device_vulkan in the list of APIs (layer/process/device_apis.c):
 * layer/device calls the room through it. The rest is hooks, which run in any thread, and the
 * background thread. In a forked child everything is forgotten before the first hook.
 *
 * From the ground up:
 *
 *	vulkan_functions	the functions that the layer calls; the locks
 *	vulkan_devices		devices and queues, and their lanes
 *	vulkan_stamps		the layer's own command buffers, and the timestamps that they write
 *	vulkan_collect		showing batches whose timestamps say that they have ended
 *	vulkan_submits		the hooks of functions that submit
 *	vulkan_waits		the hooks of functions that wait, or find that a batch has ended
 *	vulkan_hooks.c		devices come and go; the hooks of all files, the end, forks
 *
 * It uses layer/device, and the rooms below that.
 */
#ifndef TL_LAYER_DEVICE_VULKAN_VULKAN_H
#define TL_LAYER_DEVICE_VULKAN_VULKAN_H

struct tl_device_api;
extern const struct tl_device_api tl_device_vulkan;

#endif
