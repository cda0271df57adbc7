/* SPDX-License-Identifier: MIT */
/*
 * reach.c: with 1 MB of thread-local storage, what a raw thread (layer/base/raw_thread.c) has of
 * errno and of the library's variables lies in its own memory.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "layer/base/raw_thread.h"

static __thread char much[1 << 20];
static __thread char one;
static _Atomic(char *) seen[3];
static _Atomic int over;

static int run(void *unused)
{
	(void)unused;
	/* That the thread's stack protector finds its word shows in that it gets here. */
	char *volatile places[3] = {(char *)&errno, &one, much};

	for (int i = 0; i < 3; i++)
		atomic_store(&seen[i], places[i]);
	atomic_store(&over, 1);
	return 0;
}

int main(void)
{
	struct tl_raw_thread thread;
	char *stack;

	memset(much, 1, sizeof(much));
	if (!tl_raw_thread_start(run, &thread) ||
	    (stack = thread.memory, !tl_raw_thread_join(&thread, 10000)) || !over)
		return 2;
	for (int i = 0; i < 2; i++)
		if (seen[i] < stack) {
			printf("%s lies %ld bytes before the thread's memory\n",
			       i ? "a variable" : "errno", (long)(stack - seen[i]));
			return 1;
		}
	return 0;
}
