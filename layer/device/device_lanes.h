/* SPDX-License-Identifier: MIT */
/*
 * device_lanes.h: the life of device lanes. They begin with the first call after they are wanted,
 * by setting the hooks of all APIs, and end with the process. Any thread may call, but no signal
 * handler, unless a function says otherwise.
 */
#ifndef TL_LAYER_DEVICE_DEVICE_LANES_H
#define TL_LAYER_DEVICE_DEVICE_LANES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/base/first_call.h"
#include "layer/buffers/clock.h"
#include "layer/calls/hook.h"

/*
 * Look whether the settings or the requests to this process want device lanes. True: they are
 * wanted from now on. Async-signal-safe.
 */
bool tl_device_look(void);

/* Device lanes are wanted, and have not begun. */
static inline bool tl_device_waits(void)
{
	return tl_first_call_awaited() & TL_FIRST_CALL_BIT(TL_FIRST_CALL_DEVICE);
}

/* At the next call, before its mode is looked at: begin the lanes. */
void tl_device_begin(void);

/*
 * The process ends: record what is known of the devices' work. Once; within 200 ms, if drivers
 * answer. Where the calling thread is inside of a call, its driver may hold locks and is not asked.
 */
void tl_device_end(void);

/* tl_device_end has something to do. */
bool tl_device_awaits_end(void);

/*
 * The part of tl_device_end that may take long: commands that are about to end are waited for. Then
 * tl_device_end does not wait. The program may go on to use devices.
 */
void tl_device_await(void);

/*
 * tl_device_await has been, so exit handlers of drivers and of their layers may have run: from here on
 * drivers are asked inside of the program's own calls, and by tl_device_end at most about commands
 * submitted since.
 */
bool tl_device_is_late(void);

/*
 * The calling code is a driver's, as far as can be told: it runs inside of a call, or on a thread that
 * made none and is not the process's first.
 */
bool tl_device_is_driver_here(void);

/* tl_device_end has been called: the layer asks no driver for anything any more. */
static inline bool tl_device_has_ended(void)
{
	return tl_hook_driver_has_ended();
}

/* nanoseconds that the process's end may wait for commands that are about to end */
#define TL_DEVICE_LAST_WAIT 20000000u

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t tl_device_now(void)
{
	return tl_clock_gettime_ticks();
}

/*
 * For the end of a driver's room. A thread that was in a hook when the end came may hold the lock:
 * waits for it until the deadline. False: the thread still holds it.
 */
bool tl_device_lock_until(pthread_mutex_t *lock, uint64_t deadline);

/* In a forked child. */
void tl_device_after_fork(void);

#endif
