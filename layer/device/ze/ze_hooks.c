/* SPDX-License-Identifier: MIT */
/*
 * ze_hooks.c: Level Zero's device lanes put together: the hooks of all files, the end, forks.
 */
#include "layer/device/ze/ze.h"

#include "layer/device/device_lanes.h"
#include "layer/device/device_api.h"
#include "layer/device/ze/ze_append.h"
#include "layer/device/ze/ze_collect.h"
#include "layer/device/ze/ze_devices.h"
#include "layer/device/ze/ze_driver_functions.h"
#include "layer/device/ze/ze_events.h"
#include "layer/device/ze/ze_execute_hooks.h"
#include "layer/device/ze/ze_graph.h"
#include "layer/device/ze/ze_lists.h"
#include "layer/device/ze/ze_kernels.h"
#include "layer/device/ze/ze_memory.h"
#include "layer/device/ze/ze_mutable.h"
#include "layer/device/ze/ze_counters.h"
#include "layer/device/ze/ze_queues.h"
#include "layer/device/ze/ze_own.h"

/* --- the end, forks */

static void lanes_end(uint64_t deadline)
{
	if (!tl_device_lock_until(&tl_ze_lock, deadline))
		return;
	tl_ze_driver_ending(true);
	if (tl_ze_queues_are_asked() && tl_ze_usable())
		tl_ze_pair_all();
	for (struct ze_queue *queue = tl_ze_queues(); queue; queue = queue->next) {
		/* A driver that answers slowly is not called any more. */
		tl_ze_driver_ending(tl_ze_queue_is_asked(queue) && tl_device_now() <= deadline);
		tl_ze_give_up(queue);
	}
	tl_ze_driver_ending(false);
	pthread_mutex_unlock(&tl_ze_lock);
}

static void lanes_give_up(uint64_t deadline)
{
	if (!tl_device_lock_until(&tl_ze_lock, deadline))
		return;
	for (struct ze_queue *queue = tl_ze_queues(); queue; queue = queue->next)
		tl_ze_give_up(queue);
	pthread_mutex_unlock(&tl_ze_lock);
}

/* What the layer has in the driver belongs to the parent. */
static void lanes_after_fork(void)
{
	pthread_mutex_init(&tl_ze_lock, NULL);
	tl_ze_driver_ending(false);
	tl_ze_queues_forget();
	tl_ze_lists_forget();
	tl_ze_kernels_forget();
	tl_ze_memory_forget();
	tl_ze_events_forget();
	tl_ze_devices_forget();
	tl_ze_contexts_forget();
	tl_ze_graphs_forget();
	tl_ze_counters_forget();
}

static const struct tl_hook *const lists[] = {
	tl_ze_context_hooks,
	tl_ze_queue_hooks,
	tl_ze_list_hooks,
	tl_ze_kernel_hooks,
	tl_ze_memory_hooks,
	tl_ze_event_hooks,
	tl_ze_append_hooks,
	tl_ze_execute_hooks,
	tl_ze_mutable_hooks,
	tl_ze_graph_hooks,
	NULL,
};

const struct tl_device_api tl_device_ze = {.prefix = "ze",
					   .hooks = lists,
					   .end = lanes_end,
					   .await = tl_ze_collect_await,
					   .give_up = lanes_give_up,
					   .sample = tl_ze_counters_sample,
					   .after_fork = lanes_after_fork};
