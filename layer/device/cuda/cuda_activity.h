/* SPDX-License-Identifier: MIT */
/*
 * cuda_activity.h: CUPTI's activity records, NVIDIA's own times of what a device did, in place of
 * the layer's events. The only file that knows CUPTI is cuda_activity.c.
 *
 * It is written to CUPTI's documentation, was run against a software libcupti.so.12, and never on
 * NVIDIA's hardware. So CUPTI is used only if the user asks for it (`--cupti`).
 *
 * Each command gets a number, which CUPTI is told before the command's call, as an external
 * correlation. CUPTI gives it back with the command's record.
 */
#ifndef TL_LAYER_DEVICE_CUDA_CUDA_ACTIVITY_H
#define TL_LAYER_DEVICE_CUDA_CUDA_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/calls/hook.h"

/* cuInit loads CUPTI. */
extern const struct tl_hook tl_cuda_activity_hooks[];

/*
 * CUPTI is in use. If cuInit was not seen, the first call that wants it loads it; meanwhile the
 * answer is false in other threads. In a hook, holding no lock.
 */
bool tl_cuda_activity_usable(void);

/*
 * Around the driver's call that submits a command: returns the command's number, never 0; 0: CUPTI
 * refuses it. Only after a number other than 0 tl_cuda_activity_leave follows, in the same thread.
 */
uint64_t tl_cuda_activity_enter(void);
void tl_cuda_activity_leave(void);

/*
 * Ask CUPTI for its records. It does not wait for the device. `all`: also for buffers that have
 * records of commands which have not ended; only at the process's end. Not under tl_cuda_lock.
 */
void tl_cuda_activity_fetch(bool all);

/* The command's record has come: nanoseconds of CLOCK_MONOTONIC. Any thread. */
bool tl_cuda_activity_times(uint64_t number, uint64_t *start, uint64_t *end);

/* In a forked child: CUPTI belongs to the parent. */
void tl_cuda_activity_forget(void);

#endif
