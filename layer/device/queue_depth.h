/* SPDX-License-Identifier: MIT */
/*
 * queue_depth.h: how many commands of a queue are submitted and have not ended: a counter's
 * samples. Under the queue's lock.
 *
 * Each command that is done makes two edges, at its submission and at its end, in a heap by time.
 * Those before the submission of the first pending command are final (no command to come adds one
 * there) and become samples. So each sample is exact, and comes late.
 */
#ifndef TL_LAYER_DEVICE_QUEUE_DEPTH_H
#define TL_LAYER_DEVICE_QUEUE_DEPTH_H

#include <stdint.h>

#include "layer/device/device_queue.h"

/* An edge. Lost where memory is short. */
void tl_depth_change(struct tl_device_queue *queue, uint64_t ns, int32_t change);

/* Samples of all that happened before a time. */
void tl_depth_sample(struct tl_device_queue *queue, uint64_t until);

/* A sample of a counter; name and key are numbers of texts. Under no lock of this file's. */
void tl_device_counter(uint32_t name, uint32_t key, uint64_t ns, int64_t value);

#endif
