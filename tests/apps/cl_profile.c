/* SPDX-License-Identifier: MIT */
/*
 * cl_profile.c: a program with labels and OpenCL calls, for `tracelayer profile`. Says on stderr
 * where its time went: "NAME: PERCENT".
 *
 * cl_profile turns ROUNDS		of waiting in a call, working in a label, and working in a
 *					label inside of a call's callback
 * cl_profile hold		in a label and a call, until its standard input ends; says "ready"
 *				first
 * cl_profile threads		many that come and go, each with a label, while the first works in
 *				one
 * cl_profile fork		a child that works in a label, as its parent does
 * cl_profile plain		no label and no call, for a moment; exit code 7
 */
#define CL_TARGET_OPENCL_VERSION 300
#define TRACELAYER_PROFILING
#include <tracelayer/profiler.h>

#include <CL/cl.h>
#include <sys/wait.h>
#include <unistd.h>

static cl_device_id device;
static cl_context context;
static uint64_t waited, worked, called_back;

static void spin(uint64_t ns)
{
	uint64_t end = tl_profile_now() + ns;

	while (tl_profile_now() < end)
		;
}

static void set_up(void)
{
	cl_platform_id platform;

	if (clGetPlatformIDs(1, &platform, NULL) ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		exit(77);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
}

/* Another thread lets go of the event, so that the call lasts as long as that wants. */
static void *let_go(void *event)
{
	const struct timespec moment = {0, 20000000};

	nanosleep(&moment, NULL);
	clSetUserEventStatus(event, CL_COMPLETE);
	return NULL;
}

static void wait_in_call(void)
{
	TL_PROFILE_SCOPE("waiting");
	uint64_t start = tl_profile_now();
	cl_event event = clCreateUserEvent(context, NULL);
	pthread_t thread;

	pthread_create(&thread, NULL, let_go, event);
	clWaitForEvents(1, &event);
	pthread_join(thread, NULL);
	clReleaseEvent(event);
	waited += tl_profile_now() - start;
}

static void work(void)
{
	TL_PROFILE_SCOPE("working");
	uint64_t start = tl_profile_now();

	spin(30000000);
	worked += tl_profile_now() - start;
}

/* Called inside of clBuildProgram. */
static void CL_CALLBACK built(cl_program program, void *unused)
{
	TL_PROFILE_SCOPE("called back");
	uint64_t start = tl_profile_now();

	(void)program;
	(void)unused;
	spin(20000000);
	called_back += tl_profile_now() - start;
}

static void turns(int rounds)
{
	static const char *source = "kernel void nothing(void) {}";
	cl_program program;
	uint64_t start;

	set_up();
	program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
	clBuildProgram(program, 1, &device, NULL, NULL, NULL);
	TL_PROFILE_SCOPE("turns");
	start = tl_profile_now();
	for (int i = 0; i < rounds; i++) {
		wait_in_call();
		work();
		clBuildProgram(program, 1, &device, NULL, built, NULL);
	}
	uint64_t all = tl_profile_now() - start;
	fprintf(stderr, "waiting: %.2f\nworking: %.2f\ncalled back: %.2f\n",
		100. * (double)waited / (double)all, 100. * (double)worked / (double)all,
		100. * (double)called_back / (double)all);
}

static void *keep(void *event)
{
	char byte;

	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	clSetUserEventStatus(event, CL_COMPLETE);
	return NULL;
}

static void hold(void)
{
	TL_PROFILE_SCOPE("holding");
	pthread_t thread;
	cl_event event;

	set_up();
	event = clCreateUserEvent(context, NULL);
	pthread_create(&thread, NULL, keep, event);
	clWaitForEvents(1, &event);
	pthread_join(thread, NULL);
}

static void *short_lived(void *unused)
{
	TL_PROFILE_SCOPE("short");
	spin(1000000);
	return unused;
}

static void threads(void)
{
	TL_PROFILE_SCOPE("first");
	pthread_t thread;

	for (int i = 0; i < 100; i++) {
		pthread_create(&thread, NULL, short_lived, NULL);
		pthread_join(thread, NULL);
	}
	spin(400000000);
}

static void forks(void)
{
	TL_PROFILE_SCOPE("both");
	pid_t child = fork();

	if (!child) {
		TL_PROFILE_SCOPE("child");
		spin(300000000);
		exit(0);
	}
	TL_PROFILE_SCOPE("parent");
	spin(300000000);
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "turns") && argc == 3)
		turns(atoi(argv[2]));
	else if (!strcmp(what, "hold"))
		hold();
	else if (!strcmp(what, "threads"))
		threads();
	else if (!strcmp(what, "fork"))
		forks();
	else if (!strcmp(what, "plain"))
		spin(20000000);
	else
		return 2;
	return !strcmp(what, "plain") ? 7 : 0;
}
