/* SPDX-License-Identifier: MIT */
/*
 * A program that takes an extension function from each of two platforms, which have different ones
 * behind the same name, and calls each in turn from several threads. It also asks for a function
 * that nobody has, and for a function of the core API.
 *
 *	cl_extension fork	a thread takes them; meanwhile, a tenth of a second later, a child
 *				is forked, and takes them, too
 */
#include <pthread.h>

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void *host_mem_alloc(cl_context context, const cl_bitfield *properties, size_t size,
			     cl_uint alignment, cl_int *error);
typedef cl_int mem_free(cl_context context, void *memory);

#define MUST(call)                                                                                 \
	do {                                                                                       \
		cl_int must_ = (call);                                                             \
		if (must_) {                                                                       \
			printf("line %d: %s: %d\n", __LINE__, #call, must_);                       \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#define PLATFORMS 2
#define THREADS	  4
#define ROUNDS	  25

static host_mem_alloc *alloc[PLATFORMS];
static mem_free *release[PLATFORMS];

static void *function_of(cl_platform_id platform, const char *name)
{
	return clGetExtensionFunctionAddressForPlatform(platform, name);
}

static void *allocate_and_free(void *unused)
{
	long wrong = 0;

	for (int i = 0; i < ROUNDS; i++)
		for (int p = 0; p < PLATFORMS; p++) {
			cl_int error = -1;
			char *memory = alloc[p](NULL, NULL, 64, 0, &error);

			wrong += error || !memory || memory[0] != "ab"[p];
			wrong += release[p](NULL, memory);
		}
	return (void *)wrong;
}

static void use_core_function(cl_platform_id platform)
{
	__typeof__(&clGetHostTimer) timer =
		(__typeof__(&clGetHostTimer))function_of(platform, "clGetHostTimer");
	cl_device_id device;
	cl_ulong now = 0;

	MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &device, NULL));
	MUST(timer(device, &now));
	printf("host timer %s\n", now ? "runs" : "stands");
}

/* The loader may list them in any order. */
static char letter_of(cl_platform_id platform)
{
	char name[64];

	MUST(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, NULL));
	return name[strlen(name) - 1] == 'B' ? 'b' : 'a';
}

static void *take_all(void *of)
{
	cl_platform_id *platforms = of;

	for (int p = 0; p < PLATFORMS; p++)
		if (!function_of(platforms[p], "clHostMemAllocINTEL"))
			exit(1);
	return NULL;
}

static int take_and_fork(cl_platform_id *platforms)
{
	pthread_t thread;
	int status = -1;

	pthread_create(&thread, NULL, take_all, platforms);
	usleep(100000);
	pid_t child = fork();
	if (!child) {
		alarm(20);
		take_all(platforms);
		_exit(0);
	}
	waitpid(child, &status, 0);
	pthread_join(thread, NULL);
	printf("the child's status: %d\n", status);
	return status != 0;
}

int main(int argc, char **argv)
{
	cl_platform_id platforms[PLATFORMS];
	pthread_t threads[THREADS];
	cl_uint count;
	long wrong = 0;

	MUST(clGetPlatformIDs(PLATFORMS, platforms, &count));
	if (argc > 1)
		return take_and_fork(platforms);
	if (letter_of(platforms[0]) == 'b') {
		cl_platform_id second = platforms[0];

		platforms[0] = platforms[1];
		platforms[1] = second;
	}
	for (int p = 0; p < PLATFORMS; p++) {
		alloc[p] = (host_mem_alloc *)function_of(platforms[p], "clHostMemAllocINTEL");
		release[p] = (mem_free *)function_of(platforms[p], "clMemFreeINTEL");
		printf("the same pointer when asked again: %d\n",
		       (void *)alloc[p] == function_of(platforms[p], "clHostMemAllocINTEL"));
		printf("a function that nobody has: %d\n",
		       function_of(platforms[p], "clNoSuchFunctionINTEL") != NULL);
		use_core_function(platforms[p]);
	}
	printf("platforms have different pointers: %d\n", alloc[0] != alloc[1]);
	for (int t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, allocate_and_free, NULL);
	for (int t = 0; t < THREADS; t++) {
		void *result;

		pthread_join(threads[t], &result);
		wrong += (long)result;
	}
	printf("%d allocations, %ld wrong\n", THREADS * ROUNDS * PLATFORMS, wrong);
	return wrong != 0;
}
