/* SPDX-License-Identifier: MIT */
/*
 * driver_exit.c: exit handlers that drivers register.
 *
 * Drivers have libraries that make what they need when it is first needed, and destroy it in an exit
 * handler: LLVM does so for the kernels that PoCL compiles on a thread of its own. If the driver still
 * compiles then, and the process goes on for long, it crashes. So what takes long at our end comes before
 * that: __cxa_atexit is exported in the C library's place, and behind each handler that a driver registers
 * comes one of ours, which runs before it.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "layer/base/start_page.h"
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

/* Found early: later another thread may wait in a library's constructor, under the dynamic linker's lock. */
static __attribute__((constructor)) void find_next(void)
{
	register_next();
}

static void before_driver(void *unused)
{
	(void)unused;
	tl_exit_early();
}

/* What atexit, and static objects of C++, come to. The constructor of any library may call it. */
int __cxa_atexit(void (*handler)(void *), void *argument, void *library);
TL_EXPORT int __cxa_atexit(void (*handler)(void *), void *argument, void *library)
{
	register_function *next = register_next();

	if (!next)
		return -1;
	int result = next(handler, argument, library);

	if (result == 0 && tl_device_awaits_end() && tl_device_is_driver_here())
		next(before_driver, NULL, &__dso_handle);
	return result;
}
