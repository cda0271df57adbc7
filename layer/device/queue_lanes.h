/* SPDX-License-Identifier: MIT */
/*
 * queue_lanes.h: the lanes of a queue. A command goes to the first lane on which its time is free.
 * Commands may come in any order. Spans that no later command can overlap are forgotten: no command
 * begins before the first pending one was submitted. Under the queue's lock.
 */
#ifndef TL_LAYER_DEVICE_QUEUE_LANES_H
#define TL_LAYER_DEVICE_QUEUE_LANES_H

#include <stdint.h>

#include "layer/device/device_queue.h"

/*
 * The lane for the command, whose times may be moved by a nanosecond. `by`: the lane of the thread
 * that records it. NULL where memory is short.
 */
struct tl_queue_lane *tl_queue_lane_for(struct tl_device_queue *queue, struct tl_device_work *work,
					uint32_t by);

#endif
