/* SPDX-License-Identifier: MIT */
/*
 * Calls for tools to see. Every call is clGetPlatformIDs; where there is no platform each fails,
 * which costs little.
 *
 *	tool_calls threads N M	N threads with M calls each
 *	tool_calls fork N M	N calls; a child makes M, and ends by exit
 *	tool_calls plugin FILE	the first call is made while another thread loads FILE, whose
 *				constructor makes one too
 *	tool_calls crash	a call, and then one that gets a bad pointer
 *	tool_calls none		no call
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void call(long count)
{
	cl_uint platforms;

	while (count-- > 0)
		clGetPlatformIDs(0, NULL, &platforms);
}

static void *thread(void *count)
{
	call((long)count);
	return NULL;
}

static int threads(long count, long calls)
{
	pthread_t *all = calloc((size_t)count, sizeof(*all));

	for (long i = 0; i < count; i++)
		pthread_create(&all[i], NULL, thread, (void *)calls);
	for (long i = 0; i < count; i++)
		pthread_join(all[i], NULL);
	free(all);
	return 0;
}

static int forked(long own, long childs)
{
	int status;

	call(own);
	pid_t child = fork();
	if (child == 0) {
		call(childs);
		exit(0);
	}
	return child < 0 || waitpid(child, &status, 0) != child || status;
}

static void *load(void *file)
{
	return dlopen(file, RTLD_NOW);
}

static int plugin(char *file)
{
	pthread_t loader;
	void *loaded;

	pthread_create(&loader, NULL, load, file);
	usleep(100000); /* it is in the constructor now, which sleeps first */
	call(1);
	pthread_join(loader, &loaded);
	puts(loaded ? "loaded" : dlerror());
	return !loaded;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "none";

	if (!strcmp(what, "threads") && argc == 4)
		return threads(atol(argv[2]), atol(argv[3]));
	if (!strcmp(what, "fork") && argc == 4)
		return forked(atol(argv[2]), atol(argv[3]));
	if (!strcmp(what, "plugin") && argc == 3)
		return plugin(argv[2]);
	if (!strcmp(what, "crash")) {
		call(1);
		return clGetPlatformIDs(1, (cl_platform_id *)8, NULL);
	}
	return strcmp(what, "none") != 0;
}
