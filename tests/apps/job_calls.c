/* SPDX-License-Identifier: MIT */
/*
 * job_calls.c: a rank of a job, which counts its calls itself. job_calls FILE CALLS [MICROSECONDS]
 * calls clGetPlatformIDs so often (0: until it is killed), with a pause of that length after each,
 * and keeps the number of calls that have returned in FILE, in the 8 bytes of its rank. With the
 * environment variable JOB_SLOW=N, the calls of rank N take a millisecond longer.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static long number_of(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value ? atol(value) : -1;
}

static long rank_of(void)
{
	static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (number_of(variables[i]) >= 0)
			return number_of(variables[i]);
	return 0;
}

static volatile uint64_t *counter_of(const char *file, long rank)
{
	size_t size = ((size_t)rank + 1) * sizeof(uint64_t);
	int fd = open(file, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || (lseek(fd, 0, SEEK_END) < (off_t)size && ftruncate(fd, 1 << 20)))
		return NULL;
	void *all = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	return all == MAP_FAILED ? NULL : (volatile uint64_t *)all + rank;
}

static void nap(long microseconds)
{
	if (microseconds > 0)
		nanosleep(&(struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000},
			  NULL);
}

int main(int argc, char **argv)
{
	long rank = rank_of(), pause = argc > 3 ? atol(argv[3]) : 0;
	uint64_t calls = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	volatile uint64_t *counter = argc > 1 ? counter_of(argv[1], rank) : NULL;
	bool slow = number_of("JOB_SLOW") == rank;
	cl_uint platforms;

	if (!counter || rank >= 1 << 17) {
		fprintf(stderr, "usage: job_calls FILE CALLS [MICROSECONDS]\n");
		return 2;
	}
	for (uint64_t i = 0; !calls || i < calls; i++) {
		if (slow)
			nap(1000);
		if (clGetPlatformIDs(0, NULL, &platforms) != CL_SUCCESS)
			return 1;
		++*counter;
		nap(pause);
	}
	return 0;
}
