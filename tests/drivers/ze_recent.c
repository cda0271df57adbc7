/* SPDX-License-Identifier: MIT */
/*
 * Functions of the API that Debian's headers lack, for device lanes to be tested with: see
 * ze_recent.h. They are found by name (test_ze_recent, zeDriverGetExtensionFunctionAddress).
 *
 * A graph is a list of commands that is never submitted by itself. One is captured at a time; an
 * immediate list takes part in it from the command on that waits for an event of it.
 */
#include "ze_device.h"
#include "ze_driver.h"
#define RECENT_RENAMED
#include "ze_recent.h"

#include <stdlib.h>
#include <string.h>

/* ---- waiting */

uint32_t zeDeviceSynchronize(void *device)
{
	NEED_HANDLE(device);
	return queues_wait(device);
}

static bool is_done(void *arg)
{
	struct queue *queue = arg;

	return queue->completed >= queue->submitted;
}

uint32_t zeCommandListHostSynchronize(void *handle, uint64_t timeout)
{
	ze_command_list_handle_t list = handle;

	NEED_HANDLE(list);
	if (!list->queue)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	pthread_mutex_lock(&device_lock);
	ze_result_t result = device_wait(list->device, is_done, list->queue, timeout);
	pthread_mutex_unlock(&device_lock);
	return result;
}

/* ---- appending */

uint32_t zeCommandListAppendLaunchKernelWithArguments(void *list, void *handle,
						      const struct recent_groups groups,
						      const struct recent_groups sizes,
						      void **arguments, const void *next,
						      void *signal, uint32_t wait_count,
						      void **waits)
{
	const ze_group_count_t count = {groups.x, groups.y, groups.z};
	ze_kernel_handle_t kernel = handle;

	NEED_HANDLE(list && kernel);
	for (uint32_t i = 0; arguments && i < kernel->builtin->argument_count; i++) {
		memcpy(&kernel->arguments[i], arguments[i], kernel->builtin->arguments[i].size);
		kernel->set[i] = true;
	}
	kernel->group_size[0] = sizes.x;
	kernel->group_size[1] = sizes.y;
	kernel->group_size[2] = sizes.z;
	(void)next;
	return zeCommandListAppendLaunchKernel(list, kernel, &count, signal, wait_count,
					       (ze_event_handle_t *)waits);
}

uint32_t zeCommandListAppendLaunchKernelWithParameters(void *list, void *kernel,
						       const struct recent_groups *groups,
						       const void *next, void *signal,
						       uint32_t wait_count, void **waits)
{
	(void)next;
	return zeCommandListAppendLaunchKernel(list, kernel, (const ze_group_count_t *)groups,
					       signal, wait_count, (ze_event_handle_t *)waits);
}

uint32_t zeCommandListAppendMemoryCopyWithParameters(void *list, void *to, const void *from,
						     size_t size, const void *next, void *signal,
						     uint32_t wait_count, void **waits)
{
	(void)next;
	return zeCommandListAppendMemoryCopy(list, to, from, size, signal, wait_count,
					     (ze_event_handle_t *)waits);
}

uint32_t zeCommandListAppendHostFunction(void *list, void (*function)(void *), void *user_data,
					 const void *next, void *signal, uint32_t wait_count,
					 void **waits)
{
	struct command *command;

	NEED_POINTER(function);
	ze_result_t begun = command_begin(list, COMMAND_HOST, signal, wait_count,
					  (ze_event_handle_t *)waits, &command);
	if (begun != ZE_RESULT_SUCCESS)
		return begun;
	command->function = function;
	command->user_data = user_data;
	(void)next;
	return command_finish(list, command);
}

static uint32_t append_lists(ze_command_list_handle_t list, enum command_kind kind, uint32_t count,
			     ze_command_list_handle_t *lists, void *signal, uint32_t wait_count,
			     void **waits)
{
	struct command *command;
	ze_result_t begun =
		command_begin(list, kind, signal, wait_count, (ze_event_handle_t *)waits, &command);

	if (begun != ZE_RESULT_SUCCESS)
		return begun;
	command->lists = calloc(count, sizeof(*lists));
	if (!command->lists) {
		command_free(command);
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	memcpy(command->lists, lists, count * sizeof(*lists));
	command->list_count = count;
	return command_finish(list, command);
}

uint32_t zeCommandListImmediateAppendCommandListsExp(void *handle, uint32_t count, void **lists,
						     void *signal, uint32_t wait_count,
						     void **waits)
{
	ze_command_list_handle_t list = handle;

	NEED_HANDLE(list);
	NEED_POINTER(lists);
	if (!list->queue || count == 0)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	for (uint32_t i = 0; i < count; i++)
		if (!((ze_command_list_handle_t)lists[i])->closed)
			return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	return append_lists(list, COMMAND_LISTS, count, (ze_command_list_handle_t *)lists, signal,
			    wait_count, waits);
}

/* ---- events */

uint32_t zeEventCounterBasedCreate(void *context, void *device,
				   const struct recent_counter_desc *desc, void **created)
{
	ze_event_pool_handle_t pool;

	NEED_HANDLE(context && device);
	NEED_POINTER(desc && created);
	pool = calloc(1, sizeof(*pool) + sizeof(pool->events[0]));
	if (!pool)
		return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	pool->count = 1;
	pool->single = pool->counts = true;
	pool->timestamps = desc->flags & RECENT_COUNTER_TIMES;
	pool->events[0].pool = pool;
	*created = &pool->events[0];
	return ZE_RESULT_SUCCESS;
}

uint32_t zeEventPoolGetFlags(void *handle, uint32_t *flags)
{
	ze_event_pool_handle_t pool = handle;

	NEED_HANDLE(pool);
	NEED_POINTER(flags);
	*flags = pool->flags;
	return ZE_RESULT_SUCCESS;
}

/* Synchronized times are the device's, times a thousand. */
uint32_t zeEventQueryKernelTimestampsExt(void *event, void *device, uint32_t *count,
					 struct recent_query_result *results)
{
	ze_kernel_timestamp_result_t times;
	uint32_t one = 1;
	ze_result_t result = zeEventQueryTimestampsExp(event, device, &one, &times);

	NEED_POINTER(count);
	if (result != ZE_RESULT_SUCCESS)
		return result;
	if (*count == 0 || !results) {
		*count = 1;
		return ZE_RESULT_SUCCESS;
	}
	*count = 1;
	if (results->times)
		memcpy(results->times, &times, sizeof(times));
	if (results->synchronized && ((ze_event_handle_t)event)->pool->flags & RECENT_MAPPED) {
		uint64_t *synchronized = results->synchronized;
		const uint64_t *from = (const uint64_t *)&times;
		for (size_t i = 0; i < sizeof(times) / sizeof(*from); i++)
			synchronized[i] = 1000 * from[i];
	}
	return ZE_RESULT_SUCCESS;
}

/* ---- mutable lists */

/* NULL: there is none, or it was not declared as changeable in this way. */
static struct command *command_of(ze_command_list_handle_t list, uint64_t id, uint32_t change)
{
	struct command *command = list->first;

	while (command && command->id != id)
		command = command->next;
	return id && command && command->may_change & change ? command : NULL;
}

uint32_t zeCommandListGetNextCommandIdExp(void *handle, const struct recent_desc *desc,
					  uint64_t *id)
{
	ze_command_list_handle_t list = handle;

	NEED_HANDLE(list);
	NEED_POINTER(desc && id);
	if (!list->next_id)
		list->next_id = ++list->last_id;
	list->next_may_change = desc->flags ? desc->flags : ~RECENT_CHANGES_KERNEL;
	*id = list->next_id;
	return ZE_RESULT_SUCCESS;
}

uint32_t zeCommandListUpdateMutableCommandsExp(void *list, const struct recent_desc *desc)
{
	NEED_HANDLE(list);
	NEED_POINTER(desc);
	for (const struct recent_group_count_desc *next = desc->next; next; next = next->next) {
		struct command *command = command_of(list, next->id, RECENT_CHANGES_SIZES);
		const struct recent_group_size_desc *size = (const void *)next;

		if (!command || command->kind != COMMAND_LAUNCH)
			return ZE_RESULT_ERROR_INVALID_ARGUMENT;
		if (next->stype == RECENT_GROUP_COUNT)
			memcpy(&command->launches[0].groups, next->count, sizeof(*next->count));
		else if (next->stype == RECENT_GROUP_SIZE)
			memcpy(command->launches[0].group_size, &size->x, 3 * sizeof(size->x));
	}
	((ze_command_list_handle_t)list)->closed = false;
	return ZE_RESULT_SUCCESS;
}

/* A command without an event keeps having none. */
uint32_t zeCommandListUpdateMutableCommandSignalEventExp(void *list, uint64_t id, void *signal)
{
	NEED_HANDLE(list);
	struct command *command = command_of(list, id, RECENT_CHANGES_SIGNAL);
	if (!command || !command->signal)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	command->signal = signal;
	((ze_command_list_handle_t)list)->closed = false;
	return ZE_RESULT_SUCCESS;
}

uint32_t zeCommandListUpdateMutableCommandKernelsExp(void *list, uint32_t count, uint64_t *ids,
						     void **kernels)
{
	NEED_HANDLE(list);
	for (uint32_t i = 0; i < count; i++) {
		struct command *command = command_of(list, ids[i], RECENT_CHANGES_KERNEL);
		ze_kernel_handle_t kernel = kernels[i];

		if (!command || command->kind != COMMAND_LAUNCH)
			return ZE_RESULT_ERROR_INVALID_ARGUMENT;
		struct launch *launch = &command->launches[0];
		free(launch->name);
		launch->name = strdup(kernel->name);
		launch->builtin = kernel->builtin;
		memcpy(launch->arguments, kernel->arguments, sizeof(launch->arguments));
		memcpy(launch->group_size, kernel->group_size, sizeof(launch->group_size));
	}
	((ze_command_list_handle_t)list)->closed = false;
	return ZE_RESULT_SUCCESS;
}

static void *copy_of(const void *from, size_t size)
{
	void *copy = from ? malloc(size) : NULL;

	return copy ? memcpy(copy, from, size) : NULL;
}

/* A command owns all its memory. */
static struct command *command_copy(const struct command *command)
{
	struct command *copy = copy_of(command, sizeof(*command));

	if (!copy)
		return NULL;
	copy->next = NULL;
	copy->waits = copy_of(command->waits, command->wait_count * sizeof(*copy->waits));
	copy->events = copy_of(command->events, command->event_count * sizeof(*copy->events));
	copy->offsets = copy_of(command->offsets, command->event_count * sizeof(*copy->offsets));
	copy->lists = copy_of(command->lists, command->list_count * sizeof(*copy->lists));
	copy->launches =
		copy_of(command->launches, command->launch_count * sizeof(*copy->launches));
	for (uint32_t i = 0; i < copy->launch_count; i++)
		copy->launches[i].name = strdup(command->launches[i].name);
	return copy;
}

uint32_t zeCommandListCreateCloneExp(void *handle, void **created)
{
	ze_command_list_handle_t list = handle, clone;

	NEED_HANDLE(list);
	NEED_POINTER(created);
	clone = copy_of(list, sizeof(*list));
	if (!clone || list->queue) {
		free(clone);
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	}
	clone->running = 0;
	clone->first = NULL;
	clone->last = &clone->first;
	for (struct command *command = list->first; command; command = command->next) {
		*clone->last = command_copy(command);
		clone->last = &(*clone->last)->next;
	}
	*created = clone;
	return ZE_RESULT_SUCCESS;
}

/* ---- graphs */

struct graph {
	struct _ze_command_list_handle_t list;
};

static struct graph *capture; /* device_lock, and what follows */
static uint64_t session, last_session;

static bool takes_part(ze_command_list_handle_t list, const struct command *command)
{
	if (list->session == session)
		return true;
	for (uint32_t i = 0; i < command->wait_count; i++)
		if (command->waits[i]->session == session)
			return true;
	return false;
}

bool recent_captures(ze_command_list_handle_t list, struct command *command)
{
	pthread_mutex_lock(&device_lock);
	bool captured = session && takes_part(list, command);
	if (captured) {
		list->session = session;
		if (command->signal)
			command->signal->session = session;
		*capture->list.last = command;
		capture->list.last = &command->next;
	}
	pthread_mutex_unlock(&device_lock);
	return captured;
}

uint32_t zeCommandListBeginGraphCaptureExt(void *handle, const void *next)
{
	ze_command_list_handle_t list = handle;
	struct graph *graph = calloc(1, sizeof(*graph));

	(void)next;
	if (!graph || !list || !list->queue || session) {
		free(graph);
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	}
	pthread_mutex_lock(&device_lock);
	graph->list.last = &graph->list.first;
	graph->list.closed = true;
	capture = graph;
	list->session = session = ++last_session;
	pthread_mutex_unlock(&device_lock);
	return ZE_RESULT_SUCCESS;
}

uint32_t zeCommandListEndGraphCaptureExt(void *handle, const void *next, void **graph)
{
	ze_command_list_handle_t list = handle;

	NEED_HANDLE(list);
	NEED_POINTER(graph);
	(void)next;
	pthread_mutex_lock(&device_lock);
	bool mine = session && list->session == session;
	if (mine) {
		*graph = capture;
		session = 0;
	}
	pthread_mutex_unlock(&device_lock);
	return mine ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

uint32_t zeGraphInstantiateExt(void *graph, const void *next, void **executable)
{
	NEED_HANDLE(graph);
	NEED_POINTER(executable);
	(void)next;
	*executable = graph;
	return ZE_RESULT_SUCCESS;
}

uint32_t zeCommandListAppendGraphExt(void *list, void *executable, const void *next, void *signal,
				     uint32_t wait_count, void **waits)
{
	ze_command_list_handle_t commands;

	NEED_HANDLE(list && executable);
	(void)next;
	commands = &((struct graph *)executable)->list;
	return append_lists(list, COMMAND_GRAPH, 1, &commands, signal, wait_count, waits);
}

uint32_t zeExecutableGraphDestroyExt(void *executable)
{
	NEED_HANDLE(executable);
	return ZE_RESULT_SUCCESS;
}

uint32_t zeGraphDestroyExt(void *handle)
{
	struct graph *graph = handle;
	struct command *next;

	NEED_HANDLE(graph);
	for (struct command *command = graph->list.first; command; command = next) {
		next = command->next;
		command_free(command);
	}
	free(graph);
	return ZE_RESULT_SUCCESS;
}

/* ---- by name */

#define NAMED(function)                                                                            \
	{                                                                                          \
		&STRING(function)[sizeof("recent_") - 1], (void *)function                         \
	}
#define STRING(text)  STRING_(text)
#define STRING_(text) #text

void *recent_find(const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} named[] = {
		NAMED(zeDeviceSynchronize),
		NAMED(zeCommandListHostSynchronize),
		NAMED(zeCommandListAppendLaunchKernelWithArguments),
		NAMED(zeCommandListAppendLaunchKernelWithParameters),
		NAMED(zeCommandListAppendMemoryCopyWithParameters),
		NAMED(zeCommandListAppendHostFunction),
		NAMED(zeCommandListImmediateAppendCommandListsExp),
		NAMED(zeEventCounterBasedCreate),
		NAMED(zeEventPoolGetFlags),
		NAMED(zeEventQueryKernelTimestampsExt),
		NAMED(zeCommandListGetNextCommandIdExp),
		NAMED(zeCommandListUpdateMutableCommandsExp),
		NAMED(zeCommandListUpdateMutableCommandSignalEventExp),
		NAMED(zeCommandListUpdateMutableCommandKernelsExp),
		NAMED(zeCommandListCreateCloneExp),
		NAMED(zeCommandListBeginGraphCaptureExt),
		NAMED(zeCommandListEndGraphCaptureExt),
		NAMED(zeGraphInstantiateExt),
		NAMED(zeCommandListAppendGraphExt),
		NAMED(zeExecutableGraphDestroyExt),
		NAMED(zeGraphDestroyExt),
	};

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (strcmp(named[i].name, name) == 0)
			return named[i].function;
	return NULL;
}

void *test_ze_recent(const char *name)
{
	return recent_find(name);
}
