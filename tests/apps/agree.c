/* SPDX-License-Identifier: MIT */
/*
 * agree.c: a program on OpenCL, with marks of layer and phase (tracelayer/nntrace.h) and labels
 * (tracelayer/profiler.h) at the same places: its timeline, its table of phases and its profile
 * tell of the same run. The profile goes to the file that is named.
 *
 *	agree PROFILE
 *
 * Exit code 0 where the device computed what it should.
 */
#define TRACELAYER_PROFILING
#include <tracelayer/nntrace.h>
#include <tracelayer/profiler.h>

#include "cl_app.h"

#define ELEMENTS 4096u
#define ROUNDS	 40

/* So much on the host, beside the driver. */
static void work(int ms)
{
	struct timespec time = {0, ms * 1000000L};

	nanosleep(&time, NULL);
}

static const char source[] = "__kernel void turn(__global float *a, int rounds)\n"
			     "{\n"
			     "	float x = a[get_global_id(0)];\n"
			     "	for (int i = 0; i < rounds; i++)\n"
			     "		x = x * 0.5f + 2.0f;\n"
			     "	a[get_global_id(0)] = x;\n"
			     "}\n";

struct made {
	struct app app;
	cl_command_queue queue;
	cl_mem memory;
	cl_program program;
	cl_kernel kernel;
};

static void find(struct made *made)
{
	NNTRACE_APP(NNTRACE_PHASE_INITIALIZATION, "find");
	TL_PROFILE_SCOPE("find");

	made->app = app_open();
}

static void prepare(struct made *made)
{
	NNTRACE_APP(NNTRACE_PHASE_PREPARATION, "prepare");
	TL_PROFILE_SCOPE("prepare");
	cl_int error;

	made->queue = app_queue(&made->app);
	made->memory = clCreateBuffer(made->app.context, CL_MEM_READ_WRITE,
				      ELEMENTS * sizeof(float), NULL, &error);
	CHECK(error, "clCreateBuffer");
	work(300);
}

static void compile(struct made *made)
{
	NNTRACE_APP(NNTRACE_PHASE_COMPILATION, "compile");
	TL_PROFILE_SCOPE("compile");
	cl_int error;

	work(200);
	made->program = app_build(&made->app, source);
	made->kernel = clCreateKernel(made->program, "turn", &error);
	CHECK(error, "clCreateKernel");
}

static void run(struct made *made, float *values)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "run");
	TL_PROFILE_SCOPE("run");
	const size_t elements = ELEMENTS;
	const cl_int rounds = 1000;

	DO(clEnqueueWriteBuffer(made->queue, made->memory, CL_TRUE, 0, ELEMENTS * sizeof(float),
				values, 0, NULL, NULL));
	DO(clSetKernelArg(made->kernel, 0, sizeof(made->memory), &made->memory));
	DO(clSetKernelArg(made->kernel, 1, sizeof(rounds), &rounds));
	DO(clEnqueueNDRangeKernel(made->queue, made->kernel, 1, NULL, &elements, NULL, 0, NULL,
				  NULL));
	DO(clFinish(made->queue));
	DO(clEnqueueReadBuffer(made->queue, made->memory, CL_TRUE, 0, ELEMENTS * sizeof(float),
			       values, 0, NULL, NULL));
}

static int execute(struct made *made)
{
	NNTRACE_APP(NNTRACE_PHASE_EXECUTION, "execute");
	TL_PROFILE_SCOPE("execute");
	static float values[ELEMENTS];
	int wrong = 0;

	for (int round = 0; round < ROUNDS; round++) {
		work(10);
		run(made, values);
	}
	/* x = x / 2 + 2 comes to 4. */
	for (unsigned i = 0; i < ELEMENTS; i++)
		wrong += values[i] < 3.99f || values[i] > 4.01f;
	return wrong;
}

static void terminate(struct made *made)
{
	NNTRACE_APP(NNTRACE_PHASE_TERMINATION, "terminate");
	TL_PROFILE_SCOPE("terminate");

	DO(clReleaseKernel(made->kernel));
	DO(clReleaseProgram(made->program));
	DO(clReleaseMemObject(made->memory));
	DO(clReleaseCommandQueue(made->queue));
	app_close(&made->app);
	work(150);
}

static int all(struct made *made)
{
	NNTRACE_APP(NNTRACE_PHASE_OVERALL, "agree");
	TL_PROFILE_SCOPE("agree");

	find(made);
	prepare(made);
	compile(made);
	int wrong = execute(made);
	terminate(made);
	return wrong;
}

int main(int argc, char **argv)
{
	struct made made = {0};
	FILE *to = argc > 1 ? fopen(argv[1], "w") : NULL;

	if (!to)
		return 2;
	tl_profile_thread();
	if (tl_profile_start())
		return 2;
	int wrong = all(&made);
	if (tl_profile_finish_to(to) || fclose(to))
		return 2;
	return wrong ? 1 : 0;
}
