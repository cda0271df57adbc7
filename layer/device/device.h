/* SPDX-License-Identifier: MIT */
/*
 * device.h: the contract of layer/device, the room of device lanes: what a program's devices do
 * (layer/calls is about calls of the program's threads). It knows no driver. Each driver has a room
 * of its own above this one (layer/device/opencl, ze and cuda), which sets hooks around the
 * driver's functions (layer/calls/hook.h), finds out when commands run, and reports that to this
 * room.
 *
 * The room offers
 *
 * 	device_lanes.h	the start and the end of the lanes, and what a fork does to them
 * 	device_api.h	what a driver's room gives: one struct tl_device_api
 * 	background.h	a thread for work that need not be done in the program's own threads
 * 	work.h		devices, queues, commands and memory, as the trace and tools get them
 * 	handles.h	a table of a driver's handles
 * 	clock_fit.h	a device's clock as CLOCK_MONOTONIC
 *
 * Who may call. layer/process: device_lanes.h and background.h. The drivers' rooms: all of it, from
 * inside of hooks, or on the background thread. Any thread may be inside of a hook; a signal
 * handler whose thread is inside a hook is not. In a forked child nothing is called before
 * tl_device_after_fork. Each header says more.
 *
 * The room promises that the program does not notice it: no call fails or waits because of it. All
 * that the room knows is recorded at the latest when the process ends (tl_device_end, 200 ms at
 * most).
 *
 * It uses layer/calls and the rooms below that.
 */
#ifndef TL_LAYER_DEVICE_DEVICE_H
#define TL_LAYER_DEVICE_DEVICE_H

#include "layer/device/background.h"
#include "layer/device/clock_fit.h"
#include "layer/device/device_api.h"
#include "layer/device/device_lanes.h"
#include "layer/device/handles.h"
#include "layer/device/kernel_facts.h"
#include "layer/device/spare_stack.h"
#include "layer/device/work.h"

#endif
