/* SPDX-License-Identifier: MIT */
/*
 * toy_threads.c: THREADS CALLS [TIMES [fork]]: so many threads make so many calls each, so often,
 * anew each time; the sum is printed. In the end a child may do the same. With RACE, threads add to
 * one variable without a lock.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "toy_sum.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total, calls;

static void *work(void *unused)
{
	long sum = 0;

	for (long i = 0; i < calls; i++)
		sum = toy_sum(sum, i & 3);
#ifdef RACE
	total++;
#endif
	pthread_mutex_lock(&lock);
#ifndef RACE
	total += sum;
#endif
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void run(int threads)
{
	pthread_t all[64];

	for (int i = 0; i < threads; i++)
		pthread_create(&all[i], NULL, work, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
}

int main(int argc, char **argv)
{
	int threads = atoi(argv[1]), status = 0;

	calls = atol(argv[2]);
	for (int times = argc > 3 ? atoi(argv[3]) : 1; times > 0; times--)
		run(threads);
	printf("sum %ld\n", total);
	fflush(stdout);
	if (argc > 4) {
		pid_t child = fork();
		if (!child) {
			for (long i = 0; i < calls; i++)
				total = toy_sum(total, 1);
			printf("sum %ld\n", total);
			return 3;
		}
		waitpid(child, &status, 0);
		printf("child %d\n", WEXITSTATUS(status));
	}
	return 0;
}
