/* SPDX-License-Identifier: MIT */
/*
 * ends_signals.c: signal handlers that make calls while calls are being recorded, and handlers that
 * end the process.
 *
 *	ends_signals timer CALLS US	main makes CALLS calls, and a handler two others every US
 *					microseconds; prints how many of each
 *	ends_signals small-timer CALLS US	the same, the handler on the smallest stack there is
 *	ends_signals WAY COUNTS US THREADS	threads make calls and count them in the file
 *						COUNTS; after US microseconds a handler leaves
 *					by WAY: _exit, quick_exit, execve, or small-stack (_exit on
 *					the smallest stack there is)
 *	ends_signals after CALLS	what execve leads to
 *	ends_signals ending CALLS US	main makes CALLS calls, and ends; US microseconds later a
 *					handler calls _exit, if the process is still there
 *
 * COUNTS holds for each thread its number, its calls, and how many they were when the handler came;
 * 64 bits each. No OpenCL platform is needed.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static void call(void)
{
	cl_uint count;

	clGetPlatformIDs(0, NULL, &count);
}

/* A first time after so many microseconds, and again and again; 0: never. */
static void alarm_in(long us, long again)
{
	const struct itimerval timer = {
		.it_interval.tv_usec = again,
		.it_value = {.tv_sec = us / 1000000, .tv_usec = us % 1000000}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* --- handlers that make calls */

static volatile unsigned long handled;

static void make_calls(int number)
{
	clReleaseContext(NULL);
	clReleaseContext(NULL);
	handled += 2;
}

/* Below it is a page that can't be touched. */
static bool use_small_stack(void)
{
	size_t size = getauxval(AT_MINSIGSTKSZ) + 4096;
	char *room =
		mmap(NULL, 4096 + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const stack_t stack = {.ss_sp = room + 4096, .ss_size = size};

	return room != MAP_FAILED && !mprotect(room, 4096, PROT_NONE) && !sigaltstack(&stack, NULL);
}

static int timer(long calls, long us)
{
	const struct sigaction action = {.sa_handler = make_calls,
					 .sa_flags = SA_RESTART | SA_ONSTACK};

	sigaction(SIGALRM, &action, NULL);
	alarm_in(us, us);
	for (long i = 0; i < calls; i++)
		call();
	alarm_in(0, 0);
	printf("clGetPlatformIDs %ld\nclReleaseContext %lu\n", calls, handled);
	return 0;
}

/* --- handlers that end it all */

struct counted {
	_Atomic uint64_t tid, calls;
	_Atomic uint64_t left; /* calls that had returned when the handler came */
};

static struct counted *counted;
static long threads;

static char after[] = "after", three[] = "3", *arguments[] = {after, after, three, NULL};

static void look(void)
{
	for (long i = 0; i < threads; i++)
		counted[i].left = atomic_load(&counted[i].calls);
}

static void by_exit(int number)
{
	look();
	_exit(5);
}

static void by_quick_exit(int number)
{
	look();
	quick_exit(5);
}

static void by_execve(int number)
{
	look();
	execve("/nowhere/to/be/found", arguments, environ);
	execve("/proc/self/exe", arguments, environ);
}

static void *call_and_count(void *place)
{
	struct counted *own = place;

	own->tid = (uint64_t)gettid();
	for (;;) {
		call();
		atomic_fetch_add_explicit(&own->calls, 1, memory_order_release);
	}
	return NULL;
}

static int end_twice(long calls, long us)
{
	const struct sigaction action = {.sa_handler = by_exit};

	for (long i = 0; i < calls; i++)
		call();
	sigaction(SIGALRM, &action, NULL);
	alarm_in(us, 0);
	return 5;
}

/* The kernel's frame fits, and little more. */
static int leave(const char *way, const char *file, long us)
{
	struct sigaction action = {.sa_handler = by_exit, .sa_flags = SA_ONSTACK};
	size_t size = (size_t)threads * sizeof(struct counted);
	int fd = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (!strcmp(way, "quick_exit"))
		action.sa_handler = by_quick_exit;
	if (!strcmp(way, "execve"))
		action.sa_handler = by_execve;
	if (!strcmp(way, "small-stack") && !use_small_stack())
		return 1;
	if (fd < 0 || ftruncate(fd, (off_t)size))
		return 1;
	counted = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counted == MAP_FAILED)
		return 1;
	for (long i = 1; i < threads; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, call_and_count, &counted[i]))
			return 1;
	}
	sigaction(SIGALRM, &action, NULL);
	alarm_in(us, 0);
	call_and_count(&counted[0]);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "small-timer") && !use_small_stack())
		return 1;
	if (argc == 4 && strstr(argv[1], "timer"))
		return timer(atol(argv[2]), atol(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "ending"))
		return end_twice(atol(argv[2]), atol(argv[3]));
	if (argc == 3 && !strcmp(argv[1], "after")) {
		for (long i = atol(argv[2]); i > 0; i--)
			call();
		return 5;
	}
	if (argc != 5)
		return 2;
	threads = atol(argv[4]);
	return leave(argv[1], argv[2], atol(argv[3]));
}
