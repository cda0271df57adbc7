/* SPDX-License-Identifier: MIT */
/*
 * tracing-compare.c: the same computation on each OpenCL device, compared in one trace.
 *
 *	cc -o tracing-compare -DTRACELAYER_LINKED tracing-compare.c -ltracelayer -lOpenCL -lpthread
 *	./tracing-compare [FILE]		(./glow-trace.json)
 *
 * It follows the program of the same name that comes with Glow. Each device gets a thread and a
 * trace context. The context gets what the host does (scopes) and what the device does (slots, with
 * times of the device's own clock). At the end all contexts are merged into one. In the file each
 * device has two lanes: "N host" and "N NAME". Exit status: 1 where a device computes something
 * else than the host, 2 where OpenCL fails.
 *
 * Without -DTRACELAYER_LINKED and -ltracelayer the program needs nothing of tracelayer but a
 * header. `tracelayer run -- ./tracing-compare` then does the same, and adds a trace of the
 * driver's calls.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelayer/trace_context.h>

#define SIDE	96 /* of the matrices */
#define CELLS	(SIDE * SIDE)
#define DEVICES 16
#define TRIES	5

static const char source[] =
	"__kernel void multiply(__global const uint *a, __global const uint *b, __global uint *c)\n"
	"{ size_t row = get_global_id(1), column = get_global_id(0), side = get_global_size(0);\n"
	"  uint sum = 0;\n"
	"  for (size_t i = 0; i < side; i++) sum += a[row * side + i] * b[i * side + column];\n"
	"  c[row * side + column] = sum; }\n"
	"__kernel void add(__global const uint *a, __global uint *c)\n"
	"{ size_t cell = get_global_id(1) * get_global_size(0) + get_global_id(0); c[cell] += a[cell]; }\n";

/*
 * The commands, in order, and what of them is shown: command i notes its start in times[2 * i] and
 * its end in times[2 * i + 1].
 */
enum command { WRITE_A, WRITE_B, MULTIPLY, ADD, READ, COMMANDS };

static const struct tl_context_arg is_kernel[] = {{"kind", "kernel"}},
				   is_copy[] = {{"kind", "copy"}};
static const struct tl_trace_slot slots[] = {
	{"write a", 'X', TL_TRACE_OPERATOR, 2 * WRITE_A, 2 * WRITE_A + 1, 1, is_copy},
	{"write b", 'X', TL_TRACE_OPERATOR, 2 * WRITE_B, 2 * WRITE_B + 1, 1, is_copy},
	{"multiply", 'X', TL_TRACE_OPERATOR, 2 * MULTIPLY, 2 * MULTIPLY + 1, 1, is_kernel},
	{"add", 'X', TL_TRACE_OPERATOR, 2 * ADD, 2 * ADD + 1, 1, is_kernel},
	{"read c", 'X', TL_TRACE_OPERATOR, 2 * READ, 2 * READ + 1, 1, is_copy},
};

struct run {
	cl_device_id device;
	unsigned number;
	char name[128];
	struct tl_context *trace;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	cl_uint result[CELLS];
};

static struct run runs[DEVICES];
static cl_uint a[CELLS], b[CELLS], expected[CELLS];

static void result_check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "tracing-compare: %s returned %d\n", what, (int)error);
	exit(2);
}

/* --- the device's clock */

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
	cl_ulong time;

	result_check(clGetEventProfilingInfo(event, what, sizeof(time), &time, NULL),
		     "clGetEventProfilingInfo");
	return time;
}

/*
 * An instant on both clocks: the end of a command that does nothing. The shortest of several tries
 * counts.
 */
static struct tl_marker make_marker(struct run *run)
{
	struct tl_marker best = {0, 0};
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		cl_event event;
		uint64_t before = tl_context_now();
		result_check(clEnqueueMarkerWithWaitList(run->queue, 0, NULL, &event),
			     "clEnqueueMarkerWithWaitList");
		result_check(clWaitForEvents(1, &event), "clWaitForEvents");
		uint64_t after = tl_context_now();
		if (after - before < least) {
			least = after - before;
			best.device = time_of(event, CL_PROFILING_COMMAND_END);
			best.host = before + least / 2;
		}
		clReleaseEvent(event);
	}
	return best;
}

/* --- the computation */

static void program_build(struct run *run)
{
	TL_TRACE_SCOPE(run->trace, TL_TRACE_RUNTIME, "build");
	const char *text = source;
	cl_int error;

	run->context = clCreateContext(NULL, 1, &run->device, NULL, NULL, &error);
	result_check(error, "clCreateContext");
	run->queue =
		clCreateCommandQueue(run->context, run->device, CL_QUEUE_PROFILING_ENABLE, &error);
	result_check(error, "clCreateCommandQueue");
	run->program = clCreateProgramWithSource(run->context, 1, &text, NULL, &error);
	result_check(error, "clCreateProgramWithSource");
	result_check(clBuildProgram(run->program, 1, &run->device, NULL, NULL, NULL),
		     "clBuildProgram");
}

static cl_mem make_buffer(struct run *run)
{
	cl_int error;
	cl_mem buffer = clCreateBuffer(run->context, CL_MEM_READ_WRITE, sizeof(a), NULL, &error);

	result_check(error, "clCreateBuffer");
	return buffer;
}

static void kernel_launch(struct run *run, const char *name, cl_mem *buffers, unsigned count,
			  cl_event *event)
{
	static const size_t global[] = {SIDE, SIDE};
	cl_int error;
	cl_kernel kernel = clCreateKernel(run->program, name, &error);

	result_check(error, "clCreateKernel");
	for (unsigned i = 0; i < count; i++)
		result_check(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]),
			     "clSetKernelArg");
	result_check(
		clEnqueueNDRangeKernel(run->queue, kernel, 2, NULL, global, NULL, 0, NULL, event),
		"clEnqueueNDRangeKernel");
	clReleaseKernel(kernel);
}

/* c = a * b + a */
static void compute(struct run *run, uint64_t times[2 * COMMANDS])
{
	TL_TRACE_SCOPE_NAMED(run->trace, TL_TRACE_RUNTIME, "compute", scope);
	cl_mem buffers[] = {make_buffer(run), make_buffer(run), make_buffer(run)},
	       added[] = {buffers[0], buffers[2]};
	cl_event events[COMMANDS];

	tl_trace_scope_arg(&scope, "device", run->name);
	TL_TRACE_BEGIN(run->trace, TL_TRACE_RUNTIME, "enqueue");
	result_check(clEnqueueWriteBuffer(run->queue, buffers[0], CL_FALSE, 0, sizeof(a), a, 0,
					  NULL, &events[WRITE_A]),
		     "clEnqueueWriteBuffer");
	result_check(clEnqueueWriteBuffer(run->queue, buffers[1], CL_FALSE, 0, sizeof(b), b, 0,
					  NULL, &events[WRITE_B]),
		     "clEnqueueWriteBuffer");
	kernel_launch(run, "multiply", buffers, 3, &events[MULTIPLY]);
	kernel_launch(run, "add", added, 2, &events[ADD]);
	result_check(clEnqueueReadBuffer(run->queue, buffers[2], CL_FALSE, 0, sizeof(a),
					 run->result, 0, NULL, &events[READ]),
		     "clEnqueueReadBuffer");
	TL_TRACE_END(run->trace, TL_TRACE_RUNTIME, "enqueue");
	result_check(clFinish(run->queue), "clFinish");
	for (int i = 0; i < COMMANDS; i++) {
		times[2 * i] = time_of(events[i], CL_PROFILING_COMMAND_START);
		times[2 * i + 1] = time_of(events[i], CL_PROFILING_COMMAND_END);
		clReleaseEvent(events[i]);
	}
	for (int i = 0; i < 3; i++)
		clReleaseMemObject(buffers[i]);
}

static void *run_device(void *which)
{
	struct run *run = which;
	struct tl_marker markers[2];
	struct tl_device_clock clock;
	uint64_t times[2 * COMMANDS];
	char name[160];

	TL_TRACE_REQUEST_SCOPE(run->trace);
	snprintf(name, sizeof(name), "%u host", run->number);
	tl_context_name_thread(run->trace, name);
	program_build(run);
	markers[0] = make_marker(run);
	compute(run, times);
	markers[1] = make_marker(run);
	/* Two markers; where their times do not differ, one marker and nanoseconds. */
	if (tl_device_clock_fit(&clock, markers, 2, 1))
		tl_device_clock_fit(&clock, &markers[1], 1, 1);
	snprintf(name, sizeof(name), "%u %s", run->number, run->name);
	tl_context_slots(run->trace, slots, sizeof(slots) / sizeof(slots[0]), times, 2 * COMMANDS,
			 &clock, tl_context_lane(run->trace, name));
	clReleaseProgram(run->program);
	clReleaseCommandQueue(run->queue);
	clReleaseContext(run->context);
	return NULL;
}

/* --- all of them */

static unsigned find_devices(void)
{
	cl_platform_id platforms[DEVICES];
	cl_device_id devices[DEVICES];
	cl_uint count = 0, more;
	unsigned found = 0;

	result_check(clGetPlatformIDs(DEVICES, platforms, &count), "clGetPlatformIDs");
	for (cl_uint i = 0; i < count && i < DEVICES; i++) {
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, DEVICES, devices, &more))
			continue;
		for (cl_uint j = 0; j < more && j < DEVICES && found < DEVICES; j++, found++) {
			runs[found].device = devices[j];
			runs[found].number = found;
			clGetDeviceInfo(devices[j], CL_DEVICE_NAME, sizeof(runs[found].name),
					runs[found].name, NULL);
		}
	}
	return found;
}

static void matrices_prepare(void)
{
	for (unsigned i = 0; i < CELLS; i++) {
		a[i] = i * 2654435761u;
		b[i] = i ^ i << 7;
	}
	for (unsigned row = 0; row < SIDE; row++) {
		for (unsigned column = 0; column < SIDE; column++) {
			cl_uint sum = a[row * SIDE + column];
			for (unsigned i = 0; i < SIDE; i++)
				sum += a[row * SIDE + i] * b[i * SIDE + column];
			expected[row * SIDE + column] = sum;
		}
	}
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "glow-trace.json";
	struct tl_context *merged;
	pthread_t threads[DEVICES];
	unsigned count;
	int differs = 0;

	/*
	 * A machine without devices may have PoCL, which makes two of its processor: one with a
	 * thread for each core, one with none.
	 */
	setenv("POCL_DEVICES", "pthread basic", 0);
	count = find_devices();
	matrices_prepare();
	merged = tl_context_create(TL_TRACE_NONE);
	for (unsigned i = 0; i < count; i++) {
		runs[i].trace = tl_context_create(TL_TRACE_STANDARD);
		tl_context_set_request(runs[i].trace, i + 1);
		pthread_create(&threads[i], NULL, run_device, &runs[i]);
	}
	for (unsigned i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		int same = !memcmp(runs[i].result, expected, sizeof(expected));
		printf("%u %s: %s\n", i, runs[i].name, same ? "as the host computes it" : "WRONG");
		differs |= !same;
		tl_context_merge(merged, runs[i].trace);
		tl_context_destroy(runs[i].trace);
	}
	if (tl_context_dump(merged, path, "tracing-compare"))
		perror(path);
	else if (merged)
		printf("%zu events: %s\n", tl_context_count(merged), path);
	tl_context_destroy(merged);
	return differs;
}
