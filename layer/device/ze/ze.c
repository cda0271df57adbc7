/* SPDX-License-Identifier: MIT */
/*
 * ze.c: Level Zero's device lanes, put together: hooks, the driver's functions, the end, forks.
 */
#include <string.h>
#include <time.h>

#include "layer/device/ze/ze.h"

pthread_mutex_t tl_ze_lock = PTHREAD_MUTEX_INITIALIZER;
struct tl_ze_real tl_ze_real;

/* --- the driver's functions */

static bool looked, complete;
static bool ending; /* the last time that the driver may be asked */

static void look(void)
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
		look();
	return complete;
}

/* --- the end, forks */

/*
 * A thread that was in a hook when the end came may hold the lock; it is waited for as long as
 * there is time.
 */
static bool lock_until(uint64_t deadline)
{
	uint64_t now = tl_device_now(), left = deadline > now ? deadline - now : 0;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	left += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(left / 1000000000);
	until.tv_nsec = (long)(left % 1000000000);
	return pthread_mutex_timedlock(&tl_ze_lock, &until) == 0;
}

static void end(uint64_t deadline)
{
	if (!lock_until(deadline))
		return;
	ending = true;
	if (tl_ze_queues() && tl_ze_usable())
		tl_ze_pair_all();
	for (struct ze_queue *queue = tl_ze_queues(); queue; queue = queue->next) {
		/* A driver that is slow to answer is asked no more. */
		if (tl_device_now() > deadline)
			ending = false;
		tl_ze_give_up(queue);
	}
	ending = false;
	pthread_mutex_unlock(&tl_ze_lock);
}

/* What the parent has of ours in the driver is the parent's. */
static void after_fork(void)
{
	pthread_mutex_init(&tl_ze_lock, NULL);
	ending = false;
	tl_ze_objects_forget();
	tl_ze_events_forget();
	tl_ze_devices_forget();
	tl_ze_contexts_forget();
	tl_ze_graphs_forget();
}

const struct tl_device_api tl_device_ze = {
	.prefix = "ze", .hooks = tl_ze_object_hooks, .end = end, .after_fork = after_fork};
const struct tl_device_api tl_device_ze_events = {.prefix = "ze", .hooks = tl_ze_event_hooks};
const struct tl_device_api tl_device_ze_appends = {.prefix = "ze", .hooks = tl_ze_append_hooks};
const struct tl_device_api tl_device_ze_executions = {.prefix = "ze", .hooks = tl_ze_execute_hooks};
const struct tl_device_api tl_device_ze_mutations = {.prefix = "ze", .hooks = tl_ze_mutable_hooks};
const struct tl_device_api tl_device_ze_graphs = {.prefix = "ze", .hooks = tl_ze_graph_hooks};
