/* SPDX-License-Identifier: MIT */
/*
 * nntrace_forms.c: every form of tracelayer/nntrace.h, in C and in C++. What the rows of NNAPI's
 * contract show is here by their names.
 *
 *	nntrace_forms			all of it, once
 *	nntrace_forms threads N		N threads with marks of their own, at once
 *	nntrace_forms fork		a child that is made in a mark, and has another one
 *	nntrace_forms exit		the program exits in a mark
 *	nntrace_forms pause		recording pauses in a mark, and goes on behind it
 *	nntrace_forms cancel		a thread is cancelled in a mark, or before it
 *	nntrace_forms throw		an exception leaves a mark (C++)
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tracelayer/nntrace.h>
#include <tracelayer/tracelayer.h>

static void funcP(void)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "funcP");
}

static void funcR1(void)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "funcR1");
}

static void funcA1(void)
{
	NNTRACE_APP(NNTRACE_PHASE_PREPARATION, "funcA1");
	funcR1();
}

static void funcC1(void)
{
	NNTRACE_TRANS("funcC1");
	NNTRACE_COMP_SWITCH("funcC1");
}

static void funcC2(void)
{
	NNTRACE_COMP("funcC2");
}

static void funcR2(void)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "funcR2");
	funcC2();
}

static void funcR4(void)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "funcR4");
}

static void funcR3(void)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "funcR3");
	funcR4();
}

static void funcR5(void)
{
	NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "funcR5");
	NNTRACE_FULL_RAW(NNTRACE_LAYER_IPC, NNTRACE_PHASE_INITIALIZATION, "getCapabilities");
}

static void funcRC(void)
{
	NNTRACE_FULL(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModel");
	{
		NNTRACE_FULL_SUBTRACT(NNTRACE_LAYER_RUNTIME, NNTRACE_PHASE_COMPILATION,
				      "VersionedIDevice::prepareModel");
	}
}

static void funcU(void)
{
	NNTRACE_FULL(NNTRACE_LAYER_UTILITY, NNTRACE_PHASE_UNSPECIFIED, "funcU");
}

static void funcR6(void)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "funcR6");
	funcU();
}

/* Forms that no row of the contract shows. */
static int others(int leave)
{
	NNTRACE_APP(NNTRACE_PHASE_OVERALL, "run");
	NNTRACE_APP_SWITCH(NNTRACE_PHASE_WARMUP, "warm");
	NNTRACE_APP_SWITCH(NNTRACE_PHASE_BENCHMARK, "bench");
	{
		NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "in");
		NNTRACE_RT_SWITCH(NNTRACE_PHASE_INPUTS_AND_OUTPUTS, "in");
		if (leave)
			return errno == 77 ? 1 : 0;
	}
	for (int i = 0; i < 2; i++) {
		NNTRACE_CPU(NNTRACE_PHASE_EXECUTION, "loop");
		NNTRACE_FULL_SWITCH(NNTRACE_LAYER_CPU, NNTRACE_PHASE_RESULTS, "loop");
		NNTRACE_FULL_RAW(NNTRACE_LAYER_OTHER, NNTRACE_PHASE_TERMINATION, "first");
		NNTRACE_FULL_RAW("LD", "PE", "second");
		if (!i)
			continue;
		break;
	}
	return 0;
}

static int all(void)
{
	funcP();
	funcA1();
	funcC1();
	funcR2();
	funcR3();
	funcR5();
	funcRC();
	funcR6();
	errno = 77;
	others(0);
	return others(1) ? 0 : 1;
}

static pthread_barrier_t start;

/* All begin at once, with the process's first mark. */
static void *many(void *nothing)
{
	pthread_barrier_wait(&start);
	for (int i = 0; i < 1000; i++) {
		NNTRACE_APP(NNTRACE_PHASE_EXECUTION, "outer");
		funcR2();
	}
	return nothing;
}

static int threads(int count)
{
	pthread_t all_of_them[64];

	if (count > 64 || pthread_barrier_init(&start, NULL, (unsigned)count))
		return 1;
	for (int i = 0; i < count; i++)
		if (pthread_create(&all_of_them[i], NULL, many, NULL))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(all_of_them[i], NULL);
	return 0;
}

static int in_child(void)
{
	int status = 1;
	pid_t child;

	funcP();
	{
		NNTRACE_APP(NNTRACE_PHASE_PREPARATION, "parent");
		child = fork();
		if (!child) {
			NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "child");
		}
	}
	if (!child)
		exit(0);
	return waitpid(child, &status, 0) == child ? status : 1;
}

static void leave(void)
{
	NNTRACE_APP(NNTRACE_PHASE_EXECUTION, "left");
	funcR4();
	exit(0);
}

static int paused(void)
{
	{
		NNTRACE_APP(NNTRACE_PHASE_EXECUTION, "around");
		tl_pause();
		funcR4();
	}
	tl_resume();
	funcP();
	return 0;
}

#ifdef __cplusplus
static void throws(void)
{
	NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "throws");
	throw 1;
}

static int caught(void)
{
	NNTRACE_APP(NNTRACE_PHASE_EXECUTION, "catches");
	try {
		throws();
	} catch (int) {
		funcC2();
		return 0;
	}
	return 1;
}
#endif

static void *cancelled(void *nothing)
{
	NNTRACE_APP(NNTRACE_PHASE_EXECUTION, "cancelled");
	for (;;)
		pause();
	return nothing;
}

static int cancels(void)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, cancelled, NULL);

	if (!error)
		error = pthread_cancel(thread);
	return error ? error : pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "all";

	if (!strcmp(what, "threads"))
		return threads(atoi(argv[2]));
	if (!strcmp(what, "fork"))
		return in_child();
	if (!strcmp(what, "exit"))
		leave();
	if (!strcmp(what, "pause"))
		return paused();
	if (!strcmp(what, "cancel"))
		return cancels();
#ifdef __cplusplus
	if (!strcmp(what, "throw"))
		return caught();
#endif
	return all();
}
