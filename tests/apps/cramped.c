/* SPDX-License-Identifier: MIT */
/*
 * cramped.c: calls in little memory.
 *
 *	cramped BYTES CALLS [LATER]	lets itself have BYTES of addresses more than it has, makes
 *					CALLS calls; lifts the limit, waits LATER seconds, makes as
 *					many again
 *	cramped none CALLS		makes CALLS calls
 *	cramped late CALLS		one call, lets itself have no more addresses, CALLS calls
 *	cramped cgroup FOLDER CALLS	goes into that cgroup first
 *	cramped chain FORKS CALLS	lets itself have a GiB of addresses; CALLS calls, a child that
 *					does the same, and so on; exit code 4 if half a GiB can't be
 *					had in each
 *
 * Exit code 5. It needs no OpenCL platform.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void calls(long count)
{
	for (long i = 0; i < count; i++) {
		cl_uint number;
		clGetPlatformIDs(0, NULL, &number);
	}
}

static void limit(rlim_t bytes)
{
	struct rlimit addresses;

	getrlimit(RLIMIT_AS, &addresses);
	addresses.rlim_cur = bytes;
	if (setrlimit(RLIMIT_AS, &addresses))
		exit(3);
}

static void cramp(long more)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long pages = 0;

	if (!file || fscanf(file, "%ld", &pages) != 1)
		exit(3);
	fclose(file);
	limit((rlim_t)(pages * sysconf(_SC_PAGESIZE) + more));
}

static void enter(const char *folder)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	FILE *file = fopen(path, "we");
	if (!file || fprintf(file, "%d\n", (int)getpid()) < 0 || fclose(file))
		exit(3);
}

static int chain(long forks, long count)
{
	const size_t half = (size_t)512 << 20;
	int status = 5 << 8;

	calls(count);
	void *own = mmap(NULL, half, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (own == MAP_FAILED)
		return 4;
	munmap(own, half);
	pid_t pid = forks ? fork() : -1;
	if (!pid)
		return chain(forks - 1, count);
	if (forks && waitpid(pid, &status, 0) != pid)
		return 3;
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	/* What stdio and the loader need is there before. */
	free(malloc(1 << 16));
	if (!strcmp(argv[1], "cgroup")) {
		enter(argv[2]);
		calls(atol(argv[3]));
		return 5;
	}
	if (!strcmp(argv[1], "chain")) {
		cramp(1 << 30);
		return chain(atol(argv[2]), argc > 3 ? atol(argv[3]) : 1);
	}
	if (!strcmp(argv[1], "late"))
		calls(1);
	if (strcmp(argv[1], "none"))
		cramp(strcmp(argv[1], "late") ? atol(argv[1]) : 0);
	calls(atol(argv[2]));
	if (argc > 3) {
		limit(RLIM_INFINITY);
		sleep((unsigned)atoi(argv[3]));
		calls(atol(argv[2]));
	}
	return 5;
}
