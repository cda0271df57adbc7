/* SPDX-License-Identifier: MIT */
/*
 * device.h: what devices do, beside what their hosts call: when it begins and when it ends. The
 * parts of the APIs set hooks (hook.h) around the calls that submit work; what these show goes
 * through work.h.
 */
#ifndef TL_LAYER_DEVICE_DEVICE_H
#define TL_LAYER_DEVICE_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "layer/base/first_call.h"
#include "layer/calls/hook.h"

enum tl_device_left {
	TL_DEVICE_NOTHING,
	TL_DEVICE_UNENDED, /* but nothing of it has ended: look again, ever more seldom */
	TL_DEVICE_LATER,   /* some was done, and in a while there may be more */
	TL_DEVICE_MORE,	   /* that can be done at once */
};

/* The part of an API. */
struct tl_device_api {
	const char *prefix; /* of its functions: "cl", "ze" */
	const struct tl_hook *hooks;
	/*
	 * Collect the results that are ready, show as unfinished what is not, and let go of what is
	 * held. The last that is heard of the driver: from its beginning on tl_device_has_ended,
	 * and no hook that saw otherwise is still running, unless that took until the deadline
	 * (nanoseconds of CLOCK_MONOTONIC), which this has to keep too. The calling thread may hold
	 * no lock of a driver, but other threads may.
	 */
	void (*end)(uint64_t deadline);
	/*
	 * For the thread in the background (background.h), as inside of a hook: do some of what
	 * there is to do, for some 50 us, and say if something is left. And, at any time: is there
	 * something to do? NULL, both: nothing is done there.
	 */
	enum tl_device_left (*collect)(void);
	bool (*awaits)(void);
	/*
	 * In a forked child: forget everything. Only the calling thread is there; locks may be held
	 * by threads that are not. No driver calls.
	 */
	void (*after_fork)(void);
};

/* Those that there are; NULL-ended (layer/device/device_apis.c). A program without it has none. */
extern const struct tl_device_api *const tl_device_apis[] __attribute__((weak));

/*
 * Device lanes are wanted, if the settings and what is asked of this process say so. True: since
 * now. Async-signal-safe.
 */
bool tl_device_look(void);

/* They are wanted, and have not begun. */
static inline bool tl_device_waits(void)
{
	return tl_first_call_awaited() & TL_FIRST_CALL_BIT(TL_FIRST_CALL_DEVICE);
}

/* At the first call after that, before its mode is looked at. */
void tl_device_begin(void);

/*
 * The process ends: what is known of the devices' work is recorded. Once; within 200 ms, as far as
 * drivers answer. Does nothing where the calling thread is inside of a call, whose driver may hold
 * locks.
 */
void tl_device_end(void);

/* There is something for it to do. */
bool tl_device_awaits_end(void);

/* It has been called: nothing is asked of a driver any more on our behalf. */
static inline bool tl_device_has_ended(void)
{
	return tl_hook_driver_has_ended();
}

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t tl_device_now(void)
{
	return tl_clock_gettime_ticks();
}

void tl_device_after_fork(void);

#endif
