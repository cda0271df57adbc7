/* SPDX-License-Identifier: MIT */
/*
 * opencl_collect.h: asking the driver which commands have ended, reporting them, and releasing
 * their events. In hooks and in the background. Nothing here waits for a command, except at the
 * end.
 */
#ifndef TL_LAYER_DEVICE_OPENCL_OPENCL_COLLECT_H
#define TL_LAYER_DEVICE_OPENCL_OPENCL_COLLECT_H

#include <stdint.h>

#include "layer/device/device_api.h"
#include "layer/device/opencl/opencl_call.h"
#include "layer/device/opencl/opencl_queues.h"

/* Collect the ended commands of a queue, and release their events. */
void tl_cl_collect(struct tl_cl_queue *queue);

/*
 * Before a call that may show how many references there are: release the events that only the layer
 * has. The commands stay until a call has waited for them.
 */
void tl_cl_yield(struct tl_cl_queue *queue);

/* Do one of these for all queues. */
void tl_cl_all_queues(void (*collect)(struct tl_cl_queue *queue));

/* In the background: see struct tl_device_api. */
enum tl_device_left tl_cl_collect_some(void);
bool tl_cl_awaits(void);

/* A command was enqueued. While the device is busy with it, there is time to report others. */
void tl_cl_collect_meanwhile(const struct tl_call *call, struct tl_cl_queue *queue);

/* The call `waited` was the first to wait for some commands of the queue. */
void tl_cl_collect_waited(struct tl_cl_queue *queue, const struct tl_cl_call *waited);

/* Before calls after which the program might see that the layer still holds something. */
TL_CL_BEFORE(tl_cl_context_info_before);
TL_CL_BEFORE(tl_cl_release_context_before);

/* Collect what has ended; the first time, wait for what is about to end. */
void tl_cl_collect_await(uint64_t deadline);

/* The same, and what has not ended is shown as unfinished. */
void tl_cl_collect_end(uint64_t deadline);

/* In place of it, where the driver must not be called: see struct tl_device_api. */
void tl_cl_give_up(uint64_t deadline);

#endif
