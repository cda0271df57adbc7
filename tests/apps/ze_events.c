/* SPDX-License-Identifier: MIT */
/*
 * Kernel timestamps: spins on two engines, and checks that the times that its events give are in
 * order, long enough, and, unrolled where the device's clock wrapped, within the run.
 *
 *	ze_events [KERNELS]
 */
#include "ze_app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ze_app app;
static uint64_t hz, mask, kernel_mask;

static void read_clock_properties(void)
{
	ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};

	MUST(ZE(zeDeviceGetProperties, app.device, &properties));
	hz = properties.timerResolution;
	mask = properties.timestampValidBits < 64 ? (1ull << properties.timestampValidBits) - 1
						  : UINT64_MAX;
	kernel_mask = properties.kernelTimestampValidBits < 64
			      ? (1ull << properties.kernelTimestampValidBits) - 1
			      : UINT64_MAX;
}

static uint64_t device_time(void)
{
	uint64_t host, device;

	MUST(ZE(zeDeviceGetGlobalTimestamps, app.device, &host, &device));
	return device;
}

/* Half of the kernels on each engine's queue; the second waits for the first kernel of the first.
 */
static void run(uint32_t count, ze_event_handle_t *events, uint64_t ticks)
{
	const ze_group_count_t one = {1, 1, 1};
	ze_command_queue_handle_t queues[2] = {ze_app_queue(&app, 0), ze_app_queue(&app, 1)};
	ze_command_list_handle_t lists[2] = {ze_app_list(&app), ze_app_list(&app)};
	ze_kernel_handle_t spin = ze_app_kernel(&app, "spin");

	MUST(ZE(zeKernelSetArgumentValue, spin, 0, sizeof(ticks), &ticks));
	for (uint32_t i = 0; i < count; i++) {
		ze_event_handle_t *first = i == 1 ? &events[0] : NULL;
		ze_command_list_handle_t list = lists[i % 2];

		MUST(ZE(zeCommandListAppendLaunchKernel, list, spin, &one, events[i], first ? 1 : 0,
			first));
	}
	for (int i = 0; i < 2; i++) {
		MUST(ZE(zeCommandListClose, lists[i]));
		MUST(ZE(zeCommandQueueExecuteCommandLists, queues[i], 1, &lists[i], NULL));
	}
	for (int i = 0; i < 2; i++) {
		MUST(ZE(zeCommandQueueSynchronize, queues[i], UINT64_MAX));
		MUST(ZE(zeCommandListDestroy, lists[i]));
		MUST(ZE(zeCommandQueueDestroy, queues[i]));
	}
	MUST(ZE(zeKernelDestroy, spin));
}

/* The same times, written by the device. */
static void check_device_query(uint32_t count, ze_event_handle_t *events,
			       const ze_kernel_timestamp_result_t *expected)
{
	const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	ze_command_list_handle_t list = ze_app_list(&app);
	void *memory = NULL;

	MUST(ZE(zeMemAllocHost, app.context, &desc, count * sizeof(*expected), 0, &memory));
	MUST(ZE(zeCommandListAppendQueryKernelTimestamps, list, count, events, memory, NULL, NULL,
		0, NULL));
	MUST(ZE(zeCommandListClose, list));
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, NULL));
	MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
	EXPECT(memcmp(memory, expected, count * sizeof(*expected)) == 0);
	MUST(ZE(zeMemFree, app.context, memory));
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeCommandQueueDestroy, queue));
}

int main(int argc, char **argv)
{
	uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 20, wraps = 0;
	ze_event_handle_t *events = calloc(count, sizeof(*events));
	ze_kernel_timestamp_result_t *times = calloc(count, sizeof(*times));

	EXPECT(events && times && count >= 4);
	ze_app_open(&app);
	read_clock_properties();
	uint64_t ticks = hz / 1000; /* a millisecond */
	ze_event_pool_handle_t pool = ze_app_pool(&app, count, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
	for (uint32_t i = 0; i < count; i++)
		events[i] = ze_app_event(pool, i);
	EXPECT(ZE(zeEventQueryKernelTimestamp, events[0], &times[0]) == ZE_RESULT_NOT_READY);

	uint64_t before = device_time();
	run(count, events, ticks);
	uint64_t whole = (device_time() - before) & mask;

	for (uint32_t i = 0; i < count; i++) {
		MUST(ZE(zeEventQueryKernelTimestamp, events[i], &times[i]));
		uint64_t start = times[i].global.kernelStart, end = times[i].global.kernelEnd;

		EXPECT(start <= kernel_mask && end <= kernel_mask);
		EXPECT(((end - start) & kernel_mask) + 1 >= ticks);
		wraps += end < start;
		if (i >= 2) /* the one before it on the same engine */
			EXPECT(((start - times[i - 2].global.kernelEnd) & kernel_mask) <
			       kernel_mask / 2);
		wraps += i >= 2 && start < times[i - 2].global.kernelEnd;
	}
	EXPECT(((times[1].global.kernelStart - times[0].global.kernelEnd) & kernel_mask) <
	       kernel_mask / 2);
	EXPECT(whole >= ticks * (count / 2) || mask < ticks * count);
	check_device_query(count, events, times);

	for (uint32_t i = 0; i < count; i++)
		MUST(ZE(zeEventDestroy, events[i]));
	MUST(ZE(zeEventPoolDestroy, pool));
	ze_app_close(&app);
	printf("%u kernels, in order; the clock %s\n", count, wraps ? "wrapped" : "did not wrap");
	free(events);
	free(times);
	return 0;
}
