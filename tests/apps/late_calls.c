/* SPDX-License-Identifier: MIT */
/*
 * late_calls.c: makes OpenCL calls at every late moment: from exit handlers and destructors, by a
 * thread that outlives main, in a forked child. tests/calls/late_calls.sh knows how many there are.
 *
 *	late_calls exit|main-leaves|fork|nothing
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void call(unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		cl_uint count;
		clGetPlatformIDs(0, NULL, &count);
	}
}

static void late_handler(void)
{
	call(2);
}

static __attribute__((destructor)) void destructor(void)
{
	call(3);
}

static _Atomic int running;

static void *outlives(void *unused)
{
	call(4);
	running = 1;
	for (;;)
		pause();
	return NULL;
}

/*
 * In all: 1 here, 4 in the thread, 2 + 2 in handlers before and after the first call, 3 in the
 * destructor.
 */
static void late(void)
{
	pthread_t thread;

	atexit(late_handler);
	call(1);
	atexit(late_handler);
	pthread_create(&thread, NULL, outlives, NULL);
	while (!running)
		usleep(1000);
}

static pthread_key_t key;

static void last(void *unused)
{
	call(5);
}

static void *ends(void *unused)
{
	pthread_setspecific(key, &key);
	call(1);
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "exit")) {
		late();
		return 7;
	}
	if (argc == 2 && !strcmp(argv[1], "main-leaves")) {
		late();
		pthread_t thread;
		pthread_key_create(&key, last);
		pthread_create(&thread, NULL, ends, NULL);
		pthread_join(thread, NULL);
		exit(8);
	}
	if (argc == 2 && !strcmp(argv[1], "fork")) {
		call(1);
		pid_t child = fork();
		if (child == 0) {
			call(2);
			exit(0);
		}
		waitpid(child, NULL, 0);
		return 9;
	}
	if (argc == 2 && !strcmp(argv[1], "nothing"))
		_exit(3);
	fprintf(stderr, "usage: late_calls exit|main-leaves|fork|nothing\n");
	return 2;
}
