/* SPDX-License-Identifier: MIT */
/*
 * ends_ways.c: makes calls and leaves by a way that runs no exit handlers, or into another program.
 *
 *	ends_ways WAY CALLS	CALLS calls, and out by WAY
 *	ends_ways fail-WAY CALLS	CALLS calls, WAY into a program that isn't there, CALLS
 *					more, and exit
 *	ends_ways after CALLS …	what the exec ways lead to: looks at its arguments and environment
 *
 * It needs no OpenCL platform.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static long calls;

static void call(void)
{
	for (long i = 0; i < calls; i++) {
		cl_uint count;
		clGetPlatformIDs(0, NULL, &count);
	}
}

/* --- into another program */

static const char *self; /* a path, or one that leads nowhere */
static const char *name; /* found in PATH */
static char number[24];
static char **arguments;
static char **environment;

#define ARGUMENTS "ends_ways", "after", number, "", "two words", (char *)NULL

static void by_execve(void)
{
	execve(self, arguments, environment);
}

static void by_execv(void)
{
	environ = environment;
	execv(self, arguments);
}

static void by_execvp(void)
{
	environ = environment;
	execvp(name, arguments);
}

static void by_execvpe(void)
{
	execvpe(name, arguments, environment);
}

static void by_execl(void)
{
	environ = environment;
	execl(self, ARGUMENTS);
}

static void by_execlp(void)
{
	environ = environment;
	execlp(name, ARGUMENTS);
}

static void by_execle(void)
{
	execle(self, ARGUMENTS, environment);
}

static void by_fexecve(void)
{
	int fd = open(self, O_RDONLY | O_CLOEXEC);

	fexecve(fd, arguments, environment);
}

static void by_execveat(void)
{
	execveat(AT_FDCWD, self, arguments, environment, 0);
}

/* The environment as it is, and one variable more. */
static void prepare(bool fails)
{
	static const char *const list[] = {ARGUMENTS};
	static char variable[] = "ENDS_WAYS=given";
	size_t count = 0;

	snprintf(number, sizeof(number), "%ld", calls);
	arguments = (char **)list;
	self = fails ? "/nowhere/to/be/found" : realpath("/proc/self/exe", NULL);
	name = fails ? "nowhere-to-be-found" : strrchr(self, '/') + 1;
	if (!fails)
		setenv("PATH", strndup(self, (size_t)(name - self - 1)), 1);
	while (environ[count])
		count++;
	environment = calloc(count + 2, sizeof(*environment));
	memcpy(environment, environ, count * sizeof(*environment));
	environment[count] = variable;
}

static int after(int argc, char **argv)
{
	const char *given = getenv("ENDS_WAYS");

	if (argc != 5 || *argv[3] || strcmp(argv[4], "two words") || !given ||
	    strcmp(given, "given"))
		return 1;
	call();
	return 5;
}

/* --- out */

static void by_exit_now(void)
{
	_exit(5);
}

/* Not through the C library, as Go's programs end. */
static void by_system_call(void)
{
	syscall(SYS_exit_group, 5);
}

static void by_exit_Now(void)
{
	_Exit(5);
}

/* The process's only thread ends, and nothing ends the process. */
static void by_thread_exit(void)
{
	syscall(SYS_exit, 5);
}

static void quick(void)
{
	call();
}

static void by_quick_exit(void)
{
	at_quick_exit(quick);
	quick_exit(5);
}

/* A child that shares this memory goes out by _exit; nothing of ours may happen twice, or in it. */
static void by_vfork_exit(void)
{
	int status;
	pid_t child = vfork();

	if (!child)
		_exit(3);
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
		_exit(1);
	call();
	_exit(5);
}

/* It may even make calls: they are its parent's, whose memory it is. */
static void by_vfork_calls(void)
{
	int status;
	pid_t child = vfork();

	if (!child) {
		call();
		_exit(3);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
		_exit(1);
	_exit(5);
}

static void by_vfork_exec(void)
{
	int status;
	pid_t child = vfork();

	if (!child) {
		execve("/nowhere/to/be/found", arguments, environment);
		execve(self, arguments, environment);
		_exit(3);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 5)
		_exit(1);
	_exit(5);
}

static void by_fork_exit(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		call();
		call();
		_exit(3);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
		_exit(1);
	_exit(5);
}

/* Before any call was made: the child is at its first. */
static void by_fork_first(void)
{
	int status;
	pid_t child = fork();

	call();
	if (!child) {
		call();
		exit(3);
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
		_exit(1);
	_exit(5);
}

static void by_spawn(void)
{
	int status;
	pid_t child;

	if (posix_spawn(&child, self, NULL, NULL, arguments, environment) ||
	    waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 5)
		_exit(1);
	call();
	_exit(5);
}

static void by_system(void)
{
	char line[4200];

	snprintf(line, sizeof(line), "ENDS_WAYS=given %s after %s '' 'two words'; true", self,
		 number);
	if (system(line))
		_exit(1);
	FILE *from = popen(line, "r");
	if (!from || pclose(from))
		_exit(1);
	call();
	_exit(5);
}

static void by_exit_in_handler(void)
{
	atexit(by_exit_now);
	exit(4);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*go)(void);
	} ways[] = {
		{"_exit", by_exit_now},
		{"_Exit", by_exit_Now},
		{"system-call", by_system_call},
		{"quick_exit", by_quick_exit},
		{"execve", by_execve},
		{"execv", by_execv},
		{"execvp", by_execvp},
		{"execvpe", by_execvpe},
		{"execl", by_execl},
		{"execlp", by_execlp},
		{"execle", by_execle},
		{"fexecve", by_fexecve},
		{"execveat", by_execveat},
		{"vfork-exit", by_vfork_exit},
		{"vfork-calls", by_vfork_calls},
		{"vfork-exec", by_vfork_exec},
		{"fork-exit", by_fork_exit},
		{"fork-first", by_fork_first},
		{"spawn", by_spawn},
		{"system", by_system},
		{"exit-in-handler", by_exit_in_handler},
		{"thread-exit", by_thread_exit},
	};
	bool fails = argc > 1 && !strncmp(argv[1], "fail-", 5);

	if (argc < 3)
		return 2;
	calls = atol(argv[2]);
	if (!strcmp(argv[1], "after"))
		return after(argc, argv);
	prepare(fails);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (strcmp(argv[1] + 5 * fails, ways[i].name))
			continue;
		if (strcmp(argv[1], "fork-first"))
			call();
		errno = 0;
		ways[i].go();
		/* Only an exec comes back. */
		if (!fails || errno != (strcmp(ways[i].name, "fexecve") ? ENOENT : EINVAL))
			return 1;
		call();
		return 5;
	}
	return 2;
}
