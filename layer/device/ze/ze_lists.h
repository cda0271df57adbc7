/* SPDX-License-Identifier: MIT */
/*
 * ze_lists.h: the program's command lists. With tl_ze_lock held.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_LISTS_H
#define TL_LAYER_DEVICE_ZE_ZE_LISTS_H

#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/calls/hook.h"
#include "layer/device/handles.h"
#include "layer/device/ze/ze_devices.h"
#include "layer/device/ze/ze_own.h"
#include "layer/device/ze/ze_queues.h"

struct ze_recording;

struct ze_list {
	struct tl_handle handle;
	struct ze_context *context;
	struct ze_device *device;
	uint32_t group;
	bool only_copies;
	bool in_order;
	struct ze_queue *queue;		/* for an immediate list */
	struct ze_recording *recording; /* for a regular list */
	/* the number that the program got for the next command; 0: none */
	uint64_t next_id;
	/* the program may replace the next command's event: that gets none of the layer's */
	bool next_signals;
	uint64_t session; /* the last graph's capture in which it took part */
};

struct ze_list *tl_ze_list_find(ze_command_list_handle_t handle);

/* The driver has just made a copy of a regular list. */
void tl_ze_list_clone(const struct ze_list *list, ze_command_list_handle_t clone);

void tl_ze_lists_forget(void);

extern const struct tl_hook tl_ze_list_hooks[];

#endif
