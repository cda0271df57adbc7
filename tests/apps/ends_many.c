/* SPDX-License-Identifier: MIT */
/*
 * ends_many.c: processes and threads in numbers, each of which makes calls.
 * tests/process/ends_many.sh knows how many.
 *
 *	ends_many forks FORKS	four threads call all the time while a fifth forks; each child makes
 *				3 calls, and one child of its own, which makes 2. Prints how many
 *				calls the parent's threads made
 *	ends_many _Fork|clone CALLS	calls, then a child that no handler of fork knows of, which
 *					calls twice as much
 *	ends_many clone-vm CALLS	calls, then a child that shares this memory, which calls as
 *					much
 *	ends_many daemon CALLS FILE	becomes a daemon as daemons do, after and before calls; FILE
 *					appears when it has ended
 *	ends_many threads COUNT	so many threads, one after the other, each named and with one call;
 *				prints the peak of memory, in KiB, when a tenth of them have ended
 *				and at the end
 *	ends_many unshare CALLS	calls, unshare(CLONE_NEWUSER), calls
 *
 * It needs no OpenCL platform.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long calls;

static void call(long times)
{
	for (long i = 0; i < times; i++) {
		cl_uint count;
		clGetPlatformIDs(0, NULL, &count);
	}
}

/* The child ended by exit, and rightly. */
static int ended(pid_t child)
{
	int status;

	return waitpid(child, &status, __WALL) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

/* --- forks while other threads call */

static _Atomic int stop;
static _Atomic long made, begun;

/*
 * At work whenever the process forks, and with some hundred calls for each fork, however long that
 * takes.
 */
static void *call_on(void *unused)
{
	for (long rounds = 0; !stop;) {
		if (rounds < 20 * begun) {
			call(10);
			made += 10;
			rounds++;
		}
		usleep(10);
	}
	return unused;
}

static int child_of_threads(void)
{
	pid_t own = (call(3), fork());

	if (own < 0)
		return 1;
	if (!own) {
		call(2);
		_exit(0);
	}
	return !ended(own);
}

static int forks(long count)
{
	pthread_t threads[4];

	/* ocl-icd's first call spins until whoever began it is done, which in a child nobody is. */
	call(made = 1);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, call_on, NULL);
	for (long i = 0; i < count; i++) {
		begun++;
		pid_t child = fork();
		if (!child)
			exit(child_of_threads());
		if (child < 0 || !ended(child))
			return 1;
	}
	stop = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", made);
	return 0;
}

/* --- children that nobody was told of */

static int by_fork_alone(void)
{
	call(calls);
	pid_t child = _Fork();
	if (!child) {
		call(2 * calls);
		exit(0);
	}
	return !ended(child);
}

static int by_clone(void)
{
	call(calls);
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child) {
		call(2 * calls);
		_exit(0);
	}
	return !ended(child);
}

static int child_main(void *unused)
{
	call(calls);
	_exit(0);
}

static int by_clone_vm(void)
{
	static _Alignas(64) char stack[256 * 1024];

	call(calls);
	return !ended(
		clone(child_main, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
}

/* --- a daemon */

static int be_daemon(const char *file)
{
	call(calls);
	if (fork())
		_exit(0);
	setsid();
	call(calls + 1);
	if (fork())
		_exit(0);
	umask(0);
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	if (open("/dev/null", O_RDWR) != 0 || dup(0) != 1 || dup(0) != 2)
		return 1;
	call(calls + 2);
	/* Its first own descriptor has the number that it expects. */
	int fd = open(file, O_WRONLY | O_CREAT, 0600);
	return fd != 3 || write(fd, "done\n", 5) != 5;
}

/* --- threads */

static void *name_and_call(void *number)
{
	char name[16];

	snprintf(name, sizeof(name), "number %ld", (long)number);
	pthread_setname_np(pthread_self(), name);
	call(1);
	return NULL;
}

static long peak(void)
{
	char line[256];
	long size = 0;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "VmHWM: %ld", &size);
	if (status)
		fclose(status);
	return size;
}

static int threads(long count)
{
	for (long i = 0; i < count; i++) {
		pthread_t thread;
		if (i == count / 10)
			printf("%ld ", peak());
		if (pthread_create(&thread, NULL, name_and_call, (void *)i) ||
		    pthread_join(thread, NULL))
			return 1;
	}
	printf("%ld\n", peak());
	return 0;
}

static int unshare_user(void)
{
	call(calls);
	if (unshare(CLONE_NEWUSER)) {
		perror("unshare");
		return 1;
	}
	call(calls);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	calls = argc > 2 ? atol(argv[2]) : 0;
	if (!strcmp(what, "forks"))
		return forks(calls);
	if (!strcmp(what, "_Fork"))
		return by_fork_alone();
	if (!strcmp(what, "clone"))
		return by_clone();
	if (!strcmp(what, "clone-vm"))
		return by_clone_vm();
	if (!strcmp(what, "daemon") && argc == 4)
		return be_daemon(argv[3]);
	if (!strcmp(what, "threads"))
		return threads(calls);
	if (!strcmp(what, "unshare"))
		return unshare_user();
	return 2;
}
