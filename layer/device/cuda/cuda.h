/* SPDX-License-Identifier: MIT */
/*
 * cuda.h: the contract of layer/device/cuda, the room that knows CUDA's driver API: when the
 * commands of a program's streams run, and what memory it has. It reports that to layer/device (work.h).
 *
 * The room needs no header of NVIDIA: cuda_driver_functions.h declares the few functions that it
 * calls. It records an event of the layer before and after each command, on the command's stream; or,
 * if the user asks for it, has CUPTI's records of the commands.
 *
 * The room promises that the program does not notice it. A stream that captures a graph gets no
 * event of the layer. Each call of the layer leaves the thread's current context and capture mode
 * as they were. Nothing waits for the device.
 *
 * Other rooms use one thing, tl_device_cuda in the list of APIs (layer/process/device_apis.c):
 * layer/device calls the room through it. The rest is hooks, which run in any thread, and the
 * background thread. In a forked child everything is forgotten before the first hook.
 *
 * From the ground up:
 *
 *	cuda_driver_functions	the driver's functions that the layer calls; the locks
 *	cuda_contexts		contexts, their devices, and the layer's own events in them
 *	cuda_clock		a context's clock
 *	cuda_streams		streams, and their lanes
 *	cuda_per_thread		which default stream a call means
 *	cuda_kernels		names of kernels; their hooks
 *	cuda_memory		memory that the program allocates; its hooks
 *	cuda_activity		CUPTI's records of commands; cupti_abi.h: its interface
 *	cuda_collect		showing commands whose events say that they have ended
 *	cuda_command_table	every function that puts a command on a stream
 *	cuda_commands		the hooks of these functions
 *	cuda_waits		hooks of functions that wait for commands
 *	cuda_ends		hooks of functions that destroy streams and contexts
 *	cuda_hooks.c		the hooks of all files, the end, forks
 *
 * It uses layer/device, and the rooms below that.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_H
#define TL_LAYER_DEVICE_CUDA_CUDA_H

struct tl_device_api;
extern const struct tl_device_api tl_device_cuda;

#endif
