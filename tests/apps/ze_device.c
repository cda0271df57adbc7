/* SPDX-License-Identifier: MIT */
/*
 * Everything that a Level Zero program has its device do, for device lanes to show: by several
 * threads at once, in ways that make it hard to say which execution a timestamp belongs to. What it
 * prints depends on nothing but its arguments.
 *
 *	ze_device work [THREADS [ROUNDS]]	all of it
 *	ze_device time MS			kernels of 1 ms, 20 ms apart, for so long
 *	ze_device unfinished			ends while the device works: one kernel is done, two
 *						are not
 *	ze_device kill				is killed then
 *	ze_device within			calls exit in a signal handler then, inside of a
 *						call that waits for it
 *	ze_device late				calls the API once more in its last exit handler,
 *						and prints which functions the driver counted then
 *	ze_device fork				a round, and another one in a child
 *	ze_device left				ends without having waited for what the device has done
 *	ze_device after				an exit handler has the device work, waits for a half of
 *						it, and leaves the other
 *	ze_device again				six kernels of 1 ms, that signal events which are
 *						signalled already
 */
#include "ze_app.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N     256u
#define BYTES (N * sizeof(uint32_t))

static struct ze_app app;

struct thread {
	pthread_t thread;
	unsigned number, rounds;
	char kernel_name[32];
	ze_kernel_handle_t sum, empty;
	uint32_t *host;	    /* 4 * N, of the driver's */
	uint32_t *device;   /* 4 * N */
	unsigned long said; /* how often the API said what it should not */
};

#define EXPECT_RESULT(call, want) ((call) == (want) ? (void)0 : say(t, #call, want))

static void say(struct thread *t, const char *call, ze_result_t want)
{
	t->said++;
	fprintf(stderr, "thread %u: %s is not 0x%x\n", t->number, call, (unsigned)want);
}

/* ---- making objects */

/* Threads take turns with a group's two queues. */
static ze_command_queue_desc_t queue_desc(const struct thread *t, uint32_t group,
					  ze_command_queue_mode_t mode)
{
	return (ze_command_queue_desc_t){.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					 .ordinal = group,
					 .index = t->number % 2,
					 .mode = mode};
}

static ze_command_queue_handle_t queue_new(const struct thread *t, uint32_t group,
					   ze_command_queue_mode_t mode)
{
	const ze_command_queue_desc_t desc = queue_desc(t, group, mode);
	ze_command_queue_handle_t queue;

	MUST(ZE(zeCommandQueueCreate, app.context, app.device, &desc, &queue));
	return queue;
}

static ze_command_list_handle_t immediate_new(const struct thread *t, uint32_t group,
					      ze_command_queue_mode_t mode)
{
	const ze_command_queue_desc_t desc = queue_desc(t, group, mode);
	ze_command_list_handle_t list;

	MUST(ZE(zeCommandListCreateImmediate, app.context, app.device, &desc, &list));
	return list;
}

static ze_command_list_handle_t list_new(uint32_t group)
{
	const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
					     .commandQueueGroupOrdinal = group};
	ze_command_list_handle_t list;

	MUST(ZE(zeCommandListCreate, app.context, app.device, &desc, &list));
	return list;
}

static void set_arguments(ze_kernel_handle_t kernel, uint32_t *a, uint32_t *b, uint32_t *c)
{
	uint32_t n = N;

	MUST(ZE(zeKernelSetGroupSize, kernel, 32, 1, 1));
	MUST(ZE(zeKernelSetArgumentValue, kernel, 0, sizeof(a), &a));
	MUST(ZE(zeKernelSetArgumentValue, kernel, 1, sizeof(b), &b));
	MUST(ZE(zeKernelSetArgumentValue, kernel, 2, sizeof(c), &c));
	MUST(ZE(zeKernelSetArgumentValue, kernel, 3, sizeof(n), &n));
}

static const ze_group_count_t groups = {N / 32, 1, 1};
static const ze_group_count_t one = {1, 1, 1};

/* ---- regular lists */

static void append_copies(const struct thread *t, ze_command_list_handle_t list)
{
	const ze_copy_region_t region = {0, 0, 0, 16, 4, 0};
	const uint32_t pattern = 7;

	MUST(ZE(zeCommandListAppendMemoryCopy, list, t->device, t->host, BYTES, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryFill, list, t->device + 3 * N, &pattern, sizeof(pattern),
		BYTES, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryCopyRegion, list, t->device + N, &region, 32, 0, t->device,
		&region, 32, 0, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryCopyFromContext, list, t->host + N, app.context,
		t->device + 3 * N, BYTES, NULL, 0, NULL));
}

static void append_kernels(const struct thread *t, ze_command_list_handle_t list)
{
	ze_group_count_t *indirect = (ze_group_count_t *)(t->host + 3 * N);
	uint32_t *limit = t->host + 3 * N + 8;
	ze_kernel_handle_t kernels[2] = {t->sum, t->empty};

	*limit = 2;
	indirect[0] = groups;
	indirect[1] = one;
	MUST(ZE(zeCommandListAppendLaunchKernel, list, t->sum, &groups, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendBarrier, list, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchCooperativeKernel, list, t->sum, &groups, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchKernelIndirect, list, t->sum, indirect, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchMultipleKernelsIndirect, list, 2, kernels, limit, indirect,
		NULL, 0, NULL));
}

static void append_rest(const struct thread *t, ze_command_list_handle_t list)
{
	size_t size = BYTES;
	const void *range = t->device;

	MUST(ZE(zeCommandListAppendMemoryRangesBarrier, list, 1, &size, &range, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryPrefetch, list, t->device, BYTES));
	MUST(ZE(zeCommandListAppendMemAdvise, list, app.device, t->device, BYTES,
		ZE_MEMORY_ADVICE_SET_READ_MOSTLY));
	MUST(ZE(zeCommandListAppendWriteGlobalTimestamp, list, (uint64_t *)(t->host + 2 * N), NULL,
		0, NULL));
}

/*
 * One event of the program's three times in a list: reset in between, and signalled again. Its own
 * queries read the last.
 */
static void append_events(const struct thread *t, ze_command_list_handle_t list,
			  ze_event_handle_t *events)
{
	MUST(ZE(zeCommandListAppendEventReset, list, events[0]));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, t->empty, &one, events[0], 0, NULL));
	MUST(ZE(zeCommandListAppendWaitOnEvents, list, 1, &events[0]));
	MUST(ZE(zeCommandListAppendEventReset, list, events[0]));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, t->sum, &groups, events[0], 0, NULL));
	MUST(ZE(zeCommandListAppendBarrier, list, NULL, 1, &events[0]));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, t->empty, &one, events[0], 0, NULL));
	MUST(ZE(zeCommandListAppendSignalEvent, list, events[1]));
	MUST(ZE(zeCommandListAppendEventReset, list, events[1]));
	MUST(ZE(zeCommandListAppendQueryKernelTimestamps, list, 1, events, t->host + 2 * N + 8,
		NULL, NULL, 0, NULL));
}

/*
 * Executed three times at once, twice more in one call with another list between, then reset and
 * used for something else.
 */
static void regular(struct thread *t)
{
	ze_command_queue_handle_t queue = queue_new(t, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_command_list_handle_t list = list_new(0), other = list_new(0);
	ze_event_pool_handle_t pool = ze_app_pool(&app, 2, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
	ze_event_handle_t events[2] = {ze_app_event(pool, 0), ze_app_event(pool, 1)};

	append_copies(t, list);
	append_kernels(t, list);
	append_events(t, list, events);
	append_rest(t, list);
	MUST(ZE(zeCommandListClose, list));
	MUST(ZE(zeCommandListAppendLaunchKernel, other, t->empty, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListClose, other));
	for (int i = 0; i < 3; i++)
		MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, NULL));
	ze_command_list_handle_t both[] = {list, other, list};
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 3, both, NULL));
	MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));

	MUST(ZE(zeCommandListReset, list));
	append_copies(t, list);
	MUST(ZE(zeCommandListClose, list));
	EXPECT_RESULT(ZE(zeCommandQueueExecuteCommandLists, queue, 0, &list, NULL),
		      ZE_RESULT_ERROR_INVALID_SIZE);
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, NULL));
	MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
	for (int i = 0; i < 2; i++)
		MUST(ZE(zeEventDestroy, events[i]));
	MUST(ZE(zeEventPoolDestroy, pool));
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeCommandListDestroy, other));
	MUST(ZE(zeCommandQueueDestroy, queue));
}

/*
 * Destroyed, with its events, as soon as the last event is seen; also while the next one is under
 * way.
 */
static void passing(struct thread *t)
{
	ze_command_queue_handle_t queue = queue_new(t, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_fence_handle_t fence;
	const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};

	MUST(ZE(zeFenceCreate, queue, &desc, &fence));
	for (int i = 0; i < 3; i++) {
		ze_event_pool_handle_t pool = ze_app_pool(&app, 1, 0);
		ze_event_handle_t event = ze_app_event(pool, 0);
		ze_command_list_handle_t list = list_new(0);
		ze_result_t destroyed;

		MUST(ZE(zeCommandListAppendLaunchKernel, list, t->empty, &one, NULL, 0, NULL));
		MUST(ZE(zeCommandListAppendLaunchKernel, list, t->sum, &groups, event, 0, NULL));
		MUST(ZE(zeCommandListClose, list));
		MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, fence));
		MUST(ZE(zeEventHostSynchronize, event, UINT64_MAX));
		MUST(ZE(zeEventDestroy, event));
		MUST(ZE(zeEventPoolDestroy, pool));
		/* The driver may have the end of it before it. */
		while ((destroyed = ZE(zeCommandListDestroy, list)) ==
		       ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE)
			;
		MUST(destroyed);
		MUST(ZE(zeFenceHostSynchronize, fence, UINT64_MAX));
		MUST(ZE(zeFenceReset, fence));
	}
	MUST(ZE(zeFenceDestroy, fence));
	MUST(ZE(zeCommandQueueDestroy, queue));
}

/*
 * An engine that only copies, three executions at once; its events are the program's, with and
 * without timestamps, or none.
 */
static void copying(struct thread *t)
{
	ze_command_queue_handle_t queue = queue_new(t, 1, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
	ze_command_queue_handle_t later = queue_new(t, 1, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_command_list_handle_t list = list_new(1);
	ze_event_pool_handle_t pool = ze_app_pool(&app, 1, 0);
	ze_event_handle_t event = ze_app_event(pool, 0);

	append_copies(t, list);
	MUST(ZE(zeCommandListAppendEventReset, list, event));
	MUST(ZE(zeCommandListAppendMemoryCopy, list, t->host, t->device, BYTES, event, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryCopy, list, t->device + N, t->device, BYTES, NULL, 1,
		&event));
	MUST(ZE(zeCommandListAppendBarrier, list, NULL, 0, NULL));
	MUST(ZE(zeCommandListClose, list));
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, NULL));
	for (int i = 0; i < 3; i++)
		MUST(ZE(zeCommandQueueExecuteCommandLists, later, 1, &list, NULL));
	MUST(ZE(zeCommandQueueSynchronize, later, UINT64_MAX));
	MUST(ZE(zeCommandListDestroy, list));
	MUST(ZE(zeEventDestroy, event));
	MUST(ZE(zeEventPoolDestroy, pool));
	MUST(ZE(zeCommandQueueDestroy, later));
	MUST(ZE(zeCommandQueueDestroy, queue));
}

/* ---- immediate lists */

static void check_times(struct thread *t, ze_event_handle_t event)
{
	ze_kernel_timestamp_result_t result = {.global = {0, 0}};

	MUST(ZE(zeEventQueryKernelTimestamp, event, &result));
	if (result.global.kernelStart == 0 && result.global.kernelEnd == 0)
		say(t, "a timestamp", ZE_RESULT_SUCCESS);
}

/* Events with timestamps, that are reset by the host, by the list, or by nobody. */
static void immediate(struct thread *t, ze_command_queue_mode_t mode)
{
	ze_command_list_handle_t list = immediate_new(t, 0, mode);
	ze_event_pool_handle_t pool = ze_app_pool(&app, 2, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
	ze_event_handle_t events[2] = {ze_app_event(pool, 0), ze_app_event(pool, 1)};

	append_copies(t, list);
	append_kernels(t, list);
	append_rest(t, list);
	for (int i = 0; i < 3; i++) {
		MUST(ZE(zeCommandListAppendLaunchKernel, list, t->empty, &one, events[0], 0, NULL));
		MUST(ZE(zeEventHostSynchronize, events[0], UINT64_MAX));
		check_times(t, events[0]);
		MUST(ZE(zeEventHostReset, events[0]));
	}
	for (int i = 0; i < 3; i++) {
		MUST(ZE(zeCommandListAppendEventReset, list, events[1]));
		MUST(ZE(zeCommandListAppendLaunchKernel, list, t->sum, &groups, events[1], 0,
			NULL));
	}
	MUST(ZE(zeEventHostSynchronize, events[1], UINT64_MAX));
	while (ZE(zeEventQueryStatus, events[1]) != ZE_RESULT_SUCCESS)
		;
	MUST(ZE(zeCommandListAppendBarrier, list, events[0], 1, &events[1]));
	MUST(ZE(zeEventHostSynchronize, events[0], UINT64_MAX));
	for (int i = 0; i < 2; i++)
		MUST(ZE(zeEventDestroy, events[i]));
	MUST(ZE(zeEventPoolDestroy, pool));
	ze_result_t destroyed;
	while ((destroyed = ZE(zeCommandListDestroy, list)) == ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE)
		;
	MUST(destroyed);
}

/*
 * Pools with other flags, as the program asked for them: what it may not ask fails, as it should;
 * what others share is left alone.
 */
static void pools(struct thread *t)
{
	ze_command_list_handle_t list = immediate_new(t, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_event_pool_handle_t plain = ze_app_pool(&app, 1, 0);
	ze_event_pool_handle_t shared = ze_app_pool(&app, 1, ZE_EVENT_POOL_FLAG_IPC);
	ze_event_handle_t event = ze_app_event(plain, 0), other = ze_app_event(shared, 0);
	ze_kernel_timestamp_result_t result = {.global = {0, 0}};

	EXPECT_RESULT(ZE(zeEventQueryKernelTimestamp, event, &result),
		      ZE_RESULT_ERROR_INVALID_ARGUMENT);
	MUST(ZE(zeCommandListAppendLaunchKernel, list, t->sum, &groups, event, 0, NULL));
	MUST(ZE(zeEventHostSynchronize, event, UINT64_MAX));
	EXPECT_RESULT(ZE(zeEventQueryKernelTimestamp, event, &result),
		      ZE_RESULT_ERROR_INVALID_ARGUMENT);
	MUST(ZE(zeCommandListAppendLaunchKernel, list, t->sum, &groups, other, 0, NULL));
	MUST(ZE(zeEventHostSynchronize, other, UINT64_MAX));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, t->empty, &one, NULL, 1, &other));
	EXPECT_RESULT(ZE(zeCommandListAppendMemoryCopy, list, NULL, NULL, 1, NULL, 0, NULL),
		      ZE_RESULT_ERROR_INVALID_NULL_POINTER);
	MUST(ZE(zeEventHostReset, event));
	MUST(ZE(zeCommandListAppendBarrier, list, event, 0, NULL));
	MUST(ZE(zeEventHostSynchronize, event, UINT64_MAX));
	MUST(ZE(zeEventDestroy, event));
	MUST(ZE(zeEventDestroy, other));
	MUST(ZE(zeEventPoolDestroy, plain));
	MUST(ZE(zeEventPoolDestroy, shared));
	MUST(ZE(zeCommandListDestroy, list));
}

static void images(struct thread *t)
{
	const ze_image_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
				      .type = ZE_IMAGE_TYPE_2D,
				      .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_32},
				      .width = 16,
				      .height = 16,
				      .depth = 1};
	const ze_image_region_t region = {0, 0, 0, 8, 8, 1};
	ze_command_list_handle_t list = immediate_new(t, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
	ze_image_handle_t a, b;

	MUST(ZE(zeImageCreate, app.context, app.device, &desc, &a));
	MUST(ZE(zeImageCreate, app.context, app.device, &desc, &b));
	for (unsigned i = 0; i < N; i++)
		t->host[i] = i + t->number;
	MUST(ZE(zeCommandListAppendImageCopyFromMemory, list, a, t->host, NULL, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendImageCopy, list, b, a, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendImageCopyRegion, list, b, a, &region, &region, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendImageCopyFromMemoryExt, list, a, t->host, &region, 64, 0, NULL,
		0, NULL));
	MUST(ZE(zeCommandListAppendImageCopyToMemoryExt, list, t->host + N, b, &region, 64, 0, NULL,
		0, NULL));
	MUST(ZE(zeCommandListAppendImageCopyToMemory, list, t->host + N, b, NULL, NULL, 0, NULL));
	for (unsigned i = 0; i < N; i++)
		if (t->host[N + i] != i + t->number)
			say(t, "a pixel", ZE_RESULT_SUCCESS);
	MUST(ZE(zeImageDestroy, a));
	MUST(ZE(zeImageDestroy, b));
	MUST(ZE(zeCommandListDestroy, list));
}

/* ---- all of it */

static void *work(void *arg)
{
	struct thread *t = arg;
	const ze_device_mem_alloc_desc_t device = {.stype =
							   ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
	const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

	snprintf(t->kernel_name, sizeof(t->kernel_name), "vector_add@%u", t->number);
	MUST(ZE(zeMemAllocHost, app.context, &host, 4 * BYTES, 64, (void **)&t->host));
	MUST(ZE(zeMemAllocDevice, app.context, &device, 4 * BYTES, 64, app.device,
		(void **)&t->device));
	memset(t->host, 0, 4 * BYTES);
	for (unsigned round = 0; round < t->rounds; round++) {
		t->sum = ze_app_kernel(&app, t->kernel_name);
		t->empty = ze_app_kernel(&app, "empty");
		set_arguments(t->sum, t->device, t->device + N, t->device + 2 * N);
		regular(t);
		passing(t);
		copying(t);
		immediate(t, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
		immediate(t, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
		pools(t);
		images(t);
		MUST(ZE(zeKernelDestroy, t->sum));
		MUST(ZE(zeKernelDestroy, t->empty));
	}
	for (unsigned i = 0; i < N; i++)
		EXPECT(t->host[N + i] == i + t->number);
	MUST(ZE(zeMemFree, app.context, t->host));
	MUST(ZE(zeMemFree, app.context, t->device));
	return NULL;
}

static int work_all(unsigned count, unsigned rounds)
{
	struct thread *threads = calloc(count, sizeof(*threads));
	unsigned long said = 0;

	for (unsigned i = 0; i < count; i++) {
		threads[i].number = i;
		threads[i].rounds = rounds;
		EXPECT(pthread_create(&threads[i].thread, NULL, work, &threads[i]) == 0);
	}
	for (unsigned i = 0; i < count; i++) {
		pthread_join(threads[i].thread, NULL);
		said += threads[i].said;
	}
	free(threads);
	printf("%u threads, %u rounds, %lu wrong answers\n", count, rounds, said);
	return said != 0;
}

/* ---- over time, and at the end */

static ze_kernel_handle_t spin_new(uint64_t ticks)
{
	ze_kernel_handle_t kernel = ze_app_kernel(&app, "spin");

	MUST(ZE(zeKernelSetArgumentValue, kernel, 0, sizeof(ticks), &ticks));
	return kernel;
}

static void pause_ms(long ms)
{
	const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

static void over_time(long ms)
{
	struct thread t = {0};
	ze_command_list_handle_t list = immediate_new(&t, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_event_pool_handle_t pool = ze_app_pool(&app, 1, 0);
	ze_event_handle_t event = ze_app_event(pool, 0);
	ze_kernel_handle_t spin = spin_new(19200);

	for (long past = 0; past < ms; past += 20) {
		MUST(ZE(zeCommandListAppendLaunchKernel, list, spin, &one, event, 0, NULL));
		MUST(ZE(zeCommandListAppendMemoryPrefetch, list, &app, sizeof(app)));
		MUST(ZE(zeEventHostSynchronize, event, UINT64_MAX));
		MUST(ZE(zeEventHostReset, event));
		pause_ms(20);
	}
	MUST(ZE(zeEventDestroy, event));
	MUST(ZE(zeEventPoolDestroy, pool));
}

/* One kernel is done, one runs, and one has not begun. */
static ze_command_queue_handle_t begin_what_does_not_end(void)
{
	struct thread t = {0};
	const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
	ze_command_queue_handle_t queue = queue_new(&t, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_command_list_handle_t list = list_new(0);
	ze_event_pool_handle_t pool = ze_app_pool(&app, 1, 0);
	ze_event_handle_t event = ze_app_event(pool, 0);
	ze_kernel_handle_t wait = ze_app_kernel(&app, "wait_flag");
	ze_kernel_handle_t empty = ze_app_kernel(&app, "empty");
	void *flag;

	MUST(ZE(zeMemAllocHost, app.context, &host, 64, 64, &flag));
	memset(flag, 0, 64);
	MUST(ZE(zeKernelSetArgumentValue, wait, 0, sizeof(flag), &flag));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, spin_new(19200), &one, event, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, wait, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, empty, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListClose, list));
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, NULL));
	MUST(ZE(zeEventHostSynchronize, event, UINT64_MAX));
	return queue;
}

static void leave(int number)
{
	(void)number;
	exit(7);
}

static void leave_within(ze_command_queue_handle_t queue)
{
	const struct itimerval soon = {.it_value.tv_usec = 50000};

	signal(SIGALRM, leave);
	setitimer(ITIMER_REAL, &soon, NULL);
	MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
}

/* ---- events that nobody resets */

/* One by an immediate list, one by the host, and one by an engine that only copies. */
static void signal_before(const struct thread *t, ze_event_handle_t *events)
{
	ze_command_list_handle_t immediate =
		immediate_new(t, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_command_queue_handle_t queue = queue_new(t, 1, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
	ze_command_list_handle_t list = list_new(1);

	MUST(ZE(zeCommandListAppendSignalEvent, immediate, events[0]));
	MUST(ZE(zeEventHostSynchronize, events[0], UINT64_MAX));
	MUST(ZE(zeEventHostSignal, events[1]));
	MUST(ZE(zeCommandListAppendBarrier, list, events[2], 0, NULL));
	MUST(ZE(zeCommandListClose, list));
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, &list, NULL));
}

/* Of the last three kernels only the third one's times are in the event when they can be read. */
static void signal_again(void)
{
	struct thread t = {0};
	ze_event_pool_handle_t pool = ze_app_pool(&app, 3, 0);
	ze_event_handle_t events[3] = {ze_app_event(pool, 0), ze_app_event(pool, 1),
				       ze_app_event(pool, 2)};
	ze_command_queue_handle_t queue = queue_new(&t, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	ze_command_list_handle_t first = list_new(0), list = list_new(0), other = list_new(0);
	ze_kernel_handle_t spin = spin_new(19200);

	signal_before(&t, events);
	for (int i = 0; i < 3; i++)
		MUST(ZE(zeCommandListAppendLaunchKernel, first, spin, &one, events[i], 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchKernel, list, spin, &one, events[0], 0, NULL));
	MUST(ZE(zeCommandListAppendLaunchKernel, other, spin, &one, events[0], 0, NULL));
	ze_command_list_handle_t lists[] = {first, list, other, list};
	for (int i = 0; i < 3; i++)
		MUST(ZE(zeCommandListClose, lists[i]));
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 1, lists, NULL));
	MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
	MUST(ZE(zeCommandQueueExecuteCommandLists, queue, 3, lists + 1, NULL));
	MUST(ZE(zeCommandQueueSynchronize, queue, UINT64_MAX));
}

/* ---- calls after everybody else's end */

static ze_command_list_handle_t late_list, late_immediate;
static ze_command_queue_handle_t late_queue;
static ze_event_handle_t late_event;
static ze_kernel_handle_t late_kernel;

typedef uint64_t count_function(const char *name);

static const char *const watched[] = {
	"zeCommandListAppendBarrier",
	"zeCommandListAppendLaunchKernel",
	"zeCommandListAppendMemoryPrefetch",
	"zeCommandListAppendQueryKernelTimestamps",
	"zeCommandListAppendWriteGlobalTimestamp",
	"zeCommandListCreate",
	"zeCommandQueueExecuteCommandLists",
	"zeCommandQueueSynchronize",
	"zeDeviceGetGlobalTimestamps",
	"zeEventCreate",
	"zeEventHostReset",
	"zeEventHostSynchronize",
	"zeEventQueryKernelTimestamp",
	"zeEventQueryStatus",
	"zeMemAllocHost",
};
#define WATCHED (sizeof(watched) / sizeof(watched[0]))

static void late_calls(void)
{
	ze_kernel_timestamp_result_t result = {.global = {0, 0}};

	MUST(ZE(zeCommandListAppendLaunchKernel, late_immediate, late_kernel, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryPrefetch, late_immediate, &app, sizeof(app)));
	MUST(ZE(zeCommandListAppendLaunchKernel, late_immediate, late_kernel, &one, late_event, 0,
		NULL));
	MUST(ZE(zeEventHostSynchronize, late_event, UINT64_MAX));
	EXPECT(ZE(zeEventQueryKernelTimestamp, late_event, &result) ==
	       ZE_RESULT_ERROR_INVALID_ARGUMENT);
	MUST(ZE(zeEventHostReset, late_event));
	MUST(ZE(zeCommandQueueExecuteCommandLists, late_queue, 1, &late_list, NULL));
	MUST(ZE(zeCommandQueueExecuteCommandLists, late_queue, 1, &late_list, NULL));
	MUST(ZE(zeCommandQueueSynchronize, late_queue, UINT64_MAX));
}

static void last_handler(void)
{
	void *driver = dlopen(getenv("ZE_ENABLE_ALT_DRIVERS"), RTLD_NOW | RTLD_NOLOAD);
	count_function *count = driver ? (count_function *)dlsym(driver, "test_ze_count") : NULL;
	uint64_t before[WATCHED];

	EXPECT(count);
	for (size_t i = 0; i < WATCHED; i++)
		before[i] = count(watched[i]);
	late_calls();
	for (size_t i = 0; i < WATCHED; i++)
		if (count(watched[i]) != before[i])
			printf("%s %d\n", watched[i], (int)(count(watched[i]) - before[i]));
}

static void prepare_late_calls(void)
{
	struct thread t = {0};
	ze_event_pool_handle_t pool = ze_app_pool(&app, 1, 0);

	late_queue = queue_new(&t, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	late_immediate = immediate_new(&t, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
	late_list = list_new(0);
	late_event = ze_app_event(pool, 0);
	late_kernel = ze_app_kernel(&app, "empty");
	MUST(ZE(zeCommandListAppendLaunchKernel, late_list, late_kernel, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListClose, late_list));
	MUST(ZE(zeCommandQueueExecuteCommandLists, late_queue, 1, &late_list, NULL));
	MUST(ZE(zeCommandQueueSynchronize, late_queue, UINT64_MAX));
}

/* Regular and immediate lists, with events and timestamps around the commands. Waits for nothing. */
static void submit_and_leave(void)
{
	MUST(ZE(zeCommandListAppendLaunchKernel, late_immediate, late_kernel, &one, NULL, 0, NULL));
	MUST(ZE(zeCommandListAppendMemoryPrefetch, late_immediate, &app, sizeof(app)));
	MUST(ZE(zeCommandQueueExecuteCommandLists, late_queue, 1, &late_list, NULL));
	pause_ms(20);
}

static void submit_after(void)
{
	MUST(ZE(zeCommandListAppendLaunchKernel, late_immediate, late_kernel, &one, late_event, 0,
		NULL));
	MUST(ZE(zeEventHostSynchronize, late_event, UINT64_MAX));
	MUST(ZE(zeCommandQueueExecuteCommandLists, late_queue, 1, &late_list, NULL));
	MUST(ZE(zeCommandQueueSynchronize, late_queue, UINT64_MAX));
	submit_and_leave();
}

/* The driver's exit handler, if it has one, comes before the program's. */
static void prepare_submit_after(void)
{
	const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
	ze_context_handle_t context;

	atexit(submit_after);
	MUST(ZE(zeContextCreate, app.driver, &desc, &context));
}

static int work_forked(void)
{
	int status = work_all(1, 1);

	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		return work_all(1, 2);
	EXPECT(waitpid(child, &status, 0) == child && status == 0);
	return status;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "work";
	unsigned first = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1;
	unsigned second = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 1;
	int status = 0;

	if (strcmp(what, "late") == 0)
		atexit(last_handler);
	ze_app_open(&app);
	if (strcmp(what, "work") == 0) {
		status = work_all(first, second);
		ze_app_close(&app);
	} else if (strcmp(what, "time") == 0) {
		over_time(first);
	} else if (strcmp(what, "late") == 0) {
		prepare_late_calls();
	} else if (strcmp(what, "left") == 0) {
		prepare_late_calls();
		submit_and_leave();
	} else if (strcmp(what, "after") == 0) {
		prepare_late_calls();
		prepare_submit_after();
		submit_and_leave();
	} else if (strcmp(what, "again") == 0) {
		signal_again();
	} else if (strcmp(what, "fork") == 0) {
		status = work_forked();
	} else {
		ze_command_queue_handle_t queue = begin_what_does_not_end();
		if (strcmp(what, "within") == 0)
			leave_within(queue);
		if (strcmp(what, "kill") == 0)
			raise(SIGKILL);
	}
	return status;
}
