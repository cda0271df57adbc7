/* SPDX-License-Identifier: MIT */
/*
 * ze.h: the contract of layer/device/ze, the room that knows Level Zero: when commands of a
 * program's queues and lists run, and what memory it has. It reports that to layer/device (work.h).
 *
 * The room promises that the program does not notice it: what it reads from an event, when an event
 * is signalled, and the driver's answers about its pools are as they would be without the layer.
 * Nothing waits for the device, with one exception: a call that destroys or resets a list whose
 * last timestamps are not written yet waits for these (2 ms at most).
 *
 * Other rooms use one thing, tl_device_ze in the list of APIs (layer/process/device_apis.c):
 * layer/device calls the room through it. The rest is hooks, which run in any thread. No signal
 * handler of the same thread enters one while another one runs. In a forked child everything is
 * forgotten before the first hook. One lock protects everything (ze_driver_functions.h).
 *
 * From the ground up:
 *
 *	ze_driver_functions	the driver's functions that the layer calls; the lock
 *	ze_devices		devices, their engines, and their clocks
 *	ze_own			the layer's own events and memory in a program's context
 *	ze_events		the program's events; their hooks
 *	ze_recordings		what a list records, and where each command leaves its times
 *	ze_executions		executions of a recording, and reading what they leave
 *	ze_capture		copies of what an execution left, made before the next one
 *	ze_collect		showing commands whose times are known
 *	ze_queues		queues, fences; their hooks
 *	ze_lists		lists; their hooks
 *	ze_kernels		kernels, images; their hooks
 *	ze_memory		memory that the program allocates; its hooks
 *	ze_graph		lists whose commands are captured for a graph; their hooks
 *	ze_command_facts	what a command does, from the parameters of the call that appends it
 *	ze_append		hooks of functions that append a command to a list
 *	ze_execute_hooks	hooks of functions that execute lists or wait for queues
 *	ze_mutable		hooks of functions that change or copy lists
 *	ze_hooks.c		the hooks of all files, the end, forks
 *
 * It uses layer/device, and the rooms below that.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_H
#define TL_LAYER_DEVICE_ZE_ZE_H

struct tl_device_api;
extern const struct tl_device_api tl_device_ze;

#endif
