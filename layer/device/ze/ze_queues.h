/* SPDX-License-Identifier: MIT */
/*
 * ze_queues.h: the program's queues and fences. With tl_ze_lock held.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_QUEUES_H
#define TL_LAYER_DEVICE_ZE_ZE_QUEUES_H

#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/calls/hook.h"
#include "layer/device/handles.h"
#include "layer/device/ze/ze_devices.h"

struct ze_execution;

/* A command queue, or an immediate list's. Executions are numbered through all queues. */
struct ze_queue {
	struct tl_handle handle;
	struct ze_device *device;
	struct tl_device_queue *lanes;
	bool synchronous;
	uint64_t number; /* of the last execution */
	/* of the last execution of which something was read: all before it are over */
	uint64_t over;
	/* the early end has asked about executions up to this one */
	uint64_t awaited;
	struct ze_execution *first, **last;
	struct ze_queue *next, **link; /* of all */
};

struct ze_fence {
	struct tl_handle handle;
	ze_command_queue_handle_t queue;
	uint64_t number; /* executions up to this one are over when the fence is signalled */
};

struct ze_queue *tl_ze_queue_find(ze_command_queue_handle_t handle);
struct ze_fence *tl_ze_fence_find(ze_fence_handle_t handle);
struct ze_queue *tl_ze_queues(void); /* the first of all */

/* Begin to use a zeroed queue. An immediate list's queue is in no table. */
void tl_ze_queue_open(struct ze_queue *queue, struct ze_device *device, uint32_t group,
		      uint32_t index, ze_command_queue_mode_t mode);

/* The queue is destroyed: show what is left of its commands as unfinished. */
void tl_ze_queue_close(struct ze_queue *queue);

void tl_ze_queues_forget(void);

extern const struct tl_hook tl_ze_queue_hooks[];

#endif
