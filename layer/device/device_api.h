/* SPDX-License-Identifier: MIT */
/*
 * device_api.h: what the room of a driver gives to the room of device lanes. There is one for each
 * API whose devices get lanes; layer/process/device_apis.c lists them.
 */
#ifndef TL_LAYER_DEVICE_DEVICE_API_H
#define TL_LAYER_DEVICE_DEVICE_API_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/device/hook.h"

struct tl_producer;

enum tl_device_left {
	TL_DEVICE_NOTHING,
	TL_DEVICE_UNENDED, /* commands are under way, and none has ended: look ever more seldom */
	TL_DEVICE_LATER,   /* some were collected, and there may be more in a while */
	TL_DEVICE_MORE,	   /* there are more that can be collected at once */
};

struct tl_device_api {
	const char *prefix; /* of its functions: "cl", "ze" */
	/* NULL-ended: lists of hooks, each as tl_hook_set takes it. */
	const struct tl_hook *const *hooks;
	/*
	 * Collect the results that are ready, show what is not as unfinished, and let go of what
	 * the layer holds. The last time that the driver hears of the layer. tl_device_has_ended
	 * is true before it begins, and no hook that saw otherwise is still running, unless that
	 * took until the deadline (nanoseconds of CLOCK_MONOTONIC). It has to keep the deadline
	 * itself. The calling thread holds no lock of a driver; other threads may.
	 */
	void (*end)(uint64_t deadline);
	/*
	 * On the background thread (background.h), as inside of a hook: collect for some 50 us, and
	 * say what is left. And, at any time: is there something to collect? NULL, both: there
	 * never is.
	 */
	enum tl_device_left (*collect)(void);
	bool (*awaits)(void);
	/*
	 * A thread has got a producer that another one may have had: forget what must not be
	 * inherited. Async-signal-safe. NULL: nothing.
	 */
	void (*thread_begins)(struct tl_producer *producer);
	/*
	 * In a forked child: forget everything. Only the calling thread is there; a thread that is
	 * not may hold any lock. No driver calls.
	 */
	void (*after_fork)(void);
};

/*
 * All there are, NULL-ended. The list lies above the drivers' rooms (layer/process/device_apis.c).
 * A program that is linked without it has no device lanes.
 */
extern const struct tl_device_api *const tl_device_apis[] __attribute__((weak));

#endif
