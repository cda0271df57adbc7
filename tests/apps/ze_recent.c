/* SPDX-License-Identifier: MIT */
/*
 * Functions that are newer than Debian's headers (drivers/ze_recent.h), for device lanes to show:
 * launches with arguments, host functions, lists that immediate lists execute, lists that are
 * changed and copied, graphs, and a wait for the whole device. What it prints depends on nothing
 * but its arguments, with a steady clock.
 *
 *	ze_recent work [ROUNDS]		commands that each execution of a list is asked for
 *	ze_recent graph [ROUNDS]		graphs, captured on two lists; and copies of lists
 */
#include "ze_app.h"

#define RECENT_RENAMED
#define RECENT_CALLED
#include "../drivers/ze_recent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ze_app app;
static const ze_group_count_t one = {1, 1, 1}, two = {2, 1, 1};
static char *memory;
static unsigned called;

static void host_function(void *count)
{
	++*(unsigned *)count;
}

/* ---- objects */

static ze_command_list_handle_t immediate_new(uint32_t engine, ze_command_queue_flags_t flags)
{
	const ze_command_queue_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .index = engine, .flags = flags};
	ze_command_list_handle_t list;

	MUST(ZE(zeCommandListCreateImmediate, app.context, app.device, &desc, &list));
	return list;
}

static ze_kernel_handle_t spin_new(const char *name, uint64_t ticks)
{
	ze_kernel_handle_t kernel = ze_app_kernel(&app, name);

	MUST(ZE(zeKernelSetGroupSize, kernel, 4, 1, 1));
	MUST(ZE(zeKernelSetArgumentValue, kernel, 0, sizeof(ticks), &ticks));
	return kernel;
}

static void print_event(const char *what, ze_event_handle_t event)
{
	ze_kernel_timestamp_result_t times = {.global = {7, 7}};
	uint32_t status = ZE(zeEventQueryStatus, event),
		 result = ZE(zeEventQueryKernelTimestamp, event, &times);

	printf("%s: %x %x", what, status, result);
	/* Without a steady clock each run has its own. */
	if (getenv("TEST_ZE_CLOCK_STEADY"))
		printf(" %llu+%llu", (unsigned long long)times.global.kernelStart,
		       (unsigned long long)(times.global.kernelEnd - times.global.kernelStart));
	printf("\n");
}

/* ---- appended one by one */

static void append_new(ze_command_list_handle_t list, ze_event_handle_t event)
{
	const struct recent_groups counts = {3, 1, 1}, sizes = {8, 1, 1};
	ze_kernel_handle_t spin = spin_new("spin@arguments", 1),
			   same = spin_new("spin@parameters", 900);
	uint64_t ticks = 1500;
	void *arguments[] = {&ticks};

	MUST(zeCommandListAppendLaunchKernelWithArguments(list, spin, counts, sizes, arguments,
							  NULL, NULL, 0, NULL));
	MUST(zeCommandListAppendLaunchKernelWithArguments(list, spin, counts, sizes, arguments,
							  NULL, event, 0, NULL));
	MUST(zeCommandListAppendLaunchKernelWithParameters(
		list, same, (const struct recent_groups *)&one, NULL, NULL, 1, (void **)&event));
	MUST(zeCommandListAppendMemoryCopyWithParameters(list, memory, memory + 256, 256, NULL,
							 NULL, 0, NULL));
	MUST(zeCommandListAppendHostFunction(list, host_function, &called, NULL, NULL, 0, NULL));
	MUST(ZE(zeKernelDestroy, spin));
	MUST(ZE(zeKernelDestroy, same));
}

static void one_by_one(ze_event_handle_t *events)
{
	ze_command_list_handle_t lists[2] = {immediate_new(0, 0),
					     immediate_new(1, RECENT_IN_ORDER_QUEUE)};

	for (int i = 0; i < 2; i++)
		append_new(lists[i], events[i]);
	MUST(zeDeviceSynchronize(app.device));
	printf("host functions: %u\n", called);
	for (int i = 0; i < 2; i++) {
		print_event("with arguments", events[i]);
		MUST(ZE(zeEventHostReset, events[i]));
		MUST(zeCommandListAppendHostFunction(lists[i], host_function, &called, NULL,
						     events[i], 0, NULL));
		MUST(zeCommandListHostSynchronize(lists[i], UINT64_MAX));
		print_event("a host function", events[i]);
		MUST(ZE(zeEventHostReset, events[i]));
		MUST(ZE(zeCommandListDestroy, lists[i]));
	}
}

/* ---- lists on immediate lists */

static void lists_on_lists(ze_event_handle_t *events)
{
	ze_command_list_handle_t list = ze_app_list(&app), other = ze_app_list(&app),
				 both[] = {list, other};
	ze_command_list_handle_t immediate = immediate_new(0, 0);
	ze_kernel_handle_t spin = spin_new("spin@list", 2500);

	append_new(list, events[0]);
	MUST(ZE(zeCommandListAppendEventReset, list, events[0]));
	MUST(ZE(zeCommandListAppendLaunchKernel, other, spin, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListClose, list));
	MUST(ZE(zeCommandListClose, other));
	MUST(zeCommandListImmediateAppendCommandListsExp(immediate, 2, (void **)both, events[1], 0,
							 NULL));
	MUST(ZE(zeEventHostSynchronize, events[1], UINT64_MAX));
	print_event("behind two lists", events[1]);
	for (int i = 0; i < 3; i++)
		MUST(zeCommandListImmediateAppendCommandListsExp(immediate, 2, (void **)both, NULL,
								 1, (void **)&events[1]));
	printf("none: %x\n", zeCommandListImmediateAppendCommandListsExp(
				     immediate, 0, (void **)both, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchKernel, immediate, spin, &one, NULL, 0, NULL));
	MUST(zeDeviceSynchronize(app.device));
	MUST(ZE(zeEventHostReset, events[1]));
	printf("host functions: %u\n", called);
	MUST(ZE(zeCommandListDestroy, immediate));
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeCommandListDestroy, other));
	MUST(ZE(zeKernelDestroy, spin));
}

/* ---- lists that change */

static uint64_t append_mutable(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
			       uint32_t flags, ze_event_handle_t event)
{
	const struct recent_desc desc = {.stype = 0x00020017, .flags = flags};
	uint64_t id;

	MUST(zeCommandListGetNextCommandIdExp(list, &desc, &id));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, kernel, &one, event, 0, NULL));
	return id;
}

static void execute(ze_command_queue_handle_t queue, ze_command_list_handle_t list,
		    ze_event_handle_t *events)
{
	MUST(ZE(zeCommandListClose, list));
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, NULL));
	MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
	for (int i = 0; i < 2; i++) {
		print_event("of a list that changes", events[i]);
		MUST(ZE(zeEventHostReset, events[i]));
	}
}

static void change(ze_event_handle_t *events)
{
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	ze_command_list_handle_t list = ze_app_list(&app);
	ze_kernel_handle_t first = spin_new("spin@first", 700),
			   second = spin_new("spin@second", 1700);
	uint64_t ids[3] = {append_mutable(list, first,
					  RECENT_CHANGES_SIGNAL | RECENT_CHANGES_KERNEL, events[0]),
			   append_mutable(list, first, 0, NULL),
			   append_mutable(list, first, RECENT_CHANGES_SIZES, NULL)};

	MUST(ZE(zeCommandListAppendLaunchKernel, list, first, &one, NULL, 0, NULL));
	execute(queue, list, events);
	MUST(zeCommandListUpdateMutableCommandSignalEventExp(list, ids[0], events[1]));
	for (int i = 1; i < 3; i++)
		printf("an event for what had none: %x\n",
		       zeCommandListUpdateMutableCommandSignalEventExp(list, ids[i], events[1]));
	execute(queue, list, events);
	MUST(zeCommandListUpdateMutableCommandKernelsExp(list, 1, ids, (void **)&second));
	const struct recent_group_size_desc size = {
		.stype = RECENT_GROUP_SIZE, .id = ids[2], .x = 16, .y = 1, .z = 1};
	const struct recent_group_count_desc count = {.stype = RECENT_GROUP_COUNT,
						      .next = &size,
						      .id = ids[2],
						      .count = (const struct recent_groups *)&two};
	const struct recent_desc changes = {.stype = 0x00020018, .next = &count};
	MUST(zeCommandListUpdateMutableCommandsExp(list, &changes));
	execute(queue, list, events);
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeCommandQueueDestroy, queue));
	MUST(ZE(zeKernelDestroy, first));
	MUST(ZE(zeKernelDestroy, second));
}

/* ---- events that count */

static void count(uint32_t flags)
{
	const struct recent_counter_desc desc = {.stype = 0x0002003a, .flags = flags};
	ze_command_list_handle_t list = immediate_new(0, RECENT_IN_ORDER_QUEUE);
	ze_kernel_handle_t spin = spin_new("spin@counter", 3500);
	void *event;

	MUST(zeEventCounterBasedCreate(app.context, app.device, &desc, &event));
	for (int i = 0; i < 3; i++) {
		MUST(ZE(zeCommandListAppendLaunchKernel, list, spin, &one, event, 0, NULL));
		if (i != 1)
			MUST(ZE(zeEventHostSynchronize, event, UINT64_MAX));
	}
	print_event("one that counts", event);
	MUST(ZE(zeEventDestroy, event));
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeKernelDestroy, spin));
}

/* ---- what pools and events answer */

static void ask(ze_event_pool_flags_t flags)
{
	const ze_event_pool_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags, .count = 1};
	ze_command_list_handle_t list = immediate_new(0, 0);
	ze_kernel_handle_t spin = spin_new("spin@asked", 4500);
	uint64_t times[4] = {0}, synchronized[4] = {0};
	struct recent_query_result result = {.times = times, .synchronized = synchronized};
	ze_event_pool_handle_t pool;
	uint32_t given = 0, count = 1;

	MUST(ZE(zeEventPoolCreate, app.context, &desc, 0, NULL, &pool));
	ze_event_handle_t event = ze_app_event(pool, 0);
	MUST(zeEventPoolGetFlags(pool, &given));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, spin, &one, event, 0, NULL));
	MUST(ZE(zeEventHostSynchronize, event, UINT64_MAX));
	printf("flags %x are %x: %x %u", flags, given,
	       zeEventQueryKernelTimestampsExt(event, app.device, &count, &result), count);
	for (int i = 0; getenv("TEST_ZE_CLOCK_STEADY") && i < 4; i++)
		printf(" %llu %llu", (unsigned long long)times[i],
		       (unsigned long long)synchronized[i]);
	printf("\n");
	MUST(ZE(zeEventDestroy, event));
	MUST(ZE(zeEventPoolDestroy, pool));
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeKernelDestroy, spin));
}

/* ---- graphs, and copies */

static void *graph_of(ze_command_list_handle_t list, ze_command_list_handle_t other,
		      ze_kernel_handle_t kernel, ze_event_handle_t *events)
{
	void *graph, *executable;

	MUST(zeCommandListBeginGraphCaptureExt(list, NULL));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, kernel, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, kernel, &one, events[0], 0, NULL));
	MUST(ZE(zeCommandListAppendWaitOnEvents, other, 1, &events[0]));
	MUST(ZE(zeCommandListAppendLaunchKernel, other, kernel, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendBarrier, other, events[1], 0, NULL));
	MUST(ZE(zeCommandListAppendBarrier, list, NULL, 1, &events[1]));
	MUST(zeCommandListEndGraphCaptureExt(list, NULL, &graph));
	MUST(zeGraphInstantiateExt(graph, NULL, &executable));
	return executable;
}

static void graphs(ze_event_handle_t *events)
{
	ze_command_list_handle_t list = immediate_new(0, RECENT_IN_ORDER_QUEUE),
				 other = immediate_new(1, RECENT_IN_ORDER_QUEUE);
	ze_kernel_handle_t inner = spin_new("spin@captured", 1200),
			   outer = spin_new("spin@outside", 600);
	void *graph = graph_of(list, other, inner, events);

	MUST(ZE(zeCommandListAppendLaunchKernel, list, outer, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchKernel, other, outer, &one, NULL, 0, NULL));
	for (int i = 0; i < 3; i++) {
		MUST(zeCommandListAppendGraphExt(list, graph, NULL, i == 1 ? events[2] : NULL, 0,
						 NULL));
		MUST(ZE(zeCommandListAppendLaunchKernel, list, outer, &one, NULL, 0, NULL));
	}
	MUST(ZE(zeEventHostSynchronize, events[2], UINT64_MAX));
	print_event("a graph", events[2]);
	MUST(zeDeviceSynchronize(app.device));
	for (int i = 0; i < 2; i++)
		print_event("in a graph", events[i]);
	MUST(zeExecutableGraphDestroyExt(graph));
	MUST(zeGraphDestroyExt(graph));
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeCommandListDestroy, other));
	for (int i = 0; i < 3; i++)
		MUST(ZE(zeEventHostReset, events[i]));
	MUST(ZE(zeKernelDestroy, inner));
	MUST(ZE(zeKernelDestroy, outer));
}

static void copies(ze_event_handle_t *events)
{
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	ze_command_list_handle_t list = ze_app_list(&app), lists[3];
	ze_kernel_handle_t spin = spin_new("spin@copied", 800);

	MUST(ZE(zeCommandListAppendLaunchKernel, list, spin, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, spin, &one, events[0], 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryPrefetch, list, memory, 256));
	MUST(ZE(zeCommandListClose, list));
	lists[0] = lists[2] = list;
	MUST(zeCommandListCreateCloneExp(list, (void **)&lists[1]));
	for (int i = 0; i < 3; i++) {
		MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &lists[i], NULL));
		MUST(ZE(zeEventHostSynchronize, events[0], UINT64_MAX));
		print_event("copied", events[0]);
		MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
		MUST(ZE(zeEventHostReset, events[0]));
	}
	MUST(ZE(zeCommandListDestroy, lists[1]));
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, NULL));
	MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
	MUST(ZE(zeEventHostReset, events[0]));
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeCommandQueueDestroy, queue));
	MUST(ZE(zeKernelDestroy, spin));
}

int main(int argc, char **argv)
{
	const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
	const char *what = argc > 1 ? argv[1] : "work";
	unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1;

	ze_app_open(&app);
	MUST(ZE(zeMemAllocHost, app.context, &host, 4096, 64, (void **)&memory));
	ze_event_pool_handle_t pool = ze_app_pool(&app, 3, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
	ze_event_handle_t events[3] = {ze_app_event(pool, 0), ze_app_event(pool, 1),
				       ze_app_event(pool, 2)};
	for (unsigned i = 0; i < rounds; i++) {
		if (strcmp(what, "graph") == 0) {
			graphs(events);
			copies(events);
			continue;
		}
		one_by_one(events);
		lists_on_lists(events);
		change(events);
		count(0);
		count(RECENT_COUNTER_VISIBLE | RECENT_COUNTER_TIMES);
		for (ze_event_pool_flags_t flags = 0; flags < 16; flags++)
			ask(flags);
	}
	for (int i = 0; i < 3; i++)
		MUST(ZE(zeEventDestroy, events[i]));
	MUST(ZE(zeEventPoolDestroy, pool));
	MUST(ZE(zeMemFree, app.context, memory));
	ze_app_close(&app);
	return 0;
}
