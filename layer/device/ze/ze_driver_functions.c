/* SPDX-License-Identifier: MIT */
/*
 * ze_driver_functions.c: see ze_driver_functions.h.
 */
#include "layer/device/ze/ze_driver_functions.h"

#include <string.h>

#include "layer/device/device_lanes.h"
#include "layer/calls/hook.h"

pthread_mutex_t tl_ze_lock = PTHREAD_MUTEX_INITIALIZER;
struct tl_ze_real tl_ze_real;

static bool looked, complete;
static bool ending; /* the driver is called for the last time */

static void driver_look(void)
{
	static const char *const names[] = {
#define NAME(function) #function,
		ZE_REAL_EACH(NAME)
#undef NAME
	};
	void *found[sizeof(names) / sizeof(names[0])];

	_Static_assert(sizeof(found) == sizeof(tl_ze_real), "a name for each");
	looked = complete = true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		found[i] = tl_hook_real(names[i]);
		complete &= found[i] != NULL;
	}
	memcpy(&tl_ze_real, found, sizeof(found));
}

bool tl_ze_usable(void)
{
	if (tl_device_has_ended() && !ending)
		return false;
	if (!looked && !ending)
		driver_look();
	return complete;
}

void tl_ze_driver_ending(bool is)
{
	ending = is;
}
