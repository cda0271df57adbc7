/* SPDX-License-Identifier: MIT */
/*
 * ze_awaited: commands that end before the program waits for them, and before it submits the next
 * ones. The waits are for a queue, for a fence, and for commands' events. Lists are destroyed
 * before the wait.
 *
 * Prints "commands N": each of them is waited for. With an argument, further commands: MANY on a
 * queue, before it waits for them.
 */
#include "ze_app.h"

#include <stdio.h>
#include <unistd.h>

#define COMMANDS 3 /* of a list */
#define ROUNDS	 4
#define MANY	 2000
#define PAUSE	 500 /* microseconds */

static struct ze_app app;
static ze_kernel_handle_t kernel;
static unsigned commands;

static void append(ze_command_list_handle_t list, ze_event_handle_t event)
{
	const ze_group_count_t groups = {1, 1, 1};

	MUST(ZE(zeCommandListAppendLaunchKernel, list, kernel, &groups, event, 0, NULL));
}

static ze_command_list_handle_t list_new(ze_event_handle_t event)
{
	ze_command_list_handle_t list = ze_app_list(&app);

	for (unsigned i = 0; i < COMMANDS; i++)
		append(list, i == COMMANDS - 1 ? event : NULL);
	MUST(ZE(zeCommandListClose, list));
	return list;
}

static ze_fence_handle_t fence_new(ze_command_queue_handle_t queue)
{
	const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
	ze_fence_handle_t fence;

	MUST(ZE(zeFenceCreate, queue, &desc, &fence));
	return fence;
}

/* Returns when the list has ended. No call has waited for that. */
static void execute(ze_command_queue_handle_t queue, ze_command_list_handle_t list,
		    ze_fence_handle_t fence)
{
	MUST(ZE(zeFenceReset, fence));
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, fence));
	commands += COMMANDS;
	while (ZE(zeFenceQueryStatus, fence) == ZE_RESULT_NOT_READY)
		usleep(PAUSE);
}

/* The same list twice, and two others, before each wait. */
static void regular(ze_command_queue_handle_t queue)
{
	ze_command_list_handle_t first = list_new(NULL), second = list_new(NULL), gone;
	ze_fence_handle_t fence = fence_new(queue);

	for (unsigned round = 0; round < ROUNDS; round++) {
		gone = list_new(NULL);
		execute(queue, first, fence);
		execute(queue, gone, fence);
		MUST(ZE(zeCommandListDestroy, gone));
		execute(queue, first, fence);
		execute(queue, second, fence);
		if (round % 2 == 0)
			MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
		else
			MUST(ZE(zeFenceHostSynchronize, fence, UINT64_MAX));
	}
	MUST(ZE(zeFenceDestroy, fence));
	MUST(ZE(zeCommandListDestroy, first));
	MUST(ZE(zeCommandListDestroy, second));
}

/* Each command has an event; the program waits for one after the other, the last one first. */
static void immediate(void)
{
	const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					      .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
	ze_event_pool_handle_t pool = ze_app_pool(&app, COMMANDS, 0);
	ze_command_list_handle_t list = NULL;
	ze_event_handle_t events[COMMANDS];

	MUST(ZE(zeCommandListCreateImmediate, app.context, app.device, &desc, &list));
	for (uint32_t i = 0; i < COMMANDS; i++)
		events[i] = ze_app_event(pool, i);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < COMMANDS; i++) {
			append(list, events[i]);
			commands++;
			while (ZE(zeEventQueryStatus, events[i]) == ZE_RESULT_NOT_READY)
				usleep(PAUSE);
		}
		for (unsigned i = COMMANDS; i-- > 0;) {
			MUST(ZE(zeEventHostSynchronize, events[i], UINT64_MAX));
			MUST(ZE(zeEventHostReset, events[i]));
		}
	}
	for (uint32_t i = 0; i < COMMANDS; i++)
		MUST(ZE(zeEventDestroy, events[i]));
	MUST(ZE(zeEventPoolDestroy, pool));
	MUST(ZE(zeCommandListDestroy, list));
}

/* The program waits for the event of a list's last command, and then for the queue. */
static void last_event(ze_command_queue_handle_t queue)
{
	ze_event_pool_handle_t pool = ze_app_pool(&app, 1, 0);
	ze_event_handle_t event = ze_app_event(pool, 0);
	ze_command_list_handle_t list = list_new(event);
	ze_fence_handle_t fence = fence_new(queue);

	for (unsigned round = 0; round < ROUNDS; round++) {
		execute(queue, list, fence);
		MUST(ZE(zeEventHostSynchronize, event, UINT64_MAX));
		MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
		MUST(ZE(zeEventHostReset, event));
	}
	MUST(ZE(zeFenceDestroy, fence));
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeEventDestroy, event));
	MUST(ZE(zeEventPoolDestroy, pool));
}

static void many(ze_command_queue_handle_t queue)
{
	ze_command_list_handle_t list = ze_app_list(&app);

	append(list, NULL);
	MUST(ZE(zeCommandListClose, list));
	for (unsigned i = 0; i < MANY; i++) {
		MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, NULL));
		commands++;
	}
	MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
	MUST(ZE(zeCommandListDestroy, list));
}

int main(int argc, char **argv)
{
	ze_app_open(&app);
	kernel = ze_app_kernel(&app, "empty");
	MUST(ZE(zeKernelSetGroupSize, kernel, 1, 1, 1));
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	if (argc > 1) {
		many(queue);
	} else {
		regular(queue);
		immediate();
		last_event(queue);
	}
	MUST(ZE(zeCommandQueueDestroy, queue));
	MUST(ZE(zeKernelDestroy, kernel));
	ze_app_close(&app);
	printf("commands %u\n", commands);
	(void)argv;
	return 0;
}
