/* SPDX-License-Identifier: MIT */
/*
 * device_api.h: struct tl_device_api, through which this room calls a driver's room. There is one
 * for each API whose devices get lanes; layer/process/device_apis.c lists them.
 */
#ifndef TL_LAYER_DEVICE_DEVICE_API_H
#define TL_LAYER_DEVICE_DEVICE_API_H

#include <stdbool.h>
#include <stdint.h>

#include "layer/calls/hook.h"

struct tl_producer;

enum tl_device_left {
	TL_DEVICE_NOTHING,
	TL_DEVICE_UNENDED, /* commands are under way, none has ended: look less and less often */
	TL_DEVICE_LATER,   /* some were collected, and there may be more later */
	TL_DEVICE_MORE,	   /* there are more that can be collected at once */
};

struct tl_device_api {
	const char *prefix; /* prefix of its functions: "cl", "ze" */
	/* As tl_hook_set takes them. */
	const struct tl_hook *const *hooks;
	/*
	 * Collect the results that are ready, show the others as unfinished, and release what the
	 * layer holds. The layer calls the driver for the last time here. tl_device_has_ended is
	 * true before it begins, and no hook that saw false is still running, unless waiting for
	 * these hooks took until the deadline (nanoseconds of CLOCK_MONOTONIC). This function has
	 * to keep the deadline itself. The calling thread holds no lock of a driver; other threads
	 * may.
	 */
	void (*end)(uint64_t deadline);
	/*
	 * The part of it that may take long: wait for commands that are about to end, so that
	 * `end` need not. Hooks may run meanwhile and later. From here on (tl_device_is_late)
	 * drivers are asked inside of hooks, and by `end` at most about commands submitted since.
	 * NULL: `end` waits, and asks.
	 */
	void (*await)(uint64_t deadline);
	/*
	 * In place of `end` where the process ends inside of a driver, which may hold its locks:
	 * show what is known, without calling the driver. Commands that a call has waited for have
	 * ended, the others are shown as unfinished. No hook of the calling thread is running.
	 * NULL: nothing is shown.
	 */
	void (*give_up)(uint64_t deadline);
	/*
	 * On the background thread (background.h), as inside of a hook: collect for some 50 us, and
	 * return what is left. The second function says, at any time, whether there is something to
	 * collect. Both are NULL where there never is.
	 */
	enum tl_device_left (*collect)(void);
	bool (*awaits)(void);
	/*
	 * On the same thread, each time that a sample is due (--sample-device): record the counters
	 * of the devices that the program uses. NULL: the API has none.
	 */
	void (*sample)(void);
	/*
	 * A thread has got a producer that an earlier thread may have used: forget what must not be
	 * inherited. Async-signal-safe. NULL: nothing.
	 */
	void (*thread_begins)(struct tl_producer *producer);
	/*
	 * In a forked child: forget everything. Only the calling thread exists; any lock may be
	 * held by a thread that is gone. No driver calls.
	 */
	void (*after_fork)(void);
};

/*
 * All APIs, NULL-ended. The list lies above the drivers' rooms (layer/process/device_apis.c). A
 * program that is linked without it has no device lanes.
 */
extern const struct tl_device_api *const tl_device_apis[] __attribute__((weak));

#endif
