/* SPDX-License-Identifier: MIT */
/*
 * queue_depth.h: samples of a counter: how many commands of a queue are submitted and have not
 * ended. Under the queue's lock.
 *
 * Each command that is done makes two edges, at its submission and at its end, in a heap by time.
 * Those before the submission of the first pending command are final (no command to come adds one
 * there) and become samples. So each sample is exact, and comes late.
 */
#ifndef TL_LAYER_DEVICE_QUEUE_DEPTH_H
#define TL_LAYER_DEVICE_QUEUE_DEPTH_H

#include <stdint.h>

#include "layer/device/device_queue.h"

/* Add an edge. It is lost where memory is short. */
void tl_depth_change(struct tl_device_queue *queue, uint64_t ns, int32_t change);

/* Record the samples of all edges before a time. */
void tl_depth_sample(struct tl_device_queue *queue, uint64_t until);

/*
 * A sample of a counter; name and key are numbers of texts. The caller holds no lock of this file.
 */
void tl_device_counter(uint32_t name, uint32_t key, uint64_t ns, int64_t value);

#endif
