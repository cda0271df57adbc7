/* SPDX-License-Identifier: MIT */
/*
 * All that a Level Zero program reads back from its events: of pools with every combination of
 * flags, plain and extended, and of events that count; on lists of every kind; signalled, reset,
 * and signalled again. On the software device with a steady clock (TEST_ZE_CLOCK_STEADY) two runs
 * print the same, bit for bit, and so do one without us and one with us.
 *
 *	ze_reads events			what has been said
 *	ze_reads tool			a tracer gives each kernel an event that it made inside its
 *					callbacks, and prints their times
 *	ze_reads random SEED COUNT	so many steps, by chance: appending, waiting, resetting,
 *					asking, executing, destroying
 */
#include "ze_app.h"

#define RECENT_RENAMED
#define RECENT_CALLED
#include "../drivers/ze_recent.h"

#include <level_zero/layers/zel_tracing_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKS 20046u /* of a kernel */
#define BYTES 256u

static struct ze_app app;
static const ze_group_count_t one = {1, 1, 1};
static char *memory; /* the host's, which the device writes to */
static ze_command_list_handle_t asking;

static typeof(zeEventCounterBasedCreate) *create_counter;

/* ---- objects */

static ze_command_list_handle_t immediate_new(uint32_t group, ze_command_queue_flags_t flags,
					      ze_command_queue_mode_t mode)
{
	const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					      .ordinal = group,
					      .flags = flags,
					      .mode = mode};
	ze_command_list_handle_t list;

	MUST(ZE(zeCommandListCreateImmediate, app.context, app.device, &desc, &list));
	return list;
}

static ze_command_list_handle_t regular_new(uint32_t group, ze_command_list_flags_t flags)
{
	const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
					     .commandQueueGroupOrdinal = group,
					     .flags = flags};
	ze_command_list_handle_t list;

	MUST(ZE(zeCommandListCreate, app.context, app.device, &desc, &list));
	return list;
}

static ze_command_queue_handle_t queue_new(uint32_t group)
{
	const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					      .ordinal = group};
	ze_command_queue_handle_t queue;

	MUST(ZE(zeCommandQueueCreate, app.context, app.device, &desc, &queue));
	return queue;
}

static ze_kernel_handle_t spin_new(uint64_t ticks)
{
	ze_kernel_handle_t kernel = ze_app_kernel(&app, "spin");

	MUST(ZE(zeKernelSetArgumentValue, kernel, 0, sizeof(ticks), &ticks));
	return kernel;
}

/* ---- what is read */

static void print_times(const ze_kernel_timestamp_result_t *times)
{
	printf(" %llu+%llu/%llu+%llu", (unsigned long long)times->global.kernelStart,
	       (unsigned long long)(times->global.kernelEnd - times->global.kernelStart),
	       (unsigned long long)times->context.kernelStart,
	       (unsigned long long)(times->context.kernelEnd - times->context.kernelStart));
}

/* Everything that answers something about an event. */
static void read_event(const char *when, ze_event_handle_t event)
{
	ze_kernel_timestamp_result_t times = {.global = {7, 7}},
				     *written = (ze_kernel_timestamp_result_t *)(memory + 2048);
	uint32_t count = 1;

	printf("  %s: status %x", when, (unsigned)ZE(zeEventQueryStatus, event));
	printf(" query %x", (unsigned)ZE(zeEventQueryKernelTimestamp, event, &times));
	print_times(&times);
	memset(&times, 0, sizeof(times));
	printf(" exp %x",
	       (unsigned)ZE(zeEventQueryTimestampsExp, event, app.device, &count, &times));
	print_times(&times);
	memset(written, 0, sizeof(*written));
	printf(" device %x", (unsigned)ZE(zeCommandListAppendQueryKernelTimestamps, asking, 1,
					  &event, written, NULL, NULL, 0, NULL));
	print_times(written);
	printf("\n");
}

/* A command that takes its time, on either kind of engine. */
static ze_result_t append_work(ze_command_list_handle_t list, uint32_t group,
			       ze_kernel_handle_t kernel, ze_event_handle_t event,
			       ze_event_handle_t *wait)
{
	if (group == 0)
		return ZE(zeCommandListAppendLaunchKernel, list, kernel, &one, event, wait ? 1 : 0,
			  wait);
	return ZE(zeCommandListAppendMemoryCopy, list, memory, memory + BYTES, BYTES, event,
		  wait ? 1 : 0, wait);
}

/* ---- events of all kinds */

struct events {
	const char *kind;
	ze_event_pool_handle_t pool;
	ze_event_handle_t event[2];
	bool counts;
};

static bool pool_new(ze_event_pool_flags_t flags, const void *next, struct events *made)
{
	const ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
					   .pNext = next,
					   .flags = flags,
					   .count = 2};
	const ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
				       .signal = ZE_EVENT_SCOPE_FLAG_HOST};

	if (ZE(zeEventPoolCreate, app.context, &desc, 0, NULL, &made->pool) != ZE_RESULT_SUCCESS)
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		ze_event_desc_t of_it = event;
		of_it.index = i;
		MUST(ZE(zeEventCreate, made->pool, &of_it, &made->event[i]));
	}
	return true;
}

static bool counters_new(uint32_t flags, struct events *made)
{
	const struct recent_counter_desc desc = {.stype = 0x0002003a, .flags = flags};

	for (int i = 0; i < 2; i++)
		if (create_counter(app.context, app.device, &desc, (void **)&made->event[i]) != 0)
			return false;
	made->counts = true;
	return true;
}

#define POOLS	 16u /* combinations of flags */
#define EXTENDED 3u  /* not at all, by something unknown, as one that counts */
#define COUNTERS 3u
#define KINDS	 (POOLS * EXTENDED + COUNTERS)

static bool events_new(unsigned kind, struct events *made)
{
	static const struct recent_desc extensions[] = {{.stype = 0x7ffe0001},
							{.stype = RECENT_POOL_COUNTS, .flags = 1}};
	static const uint32_t counters[] = {0, RECENT_COUNTER_VISIBLE,
					    RECENT_COUNTER_VISIBLE | RECENT_COUNTER_TIMES};

	*made = (struct events){0};
	if (kind >= POOLS * EXTENDED)
		return counters_new(counters[kind - POOLS * EXTENDED], made);
	made->counts = kind / POOLS == 2;
	return pool_new(kind % POOLS, kind < POOLS ? NULL : &extensions[kind / POOLS - 1], made);
}

static void events_free(struct events *made)
{
	for (int i = 0; i < 2; i++)
		MUST(ZE(zeEventDestroy, made->event[i]));
	if (made->pool)
		MUST(ZE(zeEventPoolDestroy, made->pool));
}

/* ---- immediate lists */

static void reset(const struct events *events, int i)
{
	if (!events->counts)
		MUST(ZE(zeEventHostReset, events->event[i]));
}

static void on_immediate(uint32_t group, ze_command_queue_flags_t flags,
			 ze_command_queue_mode_t mode, struct events *events)
{
	ze_command_list_handle_t list = immediate_new(group, flags, mode);
	ze_kernel_handle_t first = spin_new(TICKS), second = spin_new(TICKS / 4);
	ze_event_handle_t *event = events->event;
	uint64_t *stamp = (uint64_t *)(memory + 3072);

	read_event("new", event[0]);
	MUST(append_work(list, group, first, event[0], NULL));
	MUST(ZE(zeEventHostSynchronize, event[0], UINT64_MAX));
	read_event("signalled", event[0]);
	MUST(append_work(list, group, second, event[1], &event[0]));
	MUST(ZE(zeEventHostSynchronize, event[1], UINT64_MAX));
	read_event("the one that waited", event[1]);
	reset(events, 0);
	read_event("reset", event[0]);
	MUST(append_work(list, group, second, event[0], NULL));
	MUST(ZE(zeEventHostSynchronize, event[0], UINT64_MAX));
	read_event("signalled again", event[0]);
	reset(events, 1);
	MUST(ZE(zeCommandListAppendBarrier, list, event[1], 1, &event[0]));
	MUST(ZE(zeEventHostSynchronize, event[1], UINT64_MAX));
	read_event("by a barrier", event[1]);
	reset(events, 0);
	if (!events->counts) {
		MUST(ZE(zeCommandListAppendSignalEvent, list, event[0]));
		MUST(ZE(zeEventHostSynchronize, event[0], UINT64_MAX));
		read_event("by a signal", event[0]);
		MUST(ZE(zeCommandListAppendEventReset, list, event[0]));
	}
	MUST(append_work(list, group, first, event[0], NULL));
	MUST(append_work(list, group, first, NULL, &event[0]));
	reset(events, 1);
	MUST(ZE(zeCommandListAppendWriteGlobalTimestamp, list, stamp, event[1], 0, NULL));
	MUST(ZE(zeEventHostSynchronize, event[1], UINT64_MAX));
	read_event("behind a reset", event[0]);
	printf("  stamp %llu\n", (unsigned long long)*stamp);
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeKernelDestroy, first));
	MUST(ZE(zeKernelDestroy, second));
}

/* ---- regular lists */

/* Asks in the list for the events' times, into the slot of that number. */
static void append_query(ze_command_list_handle_t list, uint32_t group, struct events *events,
			 unsigned slot)
{
	if (group == 0)
		MUST(ZE(zeCommandListAppendQueryKernelTimestamps, list, 2, events->event,
			memory + 1024 + 64 * slot, NULL, NULL, 0, NULL));
}

static void append_all(ze_command_list_handle_t list, uint32_t group, struct events *events,
		       ze_kernel_handle_t first, ze_kernel_handle_t second)
{
	ze_event_handle_t *event = events->event;

	if (!events->counts)
		MUST(ZE(zeCommandListAppendEventReset, list, event[0]));
	MUST(append_work(list, group, first, event[0], NULL));
	MUST(ZE(zeCommandListAppendBarrier, list, NULL, 1, &event[0]));
	append_query(list, group, events, 0);
	MUST(append_work(list, group, second, NULL, NULL));
	MUST(append_work(list, group, second, event[1], &event[0]));
	append_query(list, group, events, 1);
	if (!events->counts)
		MUST(ZE(zeCommandListAppendEventReset, list, event[0]));
	MUST(append_work(list, group, second, event[0], NULL));
	MUST(ZE(zeCommandListAppendBarrier, list, NULL, 0, NULL));
	append_query(list, group, events, 2);
	MUST(append_work(list, group, first, event[0], NULL));
	MUST(ZE(zeCommandListAppendWriteGlobalTimestamp, list, (uint64_t *)(memory + 3072), NULL, 0,
		NULL));
	append_query(list, group, events, 3);
	MUST(ZE(zeCommandListClose, list));
}

static void print_memory(void)
{
	const ze_kernel_timestamp_result_t *written = (const void *)(memory + 1024);

	printf("  in the list:");
	for (unsigned i = 0; i < 8; i++)
		print_times(&written[i]);
	printf(" stamp %llu\n", (unsigned long long)*(uint64_t *)(memory + 3072));
	memset(memory + 1024, 0, 1024);
}

static void on_regular(uint32_t group, ze_command_list_flags_t flags, struct events *events)
{
	ze_command_queue_handle_t queue = queue_new(group);
	ze_command_list_handle_t list = regular_new(group, flags), lists[2];
	ze_kernel_handle_t first = spin_new(TICKS), second = spin_new(TICKS / 4);

	append_all(list, group, events, first, second);
	read_event("before", events->event[0]);
	for (int i = 0; i < 2; i++) {
		MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, NULL));
		MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
		read_event("first event", events->event[0]);
		read_event("second event", events->event[1]);
		print_memory();
	}
	lists[0] = lists[1] = list;
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 2, lists, NULL));
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, lists, NULL));
	MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
	read_event("after three at once", events->event[0]);
	print_memory();
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeCommandQueueDestroy, queue));
	MUST(ZE(zeKernelDestroy, first));
	MUST(ZE(zeKernelDestroy, second));
}

static void read_all(void)
{
	static const char *const ways[] = {"immediate", "immediate, synchronous",
					   "immediate, in order", "regular", "regular, in order"};
	struct events events;

	for (unsigned kind = 0; kind < KINDS; kind++)
		for (uint32_t group = 0; group < 2; group++)
			for (unsigned way = 0; way < 5; way++) {
				if (!events_new(kind, &events)) {
					printf("events %u: none\n", kind);
					continue;
				}
				printf("events %u, group %u, %s\n", kind, group, ways[way]);
				if (way < 3)
					on_immediate(group, way == 2 ? RECENT_IN_ORDER_QUEUE : 0,
						     way == 1 ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
							      : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
						     &events);
				else
					on_regular(group, way == 4 ? RECENT_IN_ORDER_LIST : 0,
						   &events);
				events_free(&events);
			}
}

/* ---- a tool */

#define TOOLS_EVENTS 512u

static struct {
	ze_event_pool_handle_t pool;
	ze_event_handle_t events[TOOLS_EVENTS];
	uint32_t count;
} tool;

/* Made by the first callback, as by tools that are told of nothing before. */
static ze_event_handle_t tools_event(void)
{
	if (!tool.pool)
		tool.pool = ze_app_pool(&app, TOOLS_EVENTS, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
	tool.events[tool.count] = ze_app_event(tool.pool, tool.count);
	return tool.events[tool.count++];
}

static void before_launch(ze_command_list_append_launch_kernel_params_t *params, ze_result_t result,
			  void *user_data, void **instance)
{
	if (!*params->phSignalEvent && tool.count < TOOLS_EVENTS)
		*params->phSignalEvent = tools_event();
	(void)result, (void)user_data, (void)instance;
}

static void after_wait(ze_event_host_synchronize_params_t *params, ze_result_t result,
		       void *user_data, void **instance)
{
	for (; tool.count; tool.count--) {
		ze_event_handle_t event = tool.events[tool.count - 1];
		ze_kernel_timestamp_result_t times = {.global = {0, 0}};
		printf("  the tool: %x", (unsigned)zeEventHostSynchronize(event, UINT64_MAX));
		printf(" %x", (unsigned)zeEventQueryKernelTimestamp(event, &times));
		print_times(&times);
		printf("\n");
		MUST(zeEventDestroy(event));
	}
	(void)params, (void)result, (void)user_data, (void)instance;
}

static void with_a_tool(void)
{
	zel_core_callbacks_t before = {0}, after = {0};
	zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_EXP_DESC};
	zel_tracer_handle_t tracer;
	struct events events;

	before.CommandList.pfnAppendLaunchKernelCb = before_launch;
	after.Event.pfnHostSynchronizeCb = after_wait;
	MUST(zelTracerCreate(&desc, &tracer));
	MUST(zelTracerSetPrologues(tracer, &before));
	MUST(zelTracerSetEpilogues(tracer, &after));
	MUST(zelTracerSetEnabled(tracer, true));
	for (unsigned way = 0; way < 6; way++) {
		ze_command_list_handle_t list =
			immediate_new(0, way % 3 == 2 ? RECENT_IN_ORDER_QUEUE : 0,
				      way % 3 == 1 ? ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS
						   : ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
		ze_kernel_handle_t kernel = spin_new(6354 + way);
		EXPECT(events_new(way < 3 ? 1 : 0, &events));
		for (int i = 0; i < 5; i++)
			MUST(ZE(zeCommandListAppendLaunchKernel, list, kernel, &one, NULL, 0,
				NULL));
		MUST(ZE(zeCommandListAppendBarrier, list, events.event[0], 0, NULL));
		MUST(ZE(zeEventHostSynchronize, events.event[0], UINT64_MAX));
		read_event("the program", events.event[0]);
		MUST(ZE(zeCommandListDestroy, list));
		MUST(ZE(zeKernelDestroy, kernel));
		events_free(&events);
	}
	MUST(zelTracerSetEnabled(tracer, false));
	MUST(zelTracerDestroy(tracer));
}

/* ---- by chance */

static uint64_t state;

static unsigned chance(unsigned of)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % of;
}

#define SETS  6u
#define LISTS 6u

/*
 * One immediate list at a time has a set of events, and each step ends when its event is seen: what
 * is read depends on nothing else.
 */
struct world {
	struct events events[SETS];
	ze_command_list_handle_t immediate[LISTS];
	uint32_t group[LISTS];
	ze_command_queue_handle_t queues[2];
	ze_kernel_handle_t kernels[3];
};

static void renew_events(struct world *world, unsigned i)
{
	if (world->events[i].event[0])
		events_free(&world->events[i]);
	while (!events_new(chance(KINDS), &world->events[i]))
		;
}

static void renew_list(struct world *world, unsigned i)
{
	if (world->immediate[i])
		MUST(ZE(zeCommandListDestroy, world->immediate[i]));
	world->group[i] = chance(2);
	world->immediate[i] = immediate_new(world->group[i], chance(2) ? RECENT_IN_ORDER_QUEUE : 0,
					    chance(3) ? ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS
						      : ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
}

static void step_immediate(struct world *world, struct events *events)
{
	unsigned list = chance(LISTS), which = chance(2), more = chance(4);
	ze_event_handle_t event = events->event[which];

	if (chance(2))
		reset(events, (int)which);
	for (unsigned i = 0; i < more; i++)
		MUST(append_work(world->immediate[list], world->group[list],
				 world->kernels[chance(3)], NULL, NULL));
	if (!events->counts && chance(3) == 0)
		MUST(ZE(zeCommandListAppendEventReset, world->immediate[list], event));
	MUST(append_work(world->immediate[list], world->group[list], world->kernels[chance(3)],
			 event, NULL));
	if (!events->counts && chance(4) == 0)
		MUST(append_work(world->immediate[list], world->group[list],
				 world->kernels[chance(3)], event, NULL));
	more = chance(3);
	reset(events, 1 - (int)which);
	MUST(ZE(zeCommandListAppendBarrier, world->immediate[list], events->event[1 - which], 1,
		&event));
	MUST(ZE(zeEventHostSynchronize, events->event[1 - which], UINT64_MAX));
	read_event("immediate", event);
}

/* Executed, waited for by its last event or by the queue, and destroyed at once. */
static void step_regular(struct world *world, struct events *events)
{
	uint32_t group = chance(2), times = 1 + chance(3);
	ze_command_list_handle_t list = regular_new(group, chance(2) ? RECENT_IN_ORDER_LIST : 0);
	bool by_event = times == 1 && chance(2);
	ze_result_t destroyed;

	append_all(list, group, events, world->kernels[chance(3)], world->kernels[chance(3)]);
	reset(events, 0);
	reset(events, 1);
	for (uint32_t i = 0; i < times; i++) {
		MUST(ZE(zeCommandQueueExecuteCommandLists, world->queues[group], 1, &list, NULL));
		if (chance(2))
			MUST(ZE(zeCommandQueueSynchronize, world->queues[group], UINT64_MAX));
	}
	if (by_event)
		MUST(ZE(zeEventHostSynchronize, events->event[1], UINT64_MAX));
	MUST(ZE(zeCommandQueueSynchronize, world->queues[group], UINT64_MAX));
	read_event("regular", events->event[chance(2)]);
	print_memory();
	/* The driver may have the end of it before it. */
	while ((destroyed = ZE(zeCommandListDestroy, list)) == ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE)
		;
	MUST(destroyed);
}

static void by_chance(unsigned count)
{
	struct world world = {.queues = {queue_new(0), queue_new(1)},
			      .kernels = {spin_new(11), spin_new(222), spin_new(3333)}};

	for (unsigned i = 0; i < SETS; i++)
		renew_events(&world, i);
	for (unsigned i = 0; i < LISTS; i++)
		renew_list(&world, i);
	for (unsigned i = 0; i < count; i++) {
		unsigned set = chance(SETS);
		switch (chance(8)) {
		case 0:
			renew_events(&world, set);
			break;
		case 1:
			renew_list(&world, chance(LISTS));
			break;
		case 2:
		case 3:
			step_regular(&world, &world.events[set]);
			break;
		default:
			step_immediate(&world, &world.events[set]);
		}
	}
	for (unsigned i = 0; i < SETS; i++)
		events_free(&world.events[i]);
	for (unsigned i = 0; i < LISTS; i++)
		MUST(ZE(zeCommandListDestroy, world.immediate[i]));
	for (unsigned i = 0; i < 2; i++)
		MUST(ZE(zeCommandQueueDestroy, world.queues[i]));
}

int main(int argc, char **argv)
{
	const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
	const char *what = argc > 1 ? argv[1] : "events";

	ze_app_open(&app);
	MUST(ZE(zeDriverGetExtensionFunctionAddress, app.driver, "zeEventCounterBasedCreate",
		(void **)&create_counter));
	MUST(ZE(zeMemAllocHost, app.context, &host, 4096, 64, (void **)&memory));
	memset(memory, 0, 4096);
	asking = immediate_new(0, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
	if (strcmp(what, "events") == 0) {
		read_all();
	} else if (strcmp(what, "tool") == 0) {
		with_a_tool();
	} else {
		state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
		by_chance(argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 100);
	}
	MUST(ZE(zeCommandListDestroy, asking));
	MUST(ZE(zeMemFree, app.context, memory));
	ze_app_close(&app);
	return 0;
}
