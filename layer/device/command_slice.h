/* SPDX-License-Identifier: MIT */
/*
 * command_slice.h: a command as the trace has it: a slice with arguments, and arrows from the call
 * that submitted it and to the call that waited for it.
 */
#ifndef TL_LAYER_DEVICE_COMMAND_SLICE_H
#define TL_LAYER_DEVICE_COMMAND_SLICE_H

#include <stdint.h>

#include "layer/calls/event.h"
#include "layer/device/device_queue.h"
#include "layer/device/work.h"

#define TL_WORK_OWN_ARGS  24u
#define TL_WORK_MORE_ARGS 16u

struct tl_work_args {
	uint32_t count;
	struct tl_event_arg at[TL_WORK_OWN_ARGS + TL_WORK_MORE_ARGS];
};

/* Limit its times to its room, and forget a call that has not waited for it. */
void tl_work_clamp(struct tl_device_work *work, uint64_t submitted, uint64_t now);

/* Under the queue's lock. The slice points to *args. */
struct tl_event tl_work_slice(struct tl_device_queue *queue, const struct tl_device_work *work,
			      uint32_t lane, struct tl_work_args *args);

struct tl_event_arrows tl_work_arrows(const struct tl_device_work *work);

#endif
