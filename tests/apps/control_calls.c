/* SPDX-License-Identifier: MIT */
/*
 * control_calls: makes as many calls as it is told to, and uses tracelayer/tracelayer.h as it is
 * told to, a word at a time from standard input; answers each with a line. Linked with nothing of
 * tracelayer's.
 *
 *	call N		N calls of clGetPlatformIDs
 *	thread N	the same in a thread of its own, which ends
 *	spin N		calls in N threads until `still`, which prints how many
 *	begin, end	a mark of tracelayer/nntrace.h around what follows
 *	marks N		N marks, a call in each
 *	pause, resume, snapshot, stop, recording
 *	fork		a child that goes on with the words; the parent waits for it
 *	handle		a handler for SIGUSR1
 *	signals		how often that has run
 *	name		the process's number
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracelayer/nntrace.h"
#include "tracelayer/tracelayer.h"

#define THREADS 8

static volatile sig_atomic_t signals;
static volatile int spinning;
static pthread_t spinners[THREADS];
static long spinner_count, spun[THREADS];

static void on_signal(int number)
{
	(void)number;
	signals++;
}

static void call(long count)
{
	cl_uint platforms;

	for (; count > 0; count--)
		clGetPlatformIDs(0, NULL, &platforms);
}

static struct tl_nntrace around[16];
static int depth;

static void begin(void)
{
	if (depth < 16)
		around[depth++] = tl_nntrace_begin("[NN_LA_PE]around");
}

static void end(void)
{
	if (depth)
		tl_nntrace_end(&around[--depth]);
}

static void marks(long count)
{
	for (; count > 0; count--) {
		NNTRACE_RT(NNTRACE_PHASE_EXECUTION, "inner");
		call(1);
	}
}

static void *call_in_thread(void *count)
{
	call((long)count);
	return NULL;
}

static void *spin(void *place)
{
	for (; spinning; ++*(long *)place)
		call(1);
	return NULL;
}

static long start_spinning(long count)
{
	spinning = 1;
	spinner_count = count < THREADS ? count : THREADS;
	for (long i = 0; i < spinner_count; i++) {
		spun[i] = 0;
		pthread_create(&spinners[i], NULL, spin, &spun[i]);
	}
	return spinner_count;
}

static long stop_spinning(void)
{
	long all = 0;

	spinning = 0;
	for (long i = 0; i < spinner_count; i++) {
		pthread_join(spinners[i], NULL);
		all += spun[i];
	}
	return all;
}

static long go_on_in_a_child(void)
{
	int status;
	pid_t child = fork();

	if (!child)
		return getpid();
	waitpid(child, &status, 0);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static long answer(const char *word, long count)
{
	pthread_t thread;

	if (!strcmp(word, "call"))
		return call(count), count;
	if (!strcmp(word, "begin"))
		return begin(), depth;
	if (!strcmp(word, "end"))
		return end(), depth;
	if (!strcmp(word, "marks"))
		return marks(count), count;
	if (!strcmp(word, "thread"))
		return pthread_create(&thread, NULL, call_in_thread, (void *)count),
		       pthread_join(thread, NULL), count;
	if (!strcmp(word, "spin"))
		return start_spinning(count);
	if (!strcmp(word, "still"))
		return stop_spinning();
	if (!strcmp(word, "pause"))
		return tl_pause();
	if (!strcmp(word, "resume"))
		return tl_resume();
	if (!strcmp(word, "snapshot"))
		return tl_snapshot();
	if (!strcmp(word, "stop"))
		return tl_stop();
	if (!strcmp(word, "recording"))
		return tl_recording();
	if (!strcmp(word, "fork"))
		return go_on_in_a_child();
	if (!strcmp(word, "handle"))
		return signal(SIGUSR1, on_signal) == SIG_DFL;
	if (!strcmp(word, "signals"))
		return signals;
	if (!strcmp(word, "name"))
		return getpid();
	return -1;
}

int main(void)
{
	char line[64], word[32];

	while (fgets(line, sizeof(line), stdin)) {
		long count = 0;
		if (sscanf(line, "%31s %ld", word, &count) < 1)
			continue;
		printf("%s %ld\n", word, answer(word, count));
		fflush(stdout);
	}
	return 0;
}
