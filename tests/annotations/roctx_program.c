/* SPDX-License-Identifier: MIT */
/*
 * roctx_program.c [LIBRARY]: a program that is annotated with ROCTX: linked with it (LINKED), or it
 * opens the library. Prints what the functions return.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "tracelayer/roctx.h"

static int (*push)(const char *), (*pop)(void);
static uint64_t (*start)(const char *);
static void (*stop)(uint64_t), (*mark)(const char *);

static void *work(void *id)
{
	stop(*(uint64_t *)id);
	push("left open by its thread");
	return NULL;
}

static int look(const char *path)
{
#ifdef LINKED
	(void)path;
	push = roctxRangePushA;
	pop = roctxRangePop;
	start = roctxRangeStartA;
	stop = roctxRangeStop;
	mark = roctxMarkA;
	return 1;
#else
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return 0;
	push = (int (*)(const char *))dlsym(library, "roctxRangePushA");
	pop = (int (*)(void))dlsym(library, "roctxRangePop");
	start = (uint64_t(*)(const char *))dlsym(library, "roctxRangeStartA");
	stop = (void (*)(uint64_t))dlsym(library, "roctxRangeStop");
	mark = (void (*)(const char *))dlsym(library, "roctxMarkA");
	return push && pop && start && stop && mark;
#endif
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (!look(argv[argc - 1])) {
		printf("no ROCTX: %d\n", dlsym(RTLD_DEFAULT, "roctxRangePushA") != NULL);
		return 0;
	}
	int outer = push("outer"), inner = push("inner");
	uint64_t first = start("first"), second = start("second");
	mark("mark");
	int pops[] = {pop(), pop(), pop()};
	pthread_create(&thread, NULL, work, &first);
	pthread_join(thread, NULL);
	stop(second);
	stop(777);
	push("left open");
	printf("%d %d, %d %d %d, %d %d\n", outer, inner, pops[0], pops[1], pops[2], (int)first,
	       (int)second);
	return 0;
}
