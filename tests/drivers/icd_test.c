/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL test driver itself, through the stock loader, without tracelayer: what later tests
 * rely on.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DRIFT_PPM 20000
#define OFFSET	  5000000000

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static cl_program built(const char *source)
{
	cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, NULL);

	ck_assert_int_eq(clBuildProgram(made, 1, &device, "", NULL, NULL), CL_SUCCESS);
	return made;
}

/* Each test has a process of its own, and so a driver loaded afresh. */
static void open_device(void)
{
	const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE,
						  0};
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/drivers/.libs/icd_a.so", getenv("top_builddir"));
	setenv("OCL_ICD_VENDORS", path, 1);
	ck_assert_int_eq(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
	ck_assert_int_eq(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
			 CL_SUCCESS);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueueWithProperties(context, device, properties, NULL);
	program = built("");
}

static cl_event spin(cl_ulong nanoseconds, cl_uint nwaits, const cl_event *waits)
{
	const size_t one = 1;
	cl_kernel kernel = clCreateKernel(program, "spin@of a test", NULL);
	cl_event event = NULL;

	ck_assert_int_eq(clSetKernelArg(kernel, 0, sizeof(nanoseconds), &nanoseconds), CL_SUCCESS);
	ck_assert_int_eq(
		clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, nwaits, waits, &event),
		CL_SUCCESS);
	ck_assert_int_eq(clReleaseKernel(kernel), CL_SUCCESS);
	return event;
}

static cl_ulong time_of(cl_event event, cl_profiling_info which)
{
	cl_ulong time = 0;

	ck_assert_int_eq(clGetEventProfilingInfo(event, which, sizeof(time), &time, NULL),
			 CL_SUCCESS);
	return time;
}

/*
 * The two clocks are read one after the other, and a busy machine may come between: the quickest of
 * some readings.
 */
static void read_clocks(cl_ulong *at, cl_ulong *of_host)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 20; i++) {
		struct timespec before, after;
		cl_ulong ticks, host;

		clock_gettime(CLOCK_MONOTONIC, &before);
		ck_assert_int_eq(clGetDeviceAndHostTimer(device, &ticks, &host), CL_SUCCESS);
		clock_gettime(CLOCK_MONOTONIC, &after);
		uint64_t took = (uint64_t)((after.tv_sec - before.tv_sec) * 1000000000 +
					   after.tv_nsec - before.tv_nsec);
		if (took >= best)
			continue;
		best = took;
		*at = ticks;
		*of_host = host;
	}
}

START_TEST(the_device_clock_has_the_offset_and_drift_asked_for)
{
	cl_ulong at[2], host[2];
	struct timespec pause = {0, 200000000};

	setenv("TEST_ICD_CLOCK_OFFSET", "5000000000", 1);
	setenv("TEST_ICD_CLOCK_DRIFT_PPM", "20000", 1);
	open_device();
	read_clocks(&at[0], &host[0]);
	nanosleep(&pause, NULL);
	read_clocks(&at[1], &host[1]);
	double ahead = (double)(at[0] - host[0]),
	       gained = (double)(at[1] - at[0]) - (double)(host[1] - host[0]);
	double expected = (double)(host[1] - host[0]) * DRIFT_PPM / 1e6;

	ck_assert_double_ge(ahead, OFFSET);
	ck_assert_double_le(ahead, OFFSET + 1e9);
	ck_assert_double_le(gained - expected < 0 ? expected - gained : gained - expected, 1e6);
}
END_TEST

START_TEST(profiling_times_are_in_order_and_as_long_as_the_kernel)
{
	open_device();
	cl_event first = spin(3000000, 0, NULL), second = spin(1000000, 0, NULL);

	ck_assert_int_eq(clWaitForEvents(1, &second), CL_SUCCESS);
	ck_assert_uint_le(time_of(first, CL_PROFILING_COMMAND_QUEUED),
			  time_of(first, CL_PROFILING_COMMAND_SUBMIT));
	ck_assert_uint_le(time_of(first, CL_PROFILING_COMMAND_SUBMIT),
			  time_of(first, CL_PROFILING_COMMAND_START));
	ck_assert_uint_ge(time_of(first, CL_PROFILING_COMMAND_END) -
				  time_of(first, CL_PROFILING_COMMAND_START),
			  3000000);
	ck_assert_uint_le(time_of(first, CL_PROFILING_COMMAND_END),
			  time_of(second, CL_PROFILING_COMMAND_START));
}
END_TEST

static _Atomic int seen[4];

static void CL_CALLBACK note_status(cl_event event, cl_int status, void *with)
{
	atomic_store(&seen[(intptr_t)with], 100 + status);
}

START_TEST(a_user_event_holds_commands_back_and_callbacks_follow_the_status)
{
	open_device();
	cl_event gate = clCreateUserEvent(context, NULL), event = spin(0, 1, &gate);
	cl_int status = -1;

	ck_assert_int_eq(clSetEventCallback(event, CL_COMPLETE, note_status, (void *)1),
			 CL_SUCCESS);
	ck_assert_int_eq(clFlush(queue), CL_SUCCESS);
	ck_assert_int_eq(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
					&status, NULL),
			 CL_SUCCESS);
	ck_assert_int_gt(status, CL_RUNNING);
	ck_assert_int_eq(seen[1], 0);
	ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
	ck_assert_int_eq(clFinish(queue), CL_SUCCESS);
	ck_assert_int_eq(seen[1], 100 + CL_COMPLETE);
	/* One that comes too late is called at once. */
	ck_assert_int_eq(clSetEventCallback(event, CL_RUNNING, note_status, (void *)2), CL_SUCCESS);
	ck_assert_int_ne(seen[2], 0);
}
END_TEST

static void CL_CALLBACK note_build(cl_program which, void *with)
{
	atomic_store((_Atomic int *)with, which != NULL);
}

START_TEST(a_build_tells_its_callback_and_a_broken_one_has_a_log)
{
	const char *broken = "error: line 1";
	_Atomic int told = 0;
	char log[64];

	open_device();
	ck_assert_int_eq(clBuildProgram(program, 1, &device, "", note_build, &told), CL_SUCCESS);
	while (!atomic_load(&told))
		;
	cl_program other = clCreateProgramWithSource(context, 1, &broken, NULL, NULL);

	ck_assert_int_eq(clBuildProgram(other, 1, &device, "", NULL, NULL),
			 CL_BUILD_PROGRAM_FAILURE);
	ck_assert_int_eq(
		clGetProgramBuildInfo(other, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL),
		CL_SUCCESS);
	ck_assert_str_eq(log, " line 1");
}
END_TEST

START_TEST(an_enqueue_fails_where_it_is_told_to)
{
	const cl_uint pattern = 7;
	cl_uint values[16] = {0};

	setenv("TEST_ICD_FAIL", "clEnqueueReadBuffer=-5", 1);
	open_device();
	cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(values), NULL, NULL);

	ck_assert_int_eq(clEnqueueFillBuffer(queue, mem, &pattern, sizeof(pattern), 0,
					     sizeof(values), 0, NULL, NULL),
			 CL_SUCCESS);
	ck_assert_int_eq(
		clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL),
		CL_OUT_OF_RESOURCES);
	ck_assert_uint_eq(values[3], 0);
	cl_int error = -1;
	cl_uint *mapped = clEnqueueMapBuffer(queue, mem, CL_TRUE, CL_MAP_READ, 0, sizeof(values), 0,
					     NULL, NULL, &error);

	ck_assert_int_eq(error, CL_SUCCESS);
	ck_assert_uint_eq(mapped[3], 7);
}
END_TEST

/* --- what the tests of device lanes rely on */

static cl_command_queue made_queue(cl_command_queue_properties properties)
{
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
	cl_command_queue made = clCreateCommandQueueWithProperties(context, device, list, NULL);

	ck_assert_ptr_nonnull(made);
	return made;
}

static cl_event enqueued(cl_command_queue on, const char *name, cl_ulong argument)
{
	const size_t one = 1;
	cl_kernel kernel = clCreateKernel(program, name, NULL);
	cl_event event = NULL;

	ck_assert_ptr_nonnull(kernel);
	if (argument)
		ck_assert_int_eq(clSetKernelArg(kernel, 0, strcmp(name, "fail") ? 8 : 4, &argument),
				 CL_SUCCESS);
	ck_assert_int_eq(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &one, NULL, 0, NULL, &event),
			 CL_SUCCESS);
	ck_assert_int_eq(clReleaseKernel(kernel), CL_SUCCESS);
	return event;
}

static cl_int status_of(cl_event event)
{
	cl_int status = 1;

	ck_assert_int_eq(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
					&status, NULL),
			 CL_SUCCESS);
	return status;
}

START_TEST(an_out_of_order_queue_overlaps_its_commands_between_barriers)
{
	open_device();
	cl_command_queue unordered =
		made_queue(CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	/* For longer than a busy machine keeps the second one waiting. */
	cl_event first = enqueued(unordered, "sleep", 500000000),
		 second = enqueued(unordered, "sleep", 500000000), marker;

	ck_assert_int_eq(clEnqueueBarrierWithWaitList(unordered, 0, NULL, NULL), CL_SUCCESS);
	cl_event third = enqueued(unordered, "empty", 0);

	ck_assert_int_eq(clEnqueueMarkerWithWaitList(unordered, 1, &third, &marker), CL_SUCCESS);
	ck_assert_int_eq(clWaitForEvents(1, &marker), CL_SUCCESS);
	ck_assert_uint_lt(time_of(second, CL_PROFILING_COMMAND_START),
			  time_of(first, CL_PROFILING_COMMAND_END));
	ck_assert_uint_ge(time_of(third, CL_PROFILING_COMMAND_START),
			  time_of(first, CL_PROFILING_COMMAND_END));
	ck_assert_uint_ge(time_of(third, CL_PROFILING_COMMAND_START),
			  time_of(second, CL_PROFILING_COMMAND_END));
}
END_TEST

START_TEST(a_command_fails_or_hangs_where_its_kernel_does)
{
	struct timespec pause = {0, 20000000};

	open_device();
	cl_event failed = enqueued(queue, "fail", (cl_uint)CL_OUT_OF_RESOURCES), hanging, behind;
	cl_ulong time;

	ck_assert_int_eq(clWaitForEvents(1, &failed), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	ck_assert_int_eq(status_of(failed), CL_OUT_OF_RESOURCES);
	ck_assert_int_eq(clGetEventProfilingInfo(failed, CL_PROFILING_COMMAND_END, sizeof(time),
						 &time, NULL),
			 CL_PROFILING_INFO_NOT_AVAILABLE);
	/* Who waits for it fails too. */
	behind = spin(0, 1, &failed);
	ck_assert_int_eq(clFinish(queue), CL_SUCCESS);
	ck_assert_int_eq(status_of(behind), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	hanging = enqueued(queue, "hang", 0);
	behind = enqueued(queue, "empty", 0);
	while (status_of(hanging) > CL_RUNNING)
		nanosleep(&pause, NULL);
	nanosleep(&pause, NULL);
	ck_assert_int_eq(status_of(hanging), CL_RUNNING);
	ck_assert_int_gt(status_of(behind), CL_RUNNING);
}
END_TEST

/* The lines of a file that the driver wrote. */
static unsigned lines_of(const char *name, const char *beginning)
{
	char line[1024];
	unsigned count = 0;
	FILE *file = fopen(name, "r");

	while (file && fgets(line, sizeof(line), file))
		count += !strncmp(line, beginning, strlen(beginning));
	if (file)
		fclose(file);
	return count;
}

static const char *file_for(const char *setting, char *name)
{
	int file = mkstemp(name);

	ck_assert_int_ge(file, 0);
	close(file);
	setenv(setting, name, 1);
	return name;
}

START_TEST(misuse_is_reported)
{
	char name[] = "icd_misuse.XXXXXX";
	cl_uint references = 0;

	file_for("TEST_ICD_MISUSE", name);
	open_device();
	cl_event event = enqueued(queue, "empty", 0), next = enqueued(queue, "empty", 0);

	/* The driver's thread lets go of an event after the queue is empty, but before the next command. */
	ck_assert_int_eq(clFinish(queue), CL_SUCCESS);
	ck_assert_int_eq(clReleaseEvent(next), CL_SUCCESS);
	ck_assert_int_eq(clRetainEvent(event), CL_SUCCESS);
	ck_assert_int_eq(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(references),
					&references, NULL),
			 CL_SUCCESS);
	ck_assert_uint_eq(references, 2);
	ck_assert_int_eq(clReleaseEvent(event), CL_SUCCESS);
	ck_assert_int_eq(clReleaseEvent(event), CL_SUCCESS);
	ck_assert_uint_eq(lines_of(name, ""), 0);
	ck_assert_int_eq(clReleaseEvent(event), CL_INVALID_EVENT);
	ck_assert_uint_eq(lines_of(name, "clReleaseEvent: event released too often"), 1);
	ck_assert_int_eq(clRetainEvent(event), CL_INVALID_EVENT);
	ck_assert_uint_eq(lines_of(name, "clRetainEvent: event used after its end"), 1);
	unlink(name);
}
END_TEST

START_TEST(a_released_queue_ends_its_commands)
{
	char name[] = "icd_misuse.XXXXXX";

	file_for("TEST_ICD_MISUSE", name);
	open_device();
	cl_event event = enqueued(queue, "sleep", 500000000);

	ck_assert_int_eq(clReleaseCommandQueue(queue), CL_SUCCESS);
	ck_assert_int_gt(status_of(event), CL_COMPLETE);
	ck_assert_int_eq(clWaitForEvents(1, &event), CL_SUCCESS);
	ck_assert_int_eq(clFinish(queue), CL_INVALID_COMMAND_QUEUE);
	ck_assert_uint_eq(lines_of(name, ""), 1);
	unlink(name);
}
END_TEST

START_TEST(its_log_has_each_command_with_the_times_that_profiling_tells)
{
	char name[] = "icd_log.XXXXXX", line[1024], type[32];
	unsigned number, on, seen_lines = 0;
	unsigned long long at[4], ns[4];
	int status;

	setenv("TEST_ICD_CLOCK_STEP", "0:7000000000", 1);
	setenv("TEST_ICD_CLOCK_OFFSET", "5000000000", 1);
	file_for("TEST_ICD_LOG", name);
	open_device();
	cl_event event = spin(1000000, 0, NULL);

	ck_assert_int_eq(clFinish(queue), CL_SUCCESS);
	FILE *file = fopen(name, "r");

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "- %u %31s %u %d %llu %llu %llu %llu %llu %llu %llu %llu", &number,
			   type, &on, &status, &at[0], &at[1], &at[2], &at[3], &ns[0], &ns[1],
			   &ns[2], &ns[3]) != 12)
			continue;
		seen_lines++;
		ck_assert_uint_eq(number, 1);
		ck_assert_uint_eq(on, 1);
		ck_assert_str_eq(type, "NDRANGE_KERNEL");
		ck_assert_ptr_nonnull(strstr(line, "spin@of a test"));
		ck_assert_uint_eq(time_of(event, CL_PROFILING_COMMAND_QUEUED), at[0]);
		ck_assert_uint_eq(time_of(event, CL_PROFILING_COMMAND_END), at[3]);
		for (int i = 0; i < 4; i++)
			ck_assert_uint_eq(at[i] - ns[i], 12000000000);
	}
	fclose(file);
	ck_assert_uint_eq(seen_lines, 1);
	ck_assert_uint_eq(lines_of(name, "+ 1 NDRANGE_KERNEL 1 "), 1);
	unlink(name);
}
END_TEST

START_TEST(a_driver_of_1_2_has_nothing_newer)
{
	char name[] = "icd_misuse.XXXXXX", version[64];
	cl_ulong at, host;
	cl_int error;

	setenv("TEST_ICD_VERSION", "1.2", 1);
	file_for("TEST_ICD_MISUSE", name);
	open_device();
	ck_assert_int_eq(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof(version), version, NULL),
			 CL_SUCCESS);
	ck_assert_int_eq(strncmp(version, "OpenCL 1.2 ", 11), 0);
	ck_assert_ptr_null(queue);
	queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
	ck_assert_int_eq(error, CL_SUCCESS);
	ck_assert_int_eq(clGetDeviceAndHostTimer(device, &at, &host), CL_INVALID_OPERATION);
	ck_assert_uint_eq(lines_of(name, "clGetDeviceAndHostTimer: "), 1);
	ck_assert_uint_eq(lines_of(name, ""), 2);
	unlink(name);
}
END_TEST

START_TEST(profiling_is_refused_or_missing_where_it_is_told_to)
{
	cl_ulong time;
	cl_int error;

	setenv("TEST_ICD_PROFILING", "refused", 1);
	open_device();
	ck_assert_ptr_null(queue);
	clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
	ck_assert_int_eq(error, CL_INVALID_QUEUE_PROPERTIES);
	setenv("TEST_ICD_PROFILING", "unavailable", 1);
	queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
	ck_assert_int_eq(error, CL_SUCCESS);
	cl_event event = enqueued(queue, "empty", 0);

	ck_assert_int_eq(clFinish(queue), CL_SUCCESS);
	ck_assert_int_eq(
		clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL),
		CL_PROFILING_INFO_NOT_AVAILABLE);
}
END_TEST

START_TEST(rectangles_and_images_land_where_they_belong)
{
	const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
	const cl_image_desc desc = {
		.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
	const size_t corner[] = {1, 1, 0}, zero[] = {0, 0, 0}, two[] = {2, 2, 1},
		     four[] = {4, 4, 1};
	char bytes[17] = "0123456789abcdef", got[17] = "................";
	cl_int error;

	open_device();
	cl_mem mem = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 16, bytes, NULL);
	cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);

	ck_assert_int_eq(error, CL_SUCCESS);
	ck_assert_int_eq(clEnqueueReadBufferRect(queue, mem, CL_TRUE, corner, zero, two, 4, 16, 4,
						 0, got, 0, NULL, NULL),
			 CL_SUCCESS);
	ck_assert_str_eq(got, "56..9a..........");
	ck_assert_int_eq(
		clEnqueueCopyBufferToImage(queue, mem, image, 0, zero, four, 0, NULL, NULL),
		CL_SUCCESS);
	ck_assert_int_eq(
		clEnqueueFillImage(queue, image, "xxxxxxxxxxxxxxxx", corner, two, 0, NULL, NULL),
		CL_SUCCESS);
	ck_assert_int_eq(
		clEnqueueReadImage(queue, image, CL_TRUE, zero, four, 0, 0, got, 0, NULL, NULL),
		CL_SUCCESS);
	ck_assert_str_eq(got, "01234xx78xxbcdef");
	/* Beyond its end. */
	ck_assert_int_eq(clEnqueueReadBufferRect(queue, mem, CL_TRUE, corner, zero, four, 4, 16, 4,
						 0, got, 0, NULL, NULL),
			 CL_INVALID_VALUE);
}
END_TEST

START_TEST(shared_memory_is_filled_copied_and_freed_by_commands)
{
	char name[] = "icd_misuse.XXXXXX";

	file_for("TEST_ICD_MISUSE", name);
	open_device();
	char *one = clSVMAlloc(context, CL_MEM_READ_WRITE, 8, 0),
	     *two = clSVMAlloc(context, CL_MEM_READ_WRITE, 8, 0);
	void *gone = two;

	ck_assert_int_eq(clEnqueueSVMMemFill(queue, one, "ab", 2, 8, 0, NULL, NULL), CL_SUCCESS);
	ck_assert_int_eq(clEnqueueSVMMemcpy(queue, CL_TRUE, two, one, 6, 0, NULL, NULL),
			 CL_SUCCESS);
	ck_assert_int_eq(memcmp(two, "ababab\0", 8), 0);
	ck_assert_int_eq(clEnqueueSVMFree(queue, 1, &gone, NULL, NULL, 0, NULL, NULL), CL_SUCCESS);
	ck_assert_int_eq(clFinish(queue), CL_SUCCESS);
	clSVMFree(context, one);
	ck_assert_uint_eq(lines_of(name, ""), 0);
	clSVMFree(context, two);
	ck_assert_uint_eq(lines_of(name, "clSVMFree: "), 1);
	unlink(name);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("icd");
	TCase *tests = tcase_create("driver");

	tcase_add_test(tests, the_device_clock_has_the_offset_and_drift_asked_for);
	tcase_add_test(tests, profiling_times_are_in_order_and_as_long_as_the_kernel);
	tcase_add_test(tests, a_user_event_holds_commands_back_and_callbacks_follow_the_status);
	tcase_add_test(tests, a_build_tells_its_callback_and_a_broken_one_has_a_log);
	tcase_add_test(tests, an_enqueue_fails_where_it_is_told_to);
	tcase_add_test(tests, an_out_of_order_queue_overlaps_its_commands_between_barriers);
	tcase_add_test(tests, a_command_fails_or_hangs_where_its_kernel_does);
	tcase_add_test(tests, misuse_is_reported);
	tcase_add_test(tests, a_released_queue_ends_its_commands);
	tcase_add_test(tests, its_log_has_each_command_with_the_times_that_profiling_tells);
	tcase_add_test(tests, a_driver_of_1_2_has_nothing_newer);
	tcase_add_test(tests, profiling_is_refused_or_missing_where_it_is_told_to);
	tcase_add_test(tests, rectangles_and_images_land_where_they_belong);
	tcase_add_test(tests, shared_memory_is_filled_copied_and_freed_by_commands);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);

	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);

	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
