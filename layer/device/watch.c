/* SPDX-License-Identifier: MIT */
/*
 * watch.c: see watch.h.
 *
 * Entries are never removed, so that calling them needs no lock: `count` is stored with release
 * when an entry is filled in, and loaded with acquire.
 */
#include "layer/device/watch.h"

#include <pthread.h>
#include <stdatomic.h>

#include "layer/device/device_lanes.h"
#include "layer/base/start_page.h"
#include "tracelayer/shim.h"

#define MOST 16u

static struct {
	tl_device_callback callback;
	void *user_data;
} watchers[MOST];
static _Atomic unsigned count TL_START;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

TL_EXPORT int tl_device_watch(tl_device_callback callback, void *user_data)
{
	pthread_mutex_lock(&adding);
	unsigned here = atomic_load_explicit(&count, memory_order_relaxed);
	if (here < MOST) {
		watchers[here].callback = callback;
		watchers[here].user_data = user_data;
		/* Release: pairs with the acquire in tl_device_tell. */
		atomic_store_explicit(&count, here + 1, memory_order_release);
	}
	pthread_mutex_unlock(&adding);
	tl_device_look();
	return here < MOST ? 0 : 1;
}

bool tl_device_is_watched(void)
{
	return atomic_load_explicit(&count, memory_order_relaxed) > 0;
}

void tl_device_tell(const struct tl_device_view *command)
{
	unsigned here = atomic_load_explicit(&count, memory_order_acquire);

	for (unsigned i = 0; i < here; i++)
		watchers[i].callback(command, watchers[i].user_data);
}
