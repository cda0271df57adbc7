/* SPDX-License-Identifier: MIT */
/*
 * bench_device TURNS COUNT REST PLACES: what a program pays for an empty kernel: enqueue it, and
 * wait. It uses the first OpenCL device, without profiling and without events, as programs do that
 * know nothing of tracers. Prints the nanoseconds of one kernel, the median of the turns. After
 * each turn it rests for REST microseconds, in which background work is done.
 *
 * PLACES is "apart" (the program's thread on one core, the driver's threads on another) or
 * "together" (all threads on the first core; for drivers with one thread). If threads may move, the
 * kernel places them on one core in some runs and on two cores in others. That makes several times
 * more difference than what is measured.
 */
#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "bench/harness.h"

static cl_command_queue queue;
static cl_kernel kernel;

static void enqueue_and_wait(uint64_t count)
{
	const size_t one = 1;

	while (count--) {
		clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
		clFinish(queue);
	}
}

/* False: there is no device. */
static int set_up(void)
{
	static const char *const source = "kernel void empty(void) {}";
	cl_platform_id platform;
	cl_device_id device;

	if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
		return 0;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	cl_program program =
		clCreateProgramWithSource(context, 1, (const char **)(void *)&source, NULL, NULL);
	if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
		return 0;
	kernel = clCreateKernel(program, "empty", NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	return kernel && queue;
}

static bool is_tracers(const char *task)
{
	char path[300], name[32] = "";

	snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task);
	FILE *file = fopen(path, "r");
	bool is = file && fgets(name, sizeof(name), file) && !strcmp(name, "tracelayer\n");
	if (file)
		fclose(file);
	return is;
}

/*
 * The driver's threads go to the last core, the program's to the first; a tracer's stay where the
 * kernel wants them.
 */
static void go_apart(void)
{
	DIR *tasks = opendir("/proc/self/task");
	cpu_set_t last = bench_core(-1);

	bench_pin_to(0);
	for (const struct dirent *task; tasks && (task = readdir(tasks));)
		if (atoi(task->d_name) && atoi(task->d_name) != getpid() &&
		    !is_tracers(task->d_name))
			sched_setaffinity(atoi(task->d_name), sizeof(last), &last);
	if (tasks)
		closedir(tasks);
}

int main(int argc, char **argv)
{
	struct bench_way way = {.work = enqueue_and_wait};

	if (argc != 5)
		return 2;
	bench_ticks_per_ns();
	way.rest_us = strtoul(argv[3], NULL, 10);
	if (!set_up())
		return 1;
	enqueue_and_wait(100);
	if (!strcmp(argv[4], "apart"))
		go_apart();
	bench_measure(&way, 1, (unsigned)strtoul(argv[1], NULL, 10), strtoul(argv[2], NULL, 10));
	printf("%.1f\n", way.ticks / bench_ticks_per_ns());
	return 0;
}
