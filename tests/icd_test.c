/*
 * The OpenCL test driver itself, through the stock loader, without tracelayer: what later tests
 * rely on.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

START_TEST(the_device_clock_has_the_offset_and_drift_asked_for)
{
	cl_ulong at[2], host[2];
	struct timespec pause = {0, 200000000};

	setenv("TEST_ICD_CLOCK_OFFSET", "5000000000", 1);
	setenv("TEST_ICD_CLOCK_DRIFT_PPM", "20000", 1);
	open_device();
	ck_assert_int_eq(clGetDeviceAndHostTimer(device, &at[0], &host[0]), CL_SUCCESS);
	nanosleep(&pause, NULL);
	ck_assert_int_eq(clGetDeviceAndHostTimer(device, &at[1], &host[1]), CL_SUCCESS);
	double ahead = (double)(at[0] - host[0]),
	       gained = (double)(at[1] - at[0]) - (double)(host[1] - host[0]);
	double expected = (double)(host[1] - host[0]) * DRIFT_PPM / 1e6;

	ck_assert_double_ge(ahead, OFFSET);
	ck_assert_double_le(ahead, OFFSET + 1e9);
	/* The two clocks are read one after the other, which a busy machine may come between. */
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

int main(void)
{
	Suite *suite = suite_create("icd");
	TCase *tests = tcase_create("driver");

	tcase_add_test(tests, the_device_clock_has_the_offset_and_drift_asked_for);
	tcase_add_test(tests, profiling_times_are_in_order_and_as_long_as_the_kernel);
	tcase_add_test(tests, a_user_event_holds_commands_back_and_callbacks_follow_the_status);
	tcase_add_test(tests, a_build_tells_its_callback_and_a_broken_one_has_a_log);
	tcase_add_test(tests, an_enqueue_fails_where_it_is_told_to);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);

	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);

	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
