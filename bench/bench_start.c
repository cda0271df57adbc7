/*
 * bench_start: what a preloaded library adds to the start and end of a program. Runs PROGRAM with and without it, in pairs whose order is
 * shuffled, and prints one line: the median milliseconds without, the median of the pairs' differences, the median of their ratios, and the
 * ratios' quartiles.
 *
 *	bench_start PAIRS LD_PRELOAD-VALUE PROGRAM [ARGUMENT...]
 *
 * The program's output goes to /dev/null; settings of ours come from the environment.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/harness.h"

#define PAIRS_MAX 1000

extern char **environ;

static double ms_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Milliseconds that the program takes from its spawning to its being reaped. */
static double run(char **argv, const char *preload)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status;

	if (preload)
		setenv("LD_PRELOAD", preload, 1);
	else
		unsetenv("LD_PRELOAD");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	double start = ms_now();
	int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	if (error || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "bench_start: %s: %s\n", argv[0], error ? strerror(error) : "it failed");
		exit(1);
	}
	double end = ms_now();
	posix_spawn_file_actions_destroy(&actions);
	return end - start;
}

int main(int argc, char **argv)
{
	static double without[PAIRS_MAX], difference[PAIRS_MAX], ratio[PAIRS_MAX];
	size_t pairs = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;

	if (pairs < 1 || pairs > PAIRS_MAX) {
		fprintf(stderr, "usage: bench_start PAIRS LD_PRELOAD-VALUE PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	run(&argv[3], NULL);
	run(&argv[3], argv[2]);
	srand((unsigned)getpid());
	for (size_t i = 0; i < pairs; i++) {
		bool first = rand() / 256 % 2;
		double with = first ? run(&argv[3], argv[2]) : 0;
		without[i] = run(&argv[3], NULL);
		if (!first)
			with = run(&argv[3], argv[2]);
		difference[i] = with - without[i];
		ratio[i] = with / without[i];
	}
	double middle = bench_median(ratio, pairs);
	printf("%.3f %.3f %.4f %.4f %.4f\n", bench_median(without, pairs), bench_median(difference, pairs), middle,
	       ratio[pairs / 4], ratio[pairs * 3 / 4]);
	return 0;
}
