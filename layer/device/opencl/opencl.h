/* SPDX-License-Identifier: MIT */
/*
 * opencl.h: the contract of layer/device/opencl, the room that knows OpenCL: when commands of a
 * program's queues run, and what memory the program has. It reports that to layer/device (work.h).
 *
 * The room promises that the program does not notice it: the driver's answers are the same as
 * without the layer. Where the room needs profiling, or an event, that the program did not ask for,
 * it asks for them itself, and releases them before the program can notice. Nothing waits for the
 * device, except the process's end, 20 ms at most.
 *
 * Other rooms use one thing, tl_device_opencl in the list of APIs (layer/process/device_apis.c):
 * layer/device calls the room through it. The rest runs in hooks, in any thread, and in the
 * background thread. No signal handler of the same thread enters one while another one runs. In a
 * forked child everything is forgotten before the first hook.
 *
 * From the ground up:
 *
 * 	opencl_driver_functions	the driver's functions that the layer calls
 * 	opencl_call.h		a call, as hooks see it
 * 	opencl_devices		devices and their clocks
 * 	opencl_queues		the table of queues
 * 	opencl_waiting.h	which threads wait for commands just now
 * 	opencl_commands		commands under way
 * 	opencl_collect		which have ended; telling of them
 * 	opencl_waits		hooks of calls that wait for commands
 * 	opencl_kernels		kernels' names
 * 	opencl_memory		memory that the program has
 * 	opencl_enqueue_table.h	every function that enqueues something
 * 	opencl_enqueues		their hooks
 * 	opencl_queue_hooks	hooks of functions that create, release and ask about queues
 * 	opencl_events		hooks of questions about events
 * 	opencl_hooks.c		the table of all hooks, the end, forks
 *
 * It uses layer/device, and the rooms below that.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_H

struct tl_device_api;
extern const struct tl_device_api tl_device_opencl;

#endif
