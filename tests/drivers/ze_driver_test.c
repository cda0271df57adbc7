/* SPDX-License-Identifier: MIT */
/*
 * The Level Zero test driver behind the stock loader: what later tests rely on. Each test runs in a
 * process of its own, and sets the environment that the driver reads before the loader loads it.
 */
#include "tests/apps/ze_app.h"
#include "tests/drivers/ze_driver.h"

#include <level_zero/ze_ddi.h>
#include <level_zero/zes_api.h>

#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ull /* nanoseconds */

static struct ze_app app;
static char driver_path[2][4096];

/* ---- the driver's own exports, found as a test finds them */

static void *driver_symbol(const char *name)
{
	void *library = dlopen(driver_path[0], RTLD_NOW | RTLD_NOLOAD);

	ck_assert_msg(library, "the loader has not loaded %s", driver_path[0]);
	void *symbol = dlsym(library, name);
	ck_assert_msg(symbol, "%s is not exported", name);
	return symbol;
}

#define DRIVER(function)                                                                           \
	({                                                                                         \
		__typeof__(&function) pointer_;                                                    \
		void *found_ = driver_symbol(#function);                                           \
		memcpy(&pointer_, &found_, sizeof(pointer_));                                      \
		pointer_;                                                                          \
	})

/* ---- small things */

static void set_up(void)
{
	setenv("ZE_ENABLE_ALT_DRIVERS", driver_path[0], 1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *shared_memory(size_t size)
{
	const ze_device_mem_alloc_desc_t on_device = {
		.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
	const ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
	void *memory = NULL;

	MUST(zeMemAllocShared(app.context, &on_device, &on_host, size, 64, app.device, &memory));
	memset(memory, 0, size);
	return memory;
}

/* A closed list with one launch of the kernel, whose one argument is of that size. */
static ze_command_list_handle_t launch_list(const char *name, size_t size, const void *argument,
					    ze_event_handle_t signal)
{
	const ze_group_count_t one = {1, 1, 1};
	ze_kernel_handle_t kernel = ze_app_kernel(&app, name);
	ze_command_list_handle_t list = ze_app_list(&app);

	if (size)
		MUST(zeKernelSetArgumentValue(kernel, 0, size, argument));
	MUST(zeCommandListAppendLaunchKernel(list, kernel, &one, signal, 0, NULL));
	MUST(zeCommandListClose(list));
	MUST(zeKernelDestroy(kernel));
	return list;
}

static void execute(ze_command_queue_handle_t queue, ze_command_list_handle_t list)
{
	MUST(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
}

/* ---- queues */

START_TEST(a_queue_works_while_the_program_goes_on)
{
	ze_app_open(&app);
	_Atomic uint32_t *flag = shared_memory(64);
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	execute(queue, launch_list("wait_flag", sizeof(flag), &flag, NULL));

	uint64_t before = now_ns();
	ck_assert_int_eq(zeCommandQueueSynchronize(queue, 0), ZE_RESULT_NOT_READY);
	ck_assert_int_eq(zeCommandQueueSynchronize(queue, 30 * MS), ZE_RESULT_NOT_READY);
	ck_assert_uint_ge(now_ns() - before, 30 * MS);
	atomic_store(flag, 1);
	ck_assert_int_eq(zeCommandQueueSynchronize(queue, UINT64_MAX), ZE_RESULT_SUCCESS);
}
END_TEST

START_TEST(a_command_waits_for_its_events_from_other_queues_and_from_the_host)
{
	ze_app_open(&app);
	_Atomic uint32_t *flag = shared_memory(64);
	ze_event_pool_handle_t pool = ze_app_pool(&app, 3, 0);
	ze_event_handle_t first = ze_app_event(pool, 0), host = ze_app_event(pool, 1),
			  last = ze_app_event(pool, 2);
	ze_event_handle_t both[] = {first, host};
	ze_command_list_handle_t list = ze_app_list(&app);

	MUST(zeCommandListAppendBarrier(list, last, 2, both));
	MUST(zeCommandListClose(list));
	execute(ze_app_queue(&app, 0), list);
	execute(ze_app_queue(&app, 0), launch_list("wait_flag", sizeof(flag), &flag, first));
	ck_assert_int_eq(zeEventHostSynchronize(last, 10 * MS), ZE_RESULT_NOT_READY);
	atomic_store(flag, 1);
	MUST(zeEventHostSynchronize(first, UINT64_MAX));
	ck_assert_int_eq(zeEventHostSynchronize(last, 10 * MS), ZE_RESULT_NOT_READY);
	MUST(zeEventHostSignal(host));
	MUST(zeEventHostSynchronize(last, UINT64_MAX));
	ck_assert_int_eq(zeEventQueryStatus(last), ZE_RESULT_SUCCESS);
	MUST(zeEventHostReset(last));
	ck_assert_int_eq(zeEventQueryStatus(last), ZE_RESULT_NOT_READY);
}
END_TEST

START_TEST(a_list_is_executed_many_times_and_used_again_after_a_reset)
{
	ze_app_open(&app);
	float *y = shared_memory(64), *x = y + 8, a = 2;
	uint32_t n = 4;
	const ze_group_count_t groups = {4, 1, 1};
	ze_kernel_handle_t saxpy = ze_app_kernel(&app, "saxpy");
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	ze_command_list_handle_t list = ze_app_list(&app);

	for (uint32_t i = 0; i < n; i++)
		x[i] = (float)i;
	MUST(zeKernelSetArgumentValue(saxpy, 0, sizeof(y), &y));
	MUST(zeKernelSetArgumentValue(saxpy, 1, sizeof(x), &x));
	MUST(zeKernelSetArgumentValue(saxpy, 2, sizeof(a), &a));
	ck_assert_int_eq(zeCommandListAppendLaunchKernel(list, saxpy, &groups, NULL, 0, NULL),
			 ZE_RESULT_ERROR_INVALID_ARGUMENT); /* the last argument is not set */
	MUST(zeKernelSetArgumentValue(saxpy, 3, sizeof(n), &n));
	MUST(zeCommandListAppendLaunchKernel(list, saxpy, &groups, NULL, 0, NULL));
	a = 100; /* the launch has its own copy */
	MUST(zeKernelSetArgumentValue(saxpy, 2, sizeof(a), &a));
	ck_assert_int_eq(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL),
			 ZE_RESULT_ERROR_INVALID_ARGUMENT);
	MUST(zeCommandListClose(list));
	for (int i = 0; i < 3; i++)
		execute(queue, list);
	MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
	ck_assert_float_eq(y[3], 18);

	MUST(zeCommandListReset(list));
	MUST(zeCommandListAppendMemoryFill(list, y, &(uint8_t){0}, 1, 32, NULL, 0, NULL));
	MUST(zeCommandListClose(list));
	execute(queue, list);
	MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
	ck_assert_float_eq(y[3], 0);
}
END_TEST

START_TEST(a_list_that_is_running_is_neither_reset_nor_destroyed)
{
	ze_app_open(&app);
	_Atomic uint32_t *flag = shared_memory(64);
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	ze_command_list_handle_t list = launch_list("wait_flag", sizeof(flag), &flag, NULL);

	execute(queue, list);
	ck_assert_int_eq(zeCommandListReset(list), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
	ck_assert_int_eq(zeCommandListDestroy(list), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
	atomic_store(flag, 1);
	MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
	MUST(zeCommandListDestroy(list));
}
END_TEST

START_TEST(a_synchronous_immediate_list_returns_when_the_command_is_done)
{
	const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					      .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
	const ze_group_count_t one = {1, 1, 1};
	ze_command_list_handle_t list;
	uint64_t ticks = 19200 * 20; /* 20 ms */

	ze_app_open(&app);
	ze_kernel_handle_t spin = ze_app_kernel(&app, "spin");
	MUST(zeKernelSetArgumentValue(spin, 0, sizeof(ticks), &ticks));
	MUST(zeCommandListCreateImmediate(app.context, app.device, &desc, &list));
	uint64_t before = now_ns();
	MUST(zeCommandListAppendLaunchKernel(list, spin, &one, NULL, 0, NULL));
	ck_assert_uint_ge(now_ns() - before, 20 * MS);
	MUST(zeCommandListDestroy(list));
}
END_TEST

START_TEST(a_fence_is_signaled_after_the_last_list_of_its_execution)
{
	const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
	ze_fence_handle_t fence;

	ze_app_open(&app);
	_Atomic uint32_t *flag = shared_memory(64);
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	ze_command_list_handle_t lists[] = {launch_list("empty", 0, NULL, NULL),
					    launch_list("wait_flag", sizeof(flag), &flag, NULL)};

	MUST(zeFenceCreate(queue, &desc, &fence));
	MUST(zeCommandQueueExecuteCommandLists(queue, 2, lists, fence));
	ck_assert_int_eq(zeFenceHostSynchronize(fence, 10 * MS), ZE_RESULT_NOT_READY);
	atomic_store(flag, 1);
	MUST(zeFenceHostSynchronize(fence, UINT64_MAX));
	MUST(zeFenceReset(fence));
	ck_assert_int_eq(zeFenceQueryStatus(fence), ZE_RESULT_NOT_READY);
}
END_TEST

START_TEST(a_queue_destroyed_with_work_left_gives_it_up)
{
	ze_app_open(&app);
	_Atomic uint32_t *flag = shared_memory(64);
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);

	execute(queue, launch_list("wait_flag", sizeof(flag), &flag, NULL));
	execute(queue, launch_list("wait_flag", sizeof(flag), &flag, NULL));
	MUST(zeCommandQueueDestroy(queue));
}
END_TEST

/*
 * How much of two kernels, each on a queue of its own, lay side by side, in nanoseconds. They last
 * 400 ms, which is longer than a busy machine keeps the second one waiting.
 */
static int64_t overlap(uint32_t second_engine)
{
	uint64_t ticks = 19200 * 400;
	ze_kernel_timestamp_result_t a, b;

	ze_app_open(&app);
	ze_event_pool_handle_t pool = ze_app_pool(&app, 2, ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
	ze_event_handle_t events[] = {ze_app_event(pool, 0), ze_app_event(pool, 1)};
	ze_command_queue_handle_t queues[] = {ze_app_queue(&app, 0),
					      ze_app_queue(&app, second_engine)};
	for (int i = 0; i < 2; i++)
		execute(queues[i], launch_list("spin", sizeof(ticks), &ticks, events[i]));
	for (int i = 0; i < 2; i++)
		MUST(zeEventHostSynchronize(events[i], UINT64_MAX));
	MUST(zeEventQueryKernelTimestamp(events[0], &a));
	MUST(zeEventQueryKernelTimestamp(events[1], &b));
	uint64_t start = a.global.kernelStart > b.global.kernelStart ? a.global.kernelStart
								     : b.global.kernelStart;
	uint64_t end =
		a.global.kernelEnd < b.global.kernelEnd ? a.global.kernelEnd : b.global.kernelEnd;
	return (int64_t)(end - start) * 1000 / 19;
}

START_TEST(an_engine_does_one_command_at_a_time)
{
	ck_assert_int_le(overlap(0), 0);
}
END_TEST

START_TEST(two_engines_work_side_by_side)
{
	ck_assert_int_gt(overlap(1), 0);
}
END_TEST

START_TEST(queues_of_one_engine_overlap_where_asked)
{
	setenv("TEST_ZE_OVERLAP", "1", 1);
	ck_assert_int_gt(overlap(0), 0);
}
END_TEST

START_TEST(a_failing_kernel_loses_the_device)
{
	ze_app_open(&app);
	ze_event_pool_handle_t pool = ze_app_pool(&app, 1, 0);
	ze_event_handle_t event = ze_app_event(pool, 0);
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	ze_command_list_handle_t list = launch_list("fail", 0, NULL, event);

	execute(queue, list);
	ck_assert_int_eq(zeEventHostSynchronize(event, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
	ck_assert_int_eq(zeCommandQueueSynchronize(queue, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
	ck_assert_int_eq(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL),
			 ZE_RESULT_ERROR_DEVICE_LOST);
	ck_assert_int_eq(zeDeviceGetStatus(app.device), ZE_RESULT_ERROR_DEVICE_LOST);
}
END_TEST

/* ---- memory */

static bool host_can_read(const void *pointer)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	bool can = write(fds[1], pointer, 1) == 1;
	if (!can)
		ck_assert_int_eq(errno, EFAULT);
	close(fds[0]);
	close(fds[1]);
	return can;
}

START_TEST(device_memory_is_hidden_from_the_host_and_free_gives_it_back)
{
	const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
	zes_mem_state_t before = {0}, during = {0}, after = {0};
	zes_mem_handle_t module;
	uint32_t count = 1;
	void *memory = NULL;

	ze_app_open(&app);
	MUST(zesDeviceEnumMemoryModules((zes_device_handle_t)app.device, &count, &module));
	MUST(zesMemoryGetState(module, &before));
	MUST(zeMemAllocDevice(app.context, &desc, 100000, 65536, app.device, &memory));
	ck_assert_uint_eq((uintptr_t)memory % 65536, 0);
	ck_assert(!host_can_read(memory));
	MUST(zesMemoryGetState(module, &during));
	ck_assert_uint_ge(before.free - during.free, 100000);
	ck_assert_int_eq(zeMemFree(app.context, (char *)memory + 1),
			 ZE_RESULT_ERROR_INVALID_ARGUMENT);
	MUST(zeMemFree(app.context, memory));
	MUST(zesMemoryGetState(module, &after));
	ck_assert_uint_eq(after.free, before.free);
	ck_assert_int_eq(zeMemAllocDevice(app.context, &desc, 1ull << 40, 0, app.device, &memory),
			 ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
}
END_TEST

START_TEST(device_memory_is_readable_where_asked)
{
	const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
	void *memory = NULL;

	setenv("TEST_ZE_DEVICE_MEMORY", "host", 1);
	ze_app_open(&app);
	MUST(zeMemAllocDevice(app.context, &desc, 4096, 0, app.device, &memory));
	ck_assert(host_can_read(memory));
}
END_TEST

/* ---- the clock */

/* Ticks a second between two readings 50 ms apart, against CLOCK_MONOTONIC. */
static double measured_hz(void)
{
	const struct timespec pause = {.tv_nsec = 50 * MS};
	uint64_t ns[2], ticks[2];

	ze_app_open(&app);
	for (int i = 0; i < 2; i++) {
		ticks[i] = DRIVER(test_ze_ticks)(0, &ns[i]);
		if (i == 0)
			nanosleep(&pause, NULL);
	}
	return (double)(ticks[1] - ticks[0]) * 1e9 / (double)(ns[1] - ns[0]);
}

START_TEST(the_clock_runs_at_its_own_frequency)
{
	ze_device_properties_t in_ns = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
	ze_device_properties_t in_hz = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};

	ck_assert_double_eq_tol(measured_hz(), 19.2e6, 19.2e6 * 0.01);
	MUST(zeDeviceGetProperties(app.device, &in_ns));
	MUST(zeDeviceGetProperties(app.device, &in_hz));
	ck_assert_uint_eq(in_ns.timerResolution, 52);
	ck_assert_uint_eq(in_hz.timerResolution, 19200000);
}
END_TEST

START_TEST(the_clock_drifts_as_configured)
{
	setenv("TEST_ZE_CLOCK_HZ", "1000000", 1);
	setenv("TEST_ZE_CLOCK_DRIFT_PPM", "-200000", 1);
	ck_assert_double_eq_tol(measured_hz(), 0.8e6, 0.8e6 * 0.01);
}
END_TEST

START_TEST(the_clock_steps_when_configured_and_when_told)
{
	setenv("TEST_ZE_CLOCK_STEP", "0:5000000000000", 1);
	setenv("TEST_ZE_CLOCK_EPOCH", "1000", 1);
	ze_app_open(&app);
	uint64_t before = DRIVER(test_ze_ticks)(0, NULL);
	ck_assert_uint_ge(before, 5000000001000);
	ck_assert_int_eq(DRIVER(test_ze_step_clock)(0, -4000000000000), 0);
	ck_assert_uint_lt(DRIVER(test_ze_ticks)(0, NULL), before - 3000000000000);
}
END_TEST

START_TEST(the_clock_wraps_at_its_valid_bits)
{
	const struct timespec pause = {.tv_nsec = MS / 4};
	ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
	uint64_t host, ticks, last = 0;
	int wraps = 0;

	setenv("TEST_ZE_CLOCK_BITS", "16", 1);
	setenv("TEST_ZE_CLOCK_EPOCH", "0x123456789abc", 1);
	ze_app_open(&app);
	MUST(zeDeviceGetProperties(app.device, &properties));
	ck_assert_uint_eq(properties.timestampValidBits, 16);
	for (int i = 0; i < 40; i++) {
		MUST(zeDeviceGetGlobalTimestamps(app.device, &host, &ticks));
		ck_assert_uint_lt(ticks, 1 << 16);
		wraps += ticks < last;
		last = ticks;
		nanosleep(&pause, NULL);
	}
	ck_assert_int_ge(wraps, 2); /* 3.4 ms each */
}
END_TEST

/* ---- what tests do to it */

static jmp_buf back;

static void jump(const char *name, void *arg)
{
	longjmp(back, 1);
}

static void leave_thread(const char *name, void *arg)
{
	pthread_exit(arg);
}

static void call_again(const char *name, void *arg)
{
	*(const char **)arg = name;
	MUST(zeContextGetStatus(app.context));
}

static void *get_status(void *unused)
{
	zeDeviceGetStatus(app.device);
	return NULL;
}

START_TEST(a_hook_runs_inside_the_call_and_may_call_the_api_jump_or_end_the_thread)
{
	const char *name = NULL;
	pthread_t thread;
	void *result;

	ze_app_open(&app);
	ck_assert_int_eq(DRIVER(test_ze_set_hook)("zeDeviceGetStatus", call_again, &name), 0);
	MUST(zeDeviceGetStatus(app.device));
	ck_assert_str_eq(name, "zeDeviceGetStatus");

	DRIVER(test_ze_set_hook)("zeDeviceGetStatus", jump, NULL);
	if (setjmp(back) == 0) {
		zeDeviceGetStatus(app.device);
		ck_abort_msg("the hook did not jump");
	}
	DRIVER(test_ze_set_hook)("zeDeviceGetStatus", leave_thread, &app);
	ck_assert_int_eq(pthread_create(&thread, NULL, get_status, NULL), 0);
	pthread_join(thread, &result);
	ck_assert_ptr_eq(result, &app);

	DRIVER(test_ze_set_hook)("zeDeviceGetStatus", NULL, NULL);
	MUST(zeDeviceGetStatus(app.device));
	ck_assert_int_eq(DRIVER(test_ze_set_hook)("zeNoSuchFunction", jump, NULL), -1);
}
END_TEST

START_TEST(a_blocked_function_waits_until_it_is_released)
{
	const struct timespec pause = {.tv_nsec = MS};
	pthread_t thread;

	ze_app_open(&app);
	DRIVER(test_ze_block)("zeDeviceGetStatus");
	ck_assert_int_eq(pthread_create(&thread, NULL, get_status, NULL), 0);
	while (DRIVER(test_ze_waiting)("zeDeviceGetStatus") == 0)
		nanosleep(&pause, NULL);
	DRIVER(test_ze_release)("zeDeviceGetStatus");
	pthread_join(thread, NULL);
	ck_assert_int_eq(DRIVER(test_ze_waiting)("zeDeviceGetStatus"), 0);
}
END_TEST

START_TEST(a_thread_cancelled_inside_a_blocked_function_leaves_it_usable)
{
	const struct timespec pause = {.tv_nsec = MS};
	pthread_t thread;

	ze_app_open(&app);
	DRIVER(test_ze_block)("zeDeviceGetStatus");
	ck_assert_int_eq(pthread_create(&thread, NULL, get_status, NULL), 0);
	while (DRIVER(test_ze_waiting)("zeDeviceGetStatus") == 0)
		nanosleep(&pause, NULL);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	ck_assert_int_eq(DRIVER(test_ze_waiting)("zeDeviceGetStatus"), 0);
	DRIVER(test_ze_release)("zeDeviceGetStatus");
	MUST(zeDeviceGetStatus(app.device));
}
END_TEST

START_TEST(chosen_calls_return_the_chosen_result)
{
	setenv("TEST_ZE_FAIL", "zeDeviceGetStatus=0x70000001,zeContextGetStatus=0x70000003@2", 1);
	ze_app_open(&app);
	for (int i = 1; i <= 3; i++) {
		ck_assert_int_eq(zeDeviceGetStatus(app.device), ZE_RESULT_ERROR_DEVICE_LOST);
		ck_assert_int_eq(zeContextGetStatus(app.context),
				 i == 2 ? ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY : ZE_RESULT_SUCCESS);
	}
	DRIVER(test_ze_set_result)("zeDeviceGetStatus", 0, 0);
	MUST(zeDeviceGetStatus(app.device));
}
END_TEST

START_TEST(calls_are_counted_by_function)
{
	setenv("TEST_ZE_COUNTS", "", 1);
	ze_app_open(&app);
	for (int i = 0; i < 1000; i++)
		MUST(zeContextGetStatus(app.context));
	ck_assert_uint_eq(DRIVER(test_ze_count)("zeContextGetStatus"), 1000);
	ck_assert_uint_eq(DRIVER(test_ze_count)("zeDeviceGetStatus"), 0);
}
END_TEST

/* ---- tables, drivers, fork, sysman */

START_TEST(a_table_of_an_older_version_gets_its_own_fields_only)
{
	ze_device_dditable_t table;
	unsigned char untouched[sizeof(void *)];

	ze_app_open(&app);
	memset(&table, 0xa5, sizeof(table));
	memset(untouched, 0xa5, sizeof(untouched));
	MUST(DRIVER(zeGetDeviceProcAddrTable)(ZE_API_VERSION_1_0, &table));
	ck_assert_mem_ne(&table.pfnGetStatus, untouched, sizeof(untouched));
	ck_assert_mem_eq(&table.pfnGetGlobalTimestamps, untouched, sizeof(untouched));
	MUST(DRIVER(zeGetDeviceProcAddrTable)(ZE_API_VERSION_1_2, &table));
	ck_assert_mem_ne(&table.pfnSetCacheAdviceExt, untouched, sizeof(untouched));
	ck_assert_mem_eq(&table.pfnPciGetPropertiesExt, untouched, sizeof(untouched));
	ck_assert_int_eq(
		DRIVER(zeGetDeviceProcAddrTable)((ze_api_version_t)ZE_MAKE_VERSION(1, 99), &table),
		ZE_RESULT_SUCCESS);
	ck_assert_int_eq(
		DRIVER(zeGetDeviceProcAddrTable)((ze_api_version_t)ZE_MAKE_VERSION(2, 0), &table),
		ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
}
END_TEST

static void fill_on(ze_driver_handle_t driver)
{
	const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
	const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
					      .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
	struct ze_app saved = app;
	ze_command_list_handle_t list;
	uint32_t count = 1;

	MUST(zeDeviceGet(driver, &count, &app.device));
	MUST(zeContextCreate(driver, &context_desc, &app.context));
	unsigned char *memory = shared_memory(4096);
	MUST(zeCommandListCreateImmediate(app.context, app.device, &desc, &list));
	MUST(zeCommandListAppendMemoryFill(list, memory, &(uint8_t){7}, 1, 4096, NULL, 0, NULL));
	ck_assert_uint_eq(memory[4095], 7);
	MUST(zeCommandListDestroy(list));
	MUST(zeMemFree(app.context, memory));
	MUST(zeContextDestroy(app.context));
	app = saved;
}

START_TEST(two_drivers_work_at_once)
{
	char both[2 * sizeof(driver_path[0]) + 2];
	ze_driver_properties_t properties[2] = {0};
	ze_driver_handle_t drivers[2];
	uint32_t count = 2;

	snprintf(both, sizeof(both), "%s,%s", driver_path[0], driver_path[1]);
	setenv("ZE_ENABLE_ALT_DRIVERS", both, 1);
	MUST(zeInit(0));
	MUST(zeDriverGet(&count, drivers));
	ck_assert_uint_eq(count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		MUST(zeDriverGetProperties(drivers[i], &properties[i]));
		fill_on(drivers[i]);
	}
	ck_assert_str_eq((char *)properties[0].uuid.id, "test driver a");
	ck_assert_str_eq((char *)properties[1].uuid.id, "test driver b");
}
END_TEST

START_TEST(several_devices_and_sub_devices_have_clocks_and_lanes_of_their_own)
{
	ze_device_handle_t devices[4], subs[4];
	uint32_t count = 4, sub_count = 4;
	uint64_t host, a, b;

	setenv("TEST_ZE_DEVICES", "3", 1);
	setenv("TEST_ZE_SUBDEVICES", "2", 1);
	ze_app_open(&app);
	MUST(zeDeviceGet(app.driver, &count, devices));
	MUST(zeDeviceGetSubDevices(devices[2], &sub_count, subs));
	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(sub_count, 2);
	MUST(zeDeviceGetGlobalTimestamps(devices[0], &host, &a));
	MUST(zeDeviceGetGlobalTimestamps(devices[1], &host, &b));
	ck_assert_uint_gt(b - a, 1000000000);
	app.device = subs[1];
	ze_command_queue_handle_t queue = ze_app_queue(&app, 1);
	execute(queue, launch_list("empty", 0, NULL, NULL));
	MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
}
END_TEST

START_TEST(a_forked_child_can_use_the_device)
{
	int status;

	ze_app_open(&app);
	_Atomic uint32_t *flag = shared_memory(64);
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	execute(queue, launch_list("wait_flag", sizeof(flag), &flag, NULL));
	pid_t child = fork();
	if (child == 0) {
		fill_on(app.driver);
		execute(queue, launch_list("empty", 0, NULL, NULL));
		_exit(zeCommandQueueSynchronize(queue, UINT64_MAX) == ZE_RESULT_SUCCESS ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	atomic_store(flag, 1);
	MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
}
END_TEST

START_TEST(a_program_may_end_while_the_device_works)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		uint64_t ticks = 19200 * 10000ull;

		ze_app_open(&app);
		for (uint32_t i = 0; i < 2; i++)
			execute(ze_app_queue(&app, i),
				launch_list("spin", sizeof(ticks), &ticks, NULL));
		exit(0);
	}
	uint64_t before = now_ns();
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_lt(now_ns() - before, 5000 * MS);
}
END_TEST

START_TEST(an_engine_counts_its_busy_time)
{
	zes_engine_handle_t engines[4];
	zes_engine_stats_t stats = {0};
	uint64_t ticks = 19200 * 10;
	uint32_t count = 4;

	ze_app_open(&app);
	ze_command_queue_handle_t queue = ze_app_queue(&app, 0);
	execute(queue, launch_list("spin", sizeof(ticks), &ticks, NULL));
	MUST(zeCommandQueueSynchronize(queue, UINT64_MAX));
	MUST(zesDeviceEnumEngineGroups((zes_device_handle_t)app.device, &count, engines));
	ck_assert_uint_eq(count, 4);
	MUST(zesEngineGetActivity(engines[0], &stats));
	ck_assert_uint_ge(stats.activeTime, 9900);
	MUST(zesEngineGetActivity(engines[1], &stats));
	ck_assert_uint_eq(stats.activeTime, 0);
}
END_TEST

static TCase *cases(void)
{
	TCase *tcase = tcase_create("driver");

	tcase_add_checked_fixture(tcase, set_up, NULL);
	tcase_add_test(tcase, a_queue_works_while_the_program_goes_on);
	tcase_add_test(tcase, a_command_waits_for_its_events_from_other_queues_and_from_the_host);
	tcase_add_test(tcase, a_list_is_executed_many_times_and_used_again_after_a_reset);
	tcase_add_test(tcase, a_list_that_is_running_is_neither_reset_nor_destroyed);
	tcase_add_test(tcase, a_synchronous_immediate_list_returns_when_the_command_is_done);
	tcase_add_test(tcase, a_fence_is_signaled_after_the_last_list_of_its_execution);
	tcase_add_test(tcase, a_queue_destroyed_with_work_left_gives_it_up);
	tcase_add_test(tcase, an_engine_does_one_command_at_a_time);
	tcase_add_test(tcase, two_engines_work_side_by_side);
	tcase_add_test(tcase, queues_of_one_engine_overlap_where_asked);
	tcase_add_test(tcase, a_failing_kernel_loses_the_device);
	tcase_add_test(tcase, device_memory_is_hidden_from_the_host_and_free_gives_it_back);
	tcase_add_test(tcase, device_memory_is_readable_where_asked);
	tcase_add_test(tcase, the_clock_runs_at_its_own_frequency);
	tcase_add_test(tcase, the_clock_drifts_as_configured);
	tcase_add_test(tcase, the_clock_steps_when_configured_and_when_told);
	tcase_add_test(tcase, the_clock_wraps_at_its_valid_bits);
	tcase_add_test(tcase,
		       a_hook_runs_inside_the_call_and_may_call_the_api_jump_or_end_the_thread);
	tcase_add_test(tcase, a_blocked_function_waits_until_it_is_released);
	tcase_add_test(tcase, a_thread_cancelled_inside_a_blocked_function_leaves_it_usable);
	tcase_add_test(tcase, chosen_calls_return_the_chosen_result);
	tcase_add_test(tcase, calls_are_counted_by_function);
	tcase_add_test(tcase, a_table_of_an_older_version_gets_its_own_fields_only);
	tcase_add_test(tcase, two_drivers_work_at_once);
	tcase_add_test(tcase, several_devices_and_sub_devices_have_clocks_and_lanes_of_their_own);
#ifndef __SANITIZE_THREAD__ /* which does not support new threads in the child of several */
	tcase_add_test(tcase, a_forked_child_can_use_the_device);
#else
	(void)a_forked_child_can_use_the_device;
#endif
	tcase_add_test(tcase, a_program_may_end_while_the_device_works);
	tcase_add_test(tcase, an_engine_counts_its_busy_time);
	return tcase;
}

int main(void)
{
	const char *folder = getenv("top_builddir");
	Suite *suite = suite_create("ze_driver");

	for (int i = 0; i < 2; i++)
		snprintf(driver_path[i], sizeof(driver_path[i]),
			 "%s/tests/drivers/.libs/ze_driver_%c.so", folder ? folder : ".", 'a' + i);
	suite_add_tcase(suite, cases());
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
