/* SPDX-License-Identifier: MIT */
/*
 * ze_lists.c: see ze_lists.h. What a list records is in ze_recordings.c.
 */
#include "layer/device/ze/ze_lists.h"

#include <stdlib.h>
#include <string.h>

#include "layer/device/ze/ze_collect.h"
#include "layer/device/ze/ze_driver_functions.h"
#include "layer/device/ze/ze_graph.h"
#include "layer/device/ze/ze_objects.h"
#include "layer/device/ze/ze_recordings.h"

static struct tl_handles lists;

struct ze_list *tl_ze_list_find(ze_command_list_handle_t handle)
{
	return (struct ze_list *)tl_handles_find(&lists, handle);
}

/* Flags that 1.4's header lacks: each command begins when the one before it has ended. */
#define LIST_IN_ORDER  8u /* ZE_COMMAND_LIST_FLAG_IN_ORDER */
#define QUEUE_IN_ORDER 2u /* ZE_COMMAND_QUEUE_FLAG_IN_ORDER */

static struct ze_list *list_new(struct tl_call *call, uint32_t group, bool in_order)
{
	struct ze_device *device = tl_ze_device(ZE_PARAM(call, 1, ze_device_handle_t));
	struct ze_context *context = tl_ze_context(ZE_PARAM(call, 0, ze_context_handle_t));
	struct ze_list *list =
		device && context
			? tl_ze_object_new(&lists, *ZE_PARAM(call, 3, void **), sizeof(*list))
			: NULL;

	if (!list)
		return NULL;
	list->context = context;
	list->device = device;
	list->group = group;
	list->only_copies = tl_ze_only_copies(device, group);
	list->in_order = in_order;
	return list;
}

/* The copy has the same commands with the program's events, and nothing of the layer's. */
static void recording_copy_command(struct ze_recording *recording, const struct ze_command *command)
{
	struct ze_command *copy = tl_ze_command_next(recording);

	if (!copy)
		return;
	*copy = *command;
	copy->kernel = NULL;
	if (command->kernel)
		tl_ze_command_set_kernel(copy, command->kernel);
	copy->own = NULL;
	copy->slot = NULL;
	copy->previous = 0;
	if (copy->event)
		copy->event->references++;
	recording->count++;
}

void tl_ze_list_clone(const struct ze_list *list, ze_command_list_handle_t clone)
{
	struct ze_list *made = tl_ze_object_new(&lists, clone, sizeof(*made));

	if (!made)
		return;
	made->context = list->context;
	made->device = list->device;
	made->group = list->group;
	made->only_copies = list->only_copies;
	made->in_order = list->in_order;
	made->recording = tl_ze_recording_new(list->context, list->device, list->group, false);
	for (uint32_t i = 0; made->recording && i < list->recording->count; i++)
		recording_copy_command(made->recording, &list->recording->commands[i]);
}

static void list_create_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const ze_command_list_desc_t *desc = ZE_PARAM(call, 2, const ze_command_list_desc_t *);

	if (tl_ze_call_failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list =
		list_new(call, desc->commandQueueGroupOrdinal, desc->flags & LIST_IN_ORDER);
	if (list)
		list->recording =
			tl_ze_recording_new(list->context, list->device, list->group, false);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void immediate_create_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	const ze_command_queue_desc_t *desc = ZE_PARAM(call, 2, const ze_command_queue_desc_t *);

	if (tl_ze_call_failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list = list_new(call, desc->ordinal, desc->flags & QUEUE_IN_ORDER);
	if (list)
		list->queue = calloc(1, sizeof(*list->queue));
	if (list && list->queue)
		tl_ze_queue_open(list->queue, list->device, desc->ordinal, desc->index, desc->mode);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void list_destroy_before(struct tl_call *call, void *state)
{
	struct ze_taken *taken = state;

	pthread_mutex_lock(&tl_ze_lock);
	taken->object = tl_handles_take(&lists, ZE_PARAM(call, 0, void *));
	struct ze_list *list = (struct ze_list *)taken->object;
	if (list) {
		tl_ze_list_is_gone(list);
		tl_ze_wait_for_stamps(list->queue, list->recording);
	}
	if (list && list->queue)
		tl_ze_collect(list->queue);
	pthread_mutex_unlock(&tl_ze_lock);
}

static void list_reset_before(struct tl_call *call, void *state)
{
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list = tl_ze_list_find(ZE_PARAM(call, 0, ze_command_list_handle_t));
	if (list && list->recording)
		tl_ze_wait_for_stamps(NULL, list->recording);
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

static void list_destroy_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	struct ze_taken *taken = state;
	struct ze_list *list = (struct ze_list *)taken->object;

	if (!list)
		return;
	pthread_mutex_lock(&tl_ze_lock);
	if (tl_ze_call_failed(result, unwound)) {
		tl_handles_put(&lists, taken->object);
	} else {
		tl_ze_recording_release(list->recording);
		if (list->queue)
			tl_ze_queue_close(list->queue);
		free(list->queue);
		free(list);
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)call;
}

/* Executions of what was recorded may still be under way. */
static void list_reset_after(struct tl_call *call, void *state, uint64_t result, bool unwound)
{
	if (tl_ze_call_failed(result, unwound))
		return;
	pthread_mutex_lock(&tl_ze_lock);
	struct ze_list *list = tl_ze_list_find(ZE_PARAM(call, 0, ze_command_list_handle_t));
	if (list && list->recording) {
		tl_ze_recording_release(list->recording);
		list->recording =
			tl_ze_recording_new(list->context, list->device, list->group, false);
		list->next_id = 0;
	}
	pthread_mutex_unlock(&tl_ze_lock);
	(void)state;
}

const struct tl_hook tl_ze_list_hooks[] = {
	{"zeCommandListCreate", NULL, list_create_after, TL_HOOK_PLAIN},
	{"zeCommandListCreateImmediate", NULL, immediate_create_after, TL_HOOK_PLAIN},
	{"zeCommandListDestroy", list_destroy_before, list_destroy_after, TL_HOOK_PLAIN},
	{"zeCommandListReset", list_reset_before, list_reset_after, TL_HOOK_PLAIN},
	{NULL, NULL, NULL, TL_HOOK_PLAIN},
};

void tl_ze_lists_forget(void)
{
	memset(&lists, 0, sizeof(lists));
}
