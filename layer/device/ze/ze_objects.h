/* SPDX-License-Identifier: MIT */
/*
 * ze_objects.h: the program's queues, fences, lists, kernels and images. With tl_ze_lock held.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_OBJECTS_H
#define TL_LAYER_DEVICE_ZE_ZE_OBJECTS_H

#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/device/handles.h"
#include "layer/device/hook.h"
#include "layer/device/ze/ze_devices.h"
#include "layer/device/ze/ze_own.h"

struct ze_kernel {
	struct tl_handle handle;
	char *name;
	uint32_t group[3]; /* [0] 0: not set */
};

struct ze_image {
	struct tl_handle handle;
	uint64_t pixels;
	uint32_t pixel; /* bytes; 0: not known */
};

struct ze_execution;
struct ze_recording;

/* A command queue, or an immediate list's. Executions are numbered through all queues. */
struct ze_queue {
	struct tl_handle handle;
	struct ze_device *device;
	struct tl_device_queue *lanes;
	bool synchronous;
	uint64_t number; /* of the last execution */
	/* of the last one of which something has been read: what stands before it is over */
	uint64_t over;
	struct ze_execution *first, **last;
	struct ze_queue *next, **link; /* of all */
};

struct ze_fence {
	struct tl_handle handle;
	ze_command_queue_handle_t queue;
	uint64_t number; /* executions up to this one are over when it is signalled */
};

struct ze_list {
	struct tl_handle handle;
	struct ze_context *context;
	struct ze_device *device;
	uint32_t group;
	bool only_copies;
	bool in_order;
	struct ze_queue *queue;		/* immediate */
	struct ze_recording *recording; /* regular */
	/* that the program asked for, of the next command to be appended; 0: none */
	uint64_t next_id;
	/* the next command's event may be replaced by the program: it is to have none of ours */
	bool next_signals;
	uint64_t session; /* of the graph's capture that it took part in last */
};

struct ze_image *tl_ze_image_find(ze_image_handle_t handle);
struct ze_kernel *tl_ze_kernel_find(ze_kernel_handle_t handle);
struct ze_list *tl_ze_list_find(ze_command_list_handle_t handle);
struct ze_queue *tl_ze_queue_find(ze_command_queue_handle_t handle);
struct ze_fence *tl_ze_fence_find(ze_fence_handle_t handle);
struct ze_queue *tl_ze_queues(void); /* the first of all */
/* The driver has just made a copy of a regular list. With the lock held. */
void tl_ze_list_clone(const struct ze_list *list, ze_command_list_handle_t clone);
void tl_ze_objects_forget(void);

extern const struct tl_hook tl_ze_object_hooks[];

#endif
