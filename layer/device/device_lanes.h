/* SPDX-License-Identifier: MIT */
/*
 * device_lanes.h: the life of device lanes. They begin with the first call after they are wanted,
 * by setting the hooks of all APIs, and end with the process. Any thread may call, not a signal
 * handler, unless it says otherwise.
 */
#ifndef TL_LAYER_DEVICE_DEVICE_LANES_H
#define TL_LAYER_DEVICE_DEVICE_LANES_H

#include <stdatomic.h>
#include <stdbool.h>

/*
 * See whether the settings, and what is asked of this process, want device lanes. True: they are
 * wanted since now. Async-signal-safe.
 */
bool tl_device_look(void);

/* They are wanted, and have not begun. */
extern _Atomic bool tl_device_waiting;
static inline bool tl_device_waits(void)
{
	return atomic_load_explicit(&tl_device_waiting, memory_order_relaxed);
}

/* At the first call after that, before its mode is looked at. */
void tl_device_begin(void);

/*
 * The process ends: record what is known of the devices' work. Once; within 200 ms, as far as
 * drivers answer. Does nothing where the calling thread is inside of a call, whose driver may hold
 * locks.
 */
void tl_device_end(void);

/* tl_device_end has something to do. */
bool tl_device_awaits_end(void);

/* tl_device_end has been called: the layer asks no driver for anything any more. */
extern _Atomic bool tl_device_ended; /* device_lanes.c's own */
static inline bool tl_device_has_ended(void)
{
	/* Sequentially consistent: see inside_hook.h. */
	return atomic_load_explicit(&tl_device_ended, memory_order_seq_cst);
}

/* In a forked child. */
void tl_device_after_fork(void);

#endif
