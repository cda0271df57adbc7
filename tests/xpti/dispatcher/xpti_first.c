/* SPDX-License-Identifier: MIT */
/*
 * xpti_first.c: eight threads whose first calls of XPTI meet; prints the numbers that they got for
 * one stream. Given a path, it has found no dispatcher before, and they try again with that one
 * until they have it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tracelayer/xpti.h"

enum { THREADS = 8 };

static pthread_barrier_t barrier;
static bool retry;

static void *first(void *number)
{
	pthread_barrier_wait(&barrier);
	do {
		*(uint8_t *)number = xptiRegisterStream("first");
		if (retry)
			xptiTraceTryToEnable();
	} while (retry && *(uint8_t *)number == XPTI_INVALID_STREAM);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	uint8_t numbers[THREADS];

	if (argc > 1) {
		xptiTraceEnabled(); /* there is none yet */
		setenv("XPTI_FRAMEWORK_DISPATCHER", argv[1], 1);
		retry = true;
	}
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, first, &numbers[i]) != 0)
			return 3;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++)
		printf("%d ", numbers[i]);
	return 0;
}
