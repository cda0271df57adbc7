/* SPDX-License-Identifier: MIT */
/*
 * ends_within WAY: a process ends while its threads are inside of calls.
 *
 * "return", "_exit", "quick_exit", "exec": one thread waits for an event that never comes, and one
 * does so in a callback of another call, when the process ends so. "exec-fails": they wait when an exec
 * fails; then the event comes. "busy": they wait, and two threads make calls all the time. "calls": one thread
 * makes calls all the time in a callback of another call, when the process ends by exec. "many":
 * 6500 threads wait. "deep": a thread waits in the innermost of 100 calls.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cl_app.h"

#define MANY  6500
#define PAUSE 5000 /* microseconds */
#define ASLEEP                                                                                     \
	4 /* pauses, one after another, in which all threads sleep: they are in their calls */

static cl_event event;
static cl_mem memory;
static _Atomic long waiting[MANY]; /* threads that are about to wait */
static atomic_uint waiters, calls;

static void wait_here(void)
{
	waiting[waiters++] = syscall(SYS_gettid);
	clWaitForEvents(1, &event);
}

static bool thread_sleeps(long tid)
{
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", tid);
	FILE *file = fopen(path, "r");
	const char *end = file && fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	bool sleeps = end && end[2] == 'S';

	if (file)
		fclose(file);
	return sleeps;
}

static bool all_sleep(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!waiting[i] || !thread_sleeps(waiting[i]))
			return false;
	return true;
}

/* Until so many threads are in their waits. */
static void waits_begin(unsigned count)
{
	for (unsigned asleep = 0; asleep < ASLEEP;) {
		usleep(PAUSE);
		asleep = all_sleep(count) ? asleep + 1 : 0;
	}
}

static void *wait_for_it(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "waits");
	wait_here();
	return NULL;
}

static void CL_CALLBACK at_release(cl_mem released, void *unused)
{
	(void)released;
	(void)unused;
	wait_here();
}

static void *release_memory(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "releases");
	DO(clSetMemObjectDestructorCallback(memory, at_release, NULL));
	clReleaseMemObject(memory);
	return NULL;
}

static void *release_calling(void *unused)
{
	(void)unused;
	clReleaseMemObject(memory);
	return NULL;
}

static void *call_all_the_time(void *unused)
{
	cl_uint count;

	(void)unused;
	for (;;) {
		clGetPlatformIDs(0, NULL, &count);
		calls++;
		usleep(1);
	}
	return NULL;
}

static void CL_CALLBACK release_deeper(cl_mem released, void *context)
{
	static int depth;
	cl_int error;

	(void)released;
	if (++depth == 99)
		wait_here();
	memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);
	clSetMemObjectDestructorCallback(memory, release_deeper, context);
	clReleaseMemObject(memory);
}

static void threads_start(int count, void *(*function)(void *))
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 256 * 1024);
	for (int i = 0; i < count; i++)
		DO(pthread_create(&thread, &small, function, NULL));
	waits_begin((unsigned)count);
}

static void CL_CALLBACK call_at_release(cl_mem released, void *unused)
{
	(void)released;
	call_all_the_time(unused);
}

static void calls_within(void)
{
	pthread_t thread;

	DO(clSetMemObjectDestructorCallback(memory, call_at_release, NULL));
	pthread_create(&thread, NULL, release_calling, NULL);
	while (calls < 100)
		usleep(PAUSE);
	execlp("sh", "sh", "-c", "exit 5", (char *)NULL);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "return";
	pthread_t threads[2], other;
	struct app app = app_open();
	cl_int error;

	event = clCreateUserEvent(app.context, &error);
	memory = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 64, NULL, &error);
	if (!strcmp(way, "many")) {
		threads_start(MANY, wait_for_it);
		return 5;
	}
	if (!strcmp(way, "deep")) {
		DO(clSetMemObjectDestructorCallback(memory, release_deeper, app.context));
		threads_start(1, release_calling);
		return 5;
	}
	if (!strcmp(way, "calls"))
		calls_within();
	if (!strcmp(way, "busy"))
		for (int i = 0; i < 2; i++)
			pthread_create(&other, NULL, call_all_the_time, NULL);
	pthread_create(&threads[0], NULL, wait_for_it, NULL);
	pthread_create(&threads[1], NULL, release_memory, NULL);
	waits_begin(2);
	if (!strcmp(way, "_exit"))
		_exit(5);
	if (!strcmp(way, "quick_exit"))
		quick_exit(5);
	if (!strcmp(way, "exec"))
		execlp("sh", "sh", "-c", "exit 5", (char *)NULL);
	if (!strcmp(way, "exec-fails")) {
		char *const none[] = {NULL};
		execve("/dev/null", none, none);
		DO(clSetUserEventStatus(event, CL_COMPLETE));
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
	}
	return 5;
}
