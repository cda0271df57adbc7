/* SPDX-License-Identifier: MIT */
/*
 * cuda_hooks.c: CUDA's device lanes put together: the hooks of all files, the end, forks.
 */
#include "layer/device/cuda/cuda.h"

#include "layer/device/cuda/cuda_activity.h"
#include "layer/device/cuda/cuda_collect.h"
#include "layer/device/cuda/cuda_commands.h"
#include "layer/device/cuda/cuda_ends.h"
#include "layer/device/cuda/cuda_kernels.h"
#include "layer/device/cuda/cuda_memory.h"
#include "layer/device/cuda/cuda_per_thread.h"
#include "layer/device/cuda/cuda_waits.h"
#include "layer/device/device_api.h"
#include "layer/device/device_lanes.h"

static void lanes_await(uint64_t deadline)
{
	if (!tl_device_lock_until(&tl_cuda_looking, deadline))
		return;
	tl_cuda_collect_await(deadline, true);
	pthread_mutex_unlock(&tl_cuda_looking);
}

static void lanes_end(uint64_t deadline)
{
	if (!tl_device_lock_until(&tl_cuda_looking, deadline))
		return;
	tl_cuda_driver_ending(true);
	tl_cuda_collect_await(deadline, !tl_device_is_late());
	tl_cuda_driver_ending(false);
	tl_cuda_collect_give_up();
	pthread_mutex_unlock(&tl_cuda_looking);
}

static void lanes_give_up(uint64_t deadline)
{
	if (!tl_device_lock_until(&tl_cuda_looking, deadline))
		return;
	tl_cuda_collect_give_up();
	pthread_mutex_unlock(&tl_cuda_looking);
}

/* What the layer has in the driver belongs to the parent. */
static void lanes_after_fork(void)
{
	tl_cuda_driver_functions_forget();
	tl_cuda_activity_forget();
	tl_cuda_collect_forget();
	tl_cuda_waits_forget();
	tl_cuda_kernels_forget();
	tl_cuda_memory_forget();
	tl_cuda_streams_forget();
	tl_cuda_contexts_forget();
}

static const struct tl_hook *const lists[] = {
	tl_cuda_per_thread_hooks, tl_cuda_activity_hooks,
	tl_cuda_kernel_hooks,	  tl_cuda_command_hooks,
	tl_cuda_memory_hooks,	  tl_cuda_wait_hooks,
	tl_cuda_end_hooks,	  NULL,
};

const struct tl_device_api tl_device_cuda = {
	.prefix = "cu",
	.hooks = lists,
	.end = lanes_end,
	.await = lanes_await,
	.give_up = lanes_give_up,
	.collect = tl_cuda_collect_some,
	.awaits = tl_cuda_awaits,
	.after_fork = lanes_after_fork,
};
