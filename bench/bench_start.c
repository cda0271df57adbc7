/* SPDX-License-Identifier: MIT */
/*
 * bench_start: what a preloaded library adds to the start and end of a program, or arguments add to
 * a command. Runs PROGRAM with and without it, in pairs in a shuffled order. Prints one line: the median milliseconds without
 * it, the median of the pairs' differences, the median of their ratios, and the quartiles of the
 * ratios; the first three for the processor time of all threads; the bounds between which the ratios'
 * median lies (about 95 percent), and how many pairs there were.
 *
 *	bench_start [OPTION...] PAIRS LD_PRELOAD-VALUE PROGRAM [ARGUMENT...]
 *	bench_start [OPTION...] PAIRS --arguments COUNT PROGRAM WORD ARGUMENT...
 *							with and without the COUNT arguments behind WORD
 *
 * The output of the program goes to /dev/null. Settings of tracelayer come from the environment.
 * --first: the milliseconds are those until the program's first instructions, which print the
 * monotonic clock in nanoseconds, as `bench_nothing first` does.
 * --seconds=N: more pairs than PAIRS, as many as fit into that time, at most 101.
 * --awake: no core sleeps. To wake one takes long on a virtual machine, and differently each time, which
 * is most of the noise of a program whose threads wait for each other.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/harness.h"

#define PAIRS_MAX     1000
#define PAIRS_MOST    101 /* where there is a time */
#define ARGUMENTS_MAX 64

extern char **environ;

static double ms_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

struct cost {
	double wall, cpu; /* milliseconds, from its spawning to its being reaped */
};

static double ms_of(struct timeval time)
{
	return (double)time.tv_sec * 1e3 + (double)time.tv_usec * 1e-3;
}

static bool until_first; /* --first */

static void program_failed(const char *name, int error)
{
	fprintf(stderr, "bench_start: %s: %s\n", name, error ? strerror(error) : "it failed");
	exit(1);
}

/* The time that the program writes into the pipe. */
static double ms_first(const char *name, int from)
{
	char text[64];
	ssize_t length = read(from, text, sizeof(text) - 1);

	if (length <= 0)
		program_failed(name, 0);
	text[length] = '\0';
	return strtod(text, NULL) * 1e-6;
}

static struct cost program_run(char **argv, const char *preload)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	struct rusage usage;
	int status, out[2] = {-1, -1};

	if (preload)
		setenv("LD_PRELOAD", preload, 1);
	else
		unsetenv("LD_PRELOAD");
	posix_spawn_file_actions_init(&actions);
	if (until_first && pipe2(out, O_CLOEXEC))
		program_failed("pipe", errno);
	if (until_first)
		posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	else
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	double start = ms_now();
	int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	if (error || wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 0)
		program_failed(argv[0], error);
	double end = ms_now();
	if (until_first) {
		close(out[1]);
		end = ms_first(argv[0], out[0]);
		close(out[0]);
	}
	posix_spawn_file_actions_destroy(&actions);
	return (struct cost){end - start, ms_of(usage.ru_utime) + ms_of(usage.ru_stime)};
}

static double base[PAIRS_MAX], difference[PAIRS_MAX], ratio[PAIRS_MAX];

static void pair_take(size_t i, double with, double without)
{
	base[i] = without;
	difference[i] = with - without;
	ratio[i] = without > 0 ? with / without : 1;
}

/* Sorts them, too. */
static void times_print(size_t pairs)
{
	printf("%.3f %.3f %.4f", bench_median(base, pairs), bench_median(difference, pairs),
	       bench_median(ratio, pairs));
}

/*
 * How many of the least and of the greatest values lie outside of the bounds of the median. Each value is
 * above the true median or below it with the same chance, so the bounds are right in about 95 of 100 runs.
 */
static size_t bound_of_median(size_t count)
{
	double at = ((double)count - 1.96 * sqrt((double)count)) / 2;

	return at > 0 ? (size_t)at : 0;
}

/*
 * A process that keeps a core from sleeping until this one ends. It is of idle priority, so it gets out of
 * the way of all others at once.
 */
static void core_stay_awake(int core)
{
	cpu_set_t own;
	pid_t parent = getpid();

	CPU_ZERO(&own);
	CPU_SET(core, &own);
	pid_t pid = fork();
	if (pid < 0)
		program_failed("fork", errno);
	if (pid > 0)
		return;
	if (sched_setaffinity(0, sizeof(own), &own) ||
	    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0}) ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	for (;;)
		;
}

static void cores_stay_awake(void)
{
	cpu_set_t cores;

	if (sched_getaffinity(0, sizeof(cores), &cores))
		program_failed("sched_getaffinity", errno);
	for (int core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET(core, &cores))
			core_stay_awake(core);
}

struct command {
	char **argv;
	const char *preload;
};

static struct cost command_run(const struct command *command)
{
	return program_run(command->argv, command->preload);
}

/* The command without what is measured. False: there is no such command. */
static bool commands_take(int argc, char **argv, struct command *with, struct command *without)
{
	static char *shorter[ARGUMENTS_MAX];
	bool preload = argc > 3 && strcmp(argv[2], "--arguments") != 0;
	size_t count = argc > 3 && !preload ? strtoul(argv[3], NULL, 10) : 0, n = 0;

	if (preload) {
		*with = (struct command){&argv[3], argv[2]};
		*without = (struct command){&argv[3], NULL};
		return true;
	}
	if (argc > ARGUMENTS_MAX || (size_t)argc < 6 + count)
		return false;
	shorter[n++] = argv[4];
	shorter[n++] = argv[5];
	for (size_t i = 6 + count; i < (size_t)argc; i++)
		shorter[n++] = argv[i];
	*with = (struct command){&argv[4], NULL};
	*without = (struct command){shorter, NULL};
	return true;
}

int main(int argc, char **argv)
{
	static struct cost with[PAIRS_MAX], without[PAIRS_MAX];
	struct command longer, shorter;

	double seconds = 0;
	bool awake = false;

	for (; argc > 1; argv++, argc--) {
		if (!strcmp(argv[1], "--first"))
			until_first = true;
		else if (!strcmp(argv[1], "--awake"))
			awake = true;
		else if (!strncmp(argv[1], "--seconds=", 10))
			seconds = strtod(argv[1] + 10, NULL);
		else
			break;
	}
	size_t pairs = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;

	if (pairs < 1 || pairs > PAIRS_MAX || !commands_take(argc, argv, &longer, &shorter)) {
		fprintf(stderr,
			"usage: bench_start [--first] [--awake] [--seconds=N] PAIRS LD_PRELOAD-VALUE PROGRAM [ARGUMENT...]\n"
			"       bench_start [--first] [--awake] [--seconds=N] PAIRS --arguments COUNT PROGRAM WORD ARGUMENT...\n");
		return 2;
	}
	if (awake)
		cores_stay_awake();
	command_run(&shorter);
	command_run(&longer);
	srand((unsigned)getpid());
	double until = ms_now() + seconds * 1e3;
	for (size_t i = 0; i < pairs; i++) {
		bool first = rand() / 256 % 2;
		if (first)
			with[i] = command_run(&longer);
		without[i] = command_run(&shorter);
		if (!first)
			with[i] = command_run(&longer);
		if (i + 1 == pairs && pairs < PAIRS_MOST && ms_now() < until)
			pairs++;
	}
	for (size_t i = 0; i < pairs; i++)
		pair_take(i, with[i].wall, without[i].wall);
	times_print(pairs);
	printf(" %.4f %.4f ", ratio[pairs / 4], ratio[pairs * 3 / 4]);
	size_t bound = bound_of_median(pairs);
	double low = ratio[bound], high = ratio[pairs - 1 - bound];
	for (size_t i = 0; i < pairs; i++)
		pair_take(i, with[i].cpu, without[i].cpu);
	times_print(pairs);
	printf(" %.4f %.4f %zu\n", low, high, pairs);
	return 0;
}
