/* SPDX-License-Identifier: MIT */
/*
 * Command lists: each append makes one command. A regular list keeps its commands and can be
 * executed many times; an immediate list hands each one to its own queue at once. A kernel's
 * arguments are copied at the append.
 */
#include "ze_device.h"

#include <stdlib.h>
#include <string.h>

void command_free(struct command *command)
{
	for (uint32_t i = 0; i < command->launch_count; i++)
		free(command->launches[i].name);
	free(command->launches);
	free(command->waits);
	free(command->events);
	free(command->offsets);
	free(command->lists);
	free(command);
}

static void list_clear(ze_command_list_handle_t list)
{
	struct command *next;

	for (struct command *command = list->first; command; command = next) {
		next = command->next;
		command_free(command);
	}
	list->first = NULL;
	list->last = &list->first;
	list->closed = false;
}

/* ---- lists */

ze_result_t zeCommandListCreate(ze_context_handle_t context, ze_device_handle_t device,
				const ze_command_list_desc_t *desc, ze_command_list_handle_t *list)
{
	ENTER(zeCommandListCreate);
	NEED_HANDLE(context && device);
	NEED_POINTER(desc && list);
	if (desc->commandQueueGroupOrdinal >= GROUPS)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	*list = calloc(1, sizeof(**list));
	if (!*list)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	(*list)->device = device;
	(*list)->group = desc->commandQueueGroupOrdinal;
	list_clear(*list);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
					 const ze_command_queue_desc_t *desc,
					 ze_command_list_handle_t *list)
{
	ENTER(zeCommandListCreateImmediate);
	NEED_HANDLE(context && device);
	NEED_POINTER(desc && list);
	ze_command_list_handle_t made = calloc(1, sizeof(*made));
	struct queue *queue = calloc(1, sizeof(*queue));
	ze_result_t result = made && queue ? queue_open(queue, device, desc)
					   : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	if (result != ZE_RESULT_SUCCESS) {
		free(made);
		free(queue);
		return result;
	}
	made->device = device;
	made->group = desc->ordinal;
	made->queue = queue;
	list_clear(made);
	*list = made;
	return ZE_RESULT_SUCCESS;
}

static bool list_is_running(ze_command_list_handle_t list)
{
	pthread_mutex_lock(&device_lock);
	bool running = list->running > 0;
	pthread_mutex_unlock(&device_lock);
	return running;
}

ze_result_t zeCommandListDestroy(ze_command_list_handle_t list)
{
	ENTER(zeCommandListDestroy);
	NEED_HANDLE(list);
	if (list_is_running(list))
		return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
	if (list->queue) {
		queue_close(list->queue);
		free(list->queue);
	}
	list_clear(list);
	free(list);
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListClose(ze_command_list_handle_t list)
{
	ENTER(zeCommandListClose);
	NEED_HANDLE(list);
	list->closed = true;
	return ZE_RESULT_SUCCESS;
}

ze_result_t zeCommandListReset(ze_command_list_handle_t list)
{
	ENTER(zeCommandListReset);
	NEED_HANDLE(list);
	if (list_is_running(list))
		return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
	list_clear(list);
	return ZE_RESULT_SUCCESS;
}

/* ---- making a command */

/* A copy of count things at from; NULL for none of them. */
static void *copy_array(const void *from, size_t count, size_t size)
{
	void *copy = count ? malloc(count * size) : NULL;

	if (copy)
		memcpy(copy, from, count * size);
	return copy;
}

ze_result_t command_begin(ze_command_list_handle_t list, enum command_kind kind,
			  ze_event_handle_t signal, uint32_t wait_count, ze_event_handle_t *waits,
			  struct command **made)
{
	NEED_HANDLE(list);
	if (wait_count && !waits)
		return ZE_RESULT_ERROR_INVALID_SIZE;
	if (list->closed && !list->queue)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	*made = calloc(1, sizeof(**made));
	if (!*made)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	(*made)->kind = kind;
	(*made)->id = list->next_id;
	(*made)->may_change = list->next_may_change;
	list->next_id = 0;
	(*made)->signal = signal;
	(*made)->wait_count = wait_count;
	(*made)->waits = copy_array(waits, wait_count, sizeof(*waits));
	return ZE_RESULT_SUCCESS;
}

ze_result_t command_finish(ze_command_list_handle_t list, struct command *command)
{
	if (!list->queue) {
		*list->last = command;
		list->last = &command->next;
		return ZE_RESULT_SUCCESS;
	}
	if (recent_captures(list, command))
		return ZE_RESULT_SUCCESS;
	event_submitted(command, true);
	struct submission *submission = calloc(1, sizeof(*submission));
	if (!submission) {
		command_free(command);
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	submission->commands = command;
	return queue_submit(list->queue, submission);
}

#define BEGIN(kind, signal, wait_count, waits)                                                     \
	struct command *command;                                                                   \
	ze_result_t begun = command_begin(list, kind, signal, wait_count, waits, &command);        \
	if (begun != ZE_RESULT_SUCCESS)                                                            \
	return begun

/* ---- copies and fills */

static ze_result_t append_copy(ze_command_list_handle_t list, void *to, const void *from,
			       size_t size, ze_event_handle_t signal, uint32_t wait_count,
			       ze_event_handle_t *waits)
{
	BEGIN(COMMAND_COPY, signal, wait_count, waits);
	command->to = to;
	command->from = from;
	command->size = size;
	return command_finish(list, command);
}

ze_result_t zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void *to, const void *from,
					  size_t size, ze_event_handle_t signal,
					  uint32_t wait_count, ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendMemoryCopy);
	NEED_HANDLE(list);
	NEED_POINTER(to && from);
	return append_copy(list, to, from, size, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendMemoryCopyFromContext(ze_command_list_handle_t list, void *to,
						     ze_context_handle_t context, const void *from,
						     size_t size, ze_event_handle_t signal,
						     uint32_t wait_count, ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendMemoryCopyFromContext);
	NEED_HANDLE(list && context);
	NEED_POINTER(to && from);
	return append_copy(list, to, from, size, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendMemoryCopyRegion(
	ze_command_list_handle_t list, void *to, const ze_copy_region_t *to_region,
	uint32_t to_pitch, uint32_t to_slice, const void *from, const ze_copy_region_t *from_region,
	uint32_t from_pitch, uint32_t from_slice, ze_event_handle_t signal, uint32_t wait_count,
	ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendMemoryCopyRegion);
	NEED_HANDLE(list);
	NEED_POINTER(to && from && to_region && from_region);
	BEGIN(COMMAND_COPY_REGION, signal, wait_count, waits);
	command->to = to;
	command->from = from;
	command->to_region = *to_region;
	command->from_region = *from_region;
	command->to_pitch = to_pitch;
	command->to_slice = to_slice;
	command->from_pitch = from_pitch;
	command->from_slice = from_slice;
	return command_finish(list, command);
}

ze_result_t zeCommandListAppendMemoryFill(ze_command_list_handle_t list, void *to,
					  const void *pattern, size_t pattern_size, size_t size,
					  ze_event_handle_t signal, uint32_t wait_count,
					  ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendMemoryFill);
	NEED_HANDLE(list);
	NEED_POINTER(to && pattern);
	if (pattern_size == 0 || pattern_size > sizeof(((struct command *)0)->pattern) ||
	    size % pattern_size)
		return ZE_RESULT_ERROR_INVALID_SIZE;
	BEGIN(COMMAND_FILL, signal, wait_count, waits);
	command->to = to;
	command->size = size;
	memcpy(command->pattern, pattern, pattern_size);
	command->pattern_size = pattern_size;
	return command_finish(list, command);
}

/* There is nothing to do on this device, but it is a command. */
ze_result_t zeCommandListAppendMemoryPrefetch(ze_command_list_handle_t list, const void *pointer,
					      size_t size)
{
	ENTER(zeCommandListAppendMemoryPrefetch);
	NEED_HANDLE(list);
	NEED_POINTER(pointer);
	BEGIN(COMMAND_PREFETCH, NULL, 0, NULL);
	command->size = size;
	return command_finish(list, command);
}

ze_result_t zeCommandListAppendMemAdvise(ze_command_list_handle_t list, ze_device_handle_t device,
					 const void *pointer, size_t size,
					 ze_memory_advice_t advice)
{
	ENTER(zeCommandListAppendMemAdvise);
	NEED_HANDLE(list && device);
	NEED_POINTER(pointer);
	return ZE_RESULT_SUCCESS;
}

/* ---- synchronization and timestamps */

ze_result_t zeCommandListAppendBarrier(ze_command_list_handle_t list, ze_event_handle_t signal,
				       uint32_t wait_count, ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendBarrier);
	BEGIN(COMMAND_BARRIER, signal, wait_count, waits);
	return command_finish(list, command);
}

ze_result_t zeCommandListAppendMemoryRangesBarrier(ze_command_list_handle_t list, uint32_t count,
						   const size_t *sizes, const void **ranges,
						   ze_event_handle_t signal, uint32_t wait_count,
						   ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendMemoryRangesBarrier);
	NEED_HANDLE(list);
	NEED_POINTER(sizes && ranges);
	BEGIN(COMMAND_BARRIER, signal, wait_count, waits);
	return command_finish(list, command);
}

ze_result_t zeCommandListAppendWriteGlobalTimestamp(ze_command_list_handle_t list, uint64_t *to,
						    ze_event_handle_t signal, uint32_t wait_count,
						    ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendWriteGlobalTimestamp);
	NEED_HANDLE(list);
	NEED_POINTER(to);
	BEGIN(COMMAND_TIMESTAMP, signal, wait_count, waits);
	command->to = to;
	return command_finish(list, command);
}

ze_result_t zeCommandListAppendSignalEvent(ze_command_list_handle_t list, ze_event_handle_t event)
{
	ENTER(zeCommandListAppendSignalEvent);
	NEED_HANDLE(list && event);
	BEGIN(COMMAND_SIGNAL, event, 0, NULL);
	return command_finish(list, command);
}

ze_result_t zeCommandListAppendWaitOnEvents(ze_command_list_handle_t list, uint32_t count,
					    ze_event_handle_t *events)
{
	ENTER(zeCommandListAppendWaitOnEvents);
	NEED_HANDLE(list);
	NEED_POINTER(events);
	BEGIN(COMMAND_WAIT, NULL, count, events);
	return command_finish(list, command);
}

ze_result_t zeCommandListAppendEventReset(ze_command_list_handle_t list, ze_event_handle_t event)
{
	ENTER(zeCommandListAppendEventReset);
	NEED_HANDLE(list && event);
	BEGIN(COMMAND_RESET, NULL, 0, NULL);
	command->event_count = 1;
	command->events = copy_array(&event, 1, sizeof(event));
	return command_finish(list, command);
}

ze_result_t zeCommandListAppendQueryKernelTimestamps(ze_command_list_handle_t list, uint32_t count,
						     ze_event_handle_t *events, void *to,
						     const size_t *offsets,
						     ze_event_handle_t signal, uint32_t wait_count,
						     ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendQueryKernelTimestamps);
	NEED_HANDLE(list);
	NEED_POINTER(events && to);
	if (list->group != 0) /* drivers do it by a kernel */
		return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
	BEGIN(COMMAND_QUERY, signal, wait_count, waits);
	command->to = to;
	command->event_count = count;
	command->events = copy_array(events, count, sizeof(*events));
	command->offsets = offsets ? copy_array(offsets, count, sizeof(*offsets)) : NULL;
	return command_finish(list, command);
}

/* ---- launches */

static bool kernel_is_ready(ze_kernel_handle_t kernel)
{
	for (uint32_t i = 0; i < kernel->builtin->argument_count; i++)
		if (!kernel->set[i])
			return false;
	return true;
}

static void launch_fill(struct launch *launch, ze_kernel_handle_t kernel)
{
	launch->builtin = kernel->builtin;
	launch->name = strdup(kernel->name);
	memcpy(launch->arguments, kernel->arguments, sizeof(launch->arguments));
	memcpy(launch->group_size, kernel->group_size, sizeof(launch->group_size));
	memcpy(launch->offset, kernel->offset, sizeof(launch->offset));
}

static ze_result_t append_launches(ze_command_list_handle_t list, uint32_t count,
				   ze_kernel_handle_t *kernels, const ze_group_count_t *groups,
				   const ze_group_count_t *indirect, const uint32_t *limit,
				   ze_event_handle_t signal, uint32_t wait_count,
				   ze_event_handle_t *waits)
{
	if (list->group != 0)
		return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
	for (uint32_t i = 0; i < count; i++) {
		NEED_HANDLE(kernels[i]);
		if (!kernel_is_ready(kernels[i]))
			return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	}
	BEGIN(COMMAND_LAUNCH, signal, wait_count, waits);
	command->launches = calloc(count, sizeof(*command->launches));
	if (!command->launches) {
		command_free(command);
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	command->launch_count = count;
	command->launch_limit = limit;
	for (uint32_t i = 0; i < count; i++) {
		launch_fill(&command->launches[i], kernels[i]);
		if (groups)
			command->launches[i].groups = *groups;
		command->launches[i].indirect = indirect ? indirect + i : NULL;
	}
	return command_finish(list, command);
}

ze_result_t zeCommandListAppendLaunchKernel(ze_command_list_handle_t list,
					    ze_kernel_handle_t kernel,
					    const ze_group_count_t *groups,
					    ze_event_handle_t signal, uint32_t wait_count,
					    ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendLaunchKernel);
	NEED_HANDLE(list && kernel);
	NEED_POINTER(groups);
	return append_launches(list, 1, &kernel, groups, NULL, NULL, signal, wait_count, waits);
}

ze_result_t
zeCommandListAppendLaunchCooperativeKernel(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
					   const ze_group_count_t *groups, ze_event_handle_t signal,
					   uint32_t wait_count, ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendLaunchCooperativeKernel);
	NEED_HANDLE(list && kernel);
	NEED_POINTER(groups);
	return append_launches(list, 1, &kernel, groups, NULL, NULL, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendLaunchKernelIndirect(ze_command_list_handle_t list,
						    ze_kernel_handle_t kernel,
						    const ze_group_count_t *groups,
						    ze_event_handle_t signal, uint32_t wait_count,
						    ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendLaunchKernelIndirect);
	NEED_HANDLE(list && kernel);
	NEED_POINTER(groups);
	return append_launches(list, 1, &kernel, NULL, groups, NULL, signal, wait_count, waits);
}

ze_result_t zeCommandListAppendLaunchMultipleKernelsIndirect(
	ze_command_list_handle_t list, uint32_t count, ze_kernel_handle_t *kernels,
	const uint32_t *limit, const ze_group_count_t *groups, ze_event_handle_t signal,
	uint32_t wait_count, ze_event_handle_t *waits)
{
	ENTER(zeCommandListAppendLaunchMultipleKernelsIndirect);
	NEED_HANDLE(list);
	NEED_POINTER(kernels && limit && groups);
	if (count == 0)
		return ZE_RESULT_ERROR_INVALID_SIZE;
	return append_launches(list, count, kernels, NULL, groups, limit, signal, wait_count,
			       waits);
}
