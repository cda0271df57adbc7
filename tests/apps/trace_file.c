/* SPDX-License-Identifier: MIT */
/*
 * trace_file.c: programs that would notice a writer that isn't careful. What it does is its first
 * argument; how often it calls, its second. It needs no OpenCL platform.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* short-threads looks at the memory of so many threads at a time, so many times. */
enum { TOUCHING_THREADS = 1000, TOUCHING_TIMES = 5 };

static long calls;

static void call(void)
{
	for (long i = 0; i < calls; i++) {
		cl_uint count;
		clGetPlatformIDs(0, NULL, &count);
	}
}

/* A user namespace of its own can be had only by a process with one thread. */
static int unshare_user(void)
{
	call();
	if (unshare(CLONE_NEWUSER)) {
		perror("unshare");
		return 1;
	}
	call();
	return 0;
}

static void *outlive_main(void *unused)
{
	usleep(50000);
	call();
	return unused;
}

static int leave_main(void)
{
	pthread_t thread;

	call();
	pthread_create(&thread, NULL, outlive_main, NULL);
	pthread_exit(NULL);
}

/* Closes all descriptors but the first three, and uses the numbers. */
static int close_all(void)
{
	call();
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	int own = open("own", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; i < 50; i++) {
		if (own != 3 || write(own, "mine", 4) != 4)
			return 1;
		call();
	}
	return 0;
}

static int change_folder(void)
{
	if (chdir("/"))
		return 1;
	call();
	return 0;
}

/* Calls, waits until somebody makes a file, and calls again. */
static int wait_between(void)
{
	call();
	for (int i = 0; access("go-on", F_OK); i++) {
		if (i == 3000)
			return 3;
		usleep(10000);
	}
	call();
	return 0;
}

static int fork_child(void)
{
	int status;

	call();
	pid_t pid = fork();
	call();
	if (!pid)
		return 0;
	return waitpid(pid, &status, 0) != pid || status;
}

static void *call_in_thread(void *unused)
{
	cl_uint count;

	clGetPlatformIDs(0, NULL, &count);
	return unused;
}

/* That many threads, one after the other, with a call each. */
static bool threads_run(long threads)
{
	for (long i = 0; i < threads; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, call_in_thread, NULL) ||
		    pthread_join(thread, NULL))
			return false;
	}
	return true;
}

static bool references_clear(void)
{
	FILE *clear = fopen("/proc/self/clear_refs", "w");
	bool cleared = clear && fputs("1", clear) >= 0;

	return clear && !fclose(clear) && cleared;
}

/* How many kB of its memory the process has touched since. -1: the kernel doesn't tell. */
static long references_kb(void)
{
	FILE *smaps = fopen("/proc/self/smaps_rollup", "r");
	char line[200];
	long kb = -1;

	while (smaps && fgets(line, sizeof(line), smaps))
		sscanf(line, "Referenced: %ld kB", &kb);
	if (smaps)
		fclose(smaps);
	return kb;
}

/* A busy machine may have held the writer up. It has caught up when nothing touches memory any more. */
static void wait_for_writer(void)
{
	for (int i = 0; i < 200 && references_clear(); i++) {
		usleep(100000);
		if (references_kb() < 1000)
			return;
	}
}

/* The kB that are touched while the process runs 1,000 threads and its writer writes their events. */
static long touched_once_kb(void)
{
	bool cleared = references_clear();

	if (!threads_run(TOUCHING_THREADS) || !cleared)
		return -1;
	usleep(300000);
	return references_kb();
}

/* The least of several times: the writer may write the events of threads before these, too. */
static long touched_kb(void)
{
	wait_for_writer();
	long least = touched_once_kb();

	for (int i = 1; i < TOUCHING_TIMES && least >= 0; i++) {
		long kb = touched_once_kb();
		least = kb < least ? kb : least;
	}
	return least;
}

/*
 * Short threads, and how many kB more the process touches for 1,000 of the last ones than it did for
 * 1,000 of the first. Nothing depends on time: a look at each thread that has ended touches memory.
 */
static int short_threads(void)
{
	call_in_thread(NULL);
	long first = touched_kb();
	if (!threads_run(calls - 2 * TOUCHING_TIMES * TOUCHING_THREADS))
		return 1;
	long last = touched_kb();
	if (first < 0 || last < 0)
		puts("unknown");
	else
		printf("%ld\n", last - first);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} ways[] = {{"unshare-user", unshare_user},  {"leave-main", leave_main},
		    {"close-all", close_all},	     {"change-folder", change_folder},
		    {"wait", wait_between},	     {"fork", fork_child},
		    {"short-threads", short_threads}};

	if (argc < 3)
		return 2;
	calls = atol(argv[2]);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].name))
			return ways[i].run();
	return 2;
}
