/* SPDX-License-Identifier: MIT */
/*
 * driver_exit.c: exit handlers that drivers register.
 *
 * Drivers have libraries that make what they need when it is first needed, and destroy it in an exit
 * handler: LLVM does so for the kernels that PoCL compiles on a thread of its own. If the driver still
 * compiles then, and the process goes on for long, it crashes. So what takes long at our end comes before
 * that. __cxa_atexit is exported in the C library's place. After a driver's handlers we register one of
 * ours. Handlers run last registered first, so ours runs before the driver's. In a call that is served out
 * of line, as each function's first one, ours comes when the call is over: there a driver loads LLVM,
 * which registers thousands. Elsewhere nobody knows which handler is the last, so each gets one of ours.
 *
 * Whether a driver registers is not known for certain: what runs inside of a call, or on a thread that made
 * none, counts as a driver. If it is the program, nothing is lost: devices are waited for again at the end.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "layer/base/start_page.h"
#include "layer/calls/slow_path.h"
#include "layer/device/device_lanes.h"
#include "layer/process/process_exit.h"
#include "layer/resolve/dlsym.h"

extern void *__dso_handle __attribute__((visibility("hidden")));

typedef int register_function(void (*handler)(void *), void *argument, void *library);

static register_function *register_next(void)
{
	static _Atomic(register_function *) found TL_START;
	register_function *next = atomic_load_explicit(&found, memory_order_relaxed);

	if (next)
		return next;
	next = (register_function *)tl_dlsym_next("__cxa_atexit");
	atomic_store_explicit(&found, next, memory_order_relaxed);
	return next;
}

static void before_driver(void *unused)
{
	(void)unused;
	tl_exit_early();
}

/* A library that is closed takes its handlers away, and ours stay. So there are at most so many. */
#define HANDLERS 4096u

static bool one_more(void)
{
	static _Atomic uint32_t count;

	return atomic_load_explicit(&count, memory_order_relaxed) < HANDLERS &&
	       atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) < HANDLERS;
}

/* By the C library's own function: ours would take the handler for one more of the driver's. */
static void register_ours(void)
{
	register_function *next = register_next();

	if (next && !tl_exit_early_is_done() && one_more())
		next(before_driver, NULL, &__dso_handle);
}

/* Found early: later another thread may wait in a library's constructor, under the dynamic linker's lock. */
static __attribute__((constructor)) void find_next(void)
{
	register_next();
}

/* What atexit, and static objects of C++, come to. The constructor of any library may call it. */
int __cxa_atexit(void (*handler)(void *), void *argument, void *library);
TL_EXPORT int __cxa_atexit(void (*handler)(void *), void *argument, void *library)
{
	register_function *next = register_next();

	if (!next)
		return -1;
	int result = next(handler, argument, library);

	if (result == 0 && tl_device_awaits_end() && !tl_exit_early_is_done() &&
	    tl_device_is_driver_here() && !tl_call_after_handlers(register_ours))
		register_ours();
	return result;
}
