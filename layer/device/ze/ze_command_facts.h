/* SPDX-License-Identifier: MIT */
/*
 * ze_command_facts.h: what a command does (struct tl_device_facts), from the parameters of the call
 * that appends it to a list. With tl_ze_lock held.
 */
#ifndef TL_LAYER_DEVICE_ZE_ZE_COMMAND_FACTS_H
#define TL_LAYER_DEVICE_ZE_ZE_COMMAND_FACTS_H

#include "layer/calls/hook.h"
#include "layer/device/ze/ze_lists.h"
#include "layer/device/ze/ze_recordings.h"

/* Fill in the command's facts. There is one such function for each form of parameters. */
typedef void tl_ze_describe(struct tl_call *call, const struct ze_list *list,
			    struct ze_command *command);

tl_ze_describe tl_ze_describe_kernel, tl_ze_describe_arguments, tl_ze_describe_indirect,
	tl_ze_describe_several, tl_ze_describe_copy, tl_ze_describe_copy_from,
	tl_ze_describe_copy_region, tl_ze_describe_fill, tl_ze_describe_image_copy,
	tl_ze_describe_image_region, tl_ze_describe_image_read, tl_ze_describe_image_write,
	tl_ze_describe_prefetch, tl_ze_describe_barrier, tl_ze_describe_signal, tl_ze_describe_wait,
	tl_ze_describe_reset, tl_ze_describe_host, tl_ze_describe_graph,
	tl_ze_describe_signal_semaphore, tl_ze_describe_wait_semaphore, tl_ze_describe_timestamp,
	tl_ze_describe_query;

#endif
