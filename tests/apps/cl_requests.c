/* SPDX-License-Identifier: MIT */
/*
 * cl_requests.c: requests that come to a program with an OpenCL device, each handled by a thread,
 * with a trace context each.
 *
 *	request 1	kernel "first" 5 times; its context has STANDARD
 *	request 2	kernel "second" 3 times, of which a further thread, which the request is
 *			handed to, enqueues 2
 *	request 3	kernel "third" once; its context lacks OPERATOR
 *	request 4	kernel "fourth" once; its context has NONE
 *	request 5	forks, and the child asks for the platforms; its context has DEBUG, too
 *	none		kernel "outside" 2 times, by the main thread
 *
 * Each queue is its thread's own, and is made, used and released in the request. With `-u` request
 * 1, which has REQUEST then, is not left: its thread ends.
 */
#include "cl_app.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tracelayer/trace_context.h>

static struct app app;
static cl_program program;

static void run_kernel(cl_command_queue queue, const char *name, int times)
{
	size_t global = 64;
	cl_int error;
	cl_kernel kernel = clCreateKernel(program, name, &error);
	cl_mem buffer =
		clCreateBuffer(app.context, CL_MEM_READ_WRITE, 64 * sizeof(int), NULL, &error);

	CHECK(error, "clCreateBuffer");
	DO(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	for (int i = 0; i < times; i++)
		DO(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	DO(clFinish(queue));
	DO(clReleaseKernel(kernel));
	DO(clReleaseMemObject(buffer));
}

static void run_with_queue(const char *name, int times)
{
	cl_command_queue queue = app_queue(&app);

	run_kernel(queue, name, times);
	DO(clReleaseCommandQueue(queue));
}

struct handed {
	struct tl_context *context;
	cl_command_queue queue;
};

static void *help(void *with)
{
	struct handed *handed = with;

	TL_TRACE_REQUEST_SCOPE(handed->context);
	run_kernel(handed->queue, "second", 2);
	return NULL;
}

static void share(void)
{
	struct handed handed = {tl_context_entered(), app_queue(&app)};
	pthread_t helper;

	run_kernel(handed.queue, "second", 1);
	pthread_create(&helper, NULL, help, &handed);
	pthread_join(helper, NULL);
	DO(clReleaseCommandQueue(handed.queue));
}

static void ask(void)
{
	cl_uint count;

	DO(clGetPlatformIDs(0, NULL, &count));
}

static void fork_one(void)
{
	pid_t child;

	ask();
	child = fork();
	if (!child) {
		ask();
		tl_context_leave(tl_context_entered());
		exit(0);
	}
	waitpid(child, NULL, 0);
}

static struct request {
	uint32_t number;
	unsigned level;
	int never_left;
} requests[] = {
	{1, TL_TRACE_STANDARD, 0},
	{2, TL_TRACE_STANDARD | TL_TRACE_REQUEST, 0},
	{3, TL_TRACE_RUNTIME | TL_TRACE_DEBUG, 0},
	{4, TL_TRACE_NONE, 0},
	{5, TL_TRACE_STANDARD | TL_TRACE_DEBUG | TL_TRACE_REQUEST, 0},
};

static void *handle(void *which)
{
	struct request *request = which;
	struct tl_context *context = tl_context_create(request->level);

	tl_context_set_request(context, request->number);
	tl_context_enter(context);
	ask();
	if (request->number == 2)
		share();
	else if (request->number == 5)
		fork_one();
	else
		run_with_queue(request->number == 1   ? "first"
			       : request->number == 3 ? "third"
						      : "fourth",
			       request->number == 1 ? 5 : 1);
	if (request->never_left)
		return NULL;
	tl_context_leave(context);
	ask();
	tl_context_destroy(context);
	return NULL;
}

static void run_pair(struct request *pair, int count)
{
	pthread_t threads[2];

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, handle, &pair[i]);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	app = app_open();
	program = app_build(
		&app, "__kernel void first(__global int *p) { p[get_global_id(0)]++; }\n"
		      "__kernel void second(__global int *p) { p[get_global_id(0)] += 2; }\n"
		      "__kernel void third(__global int *p) { p[get_global_id(0)] += 3; }\n"
		      "__kernel void fourth(__global int *p) { p[get_global_id(0)] += 4; }\n"
		      "__kernel void outside(__global int *p) { p[get_global_id(0)] += 5; }\n");
	if (argc > 1 && !strcmp(argv[1], "-u")) {
		requests[0].never_left = 1;
		requests[0].level |= TL_TRACE_REQUEST;
	}
	run_pair(&requests[0], 2);
	run_pair(&requests[2], 2);
	run_pair(&requests[4], 1);
	run_with_queue("outside", 2);
	DO(clReleaseProgram(program));
	app_close(&app);
	return 0;
}
