/* SPDX-License-Identifier: MIT */
/*
 * cl_errno: prints whatever a library that was slipped into a process could have changed: errno
 * after each call, the numbers of new file descriptors, signal dispositions and the mask, the order
 * of exit handlers, and the way the process ends.
 *
 *	-e N	end by exit(N)
 *	-_ N	end by _exit(N)
 *	-q N	end by quick_exit(N)
 *	-s N	end by signal N, from a second thread
 *	-c	close every descriptor from 3 on after the first calls, and take the numbers again
 *	-f	fork a child that ends by exit(5) without a call
 *	-n	end by return, with output still in stdio's buffer
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl_app.h"

static struct app app;

/* The number that the next open gets. */
static int next_descriptor(void)
{
	int fd = open("/dev/null", O_RDONLY);

	close(fd);
	return fd;
}

#define ERRNO_AFTER(call)                                                                          \
	do {                                                                                       \
		errno = 4242;                                                                      \
		(void)(call);                                                                      \
		int after = errno;                                                                 \
		printf("%.24s: errno %d\n", #call, after);                                         \
	} while (0)

static void calls(void)
{
	cl_uint count;
	cl_int error;
	char name[256];

	ERRNO_AFTER(clGetPlatformIDs(0, NULL, &count));
	ERRNO_AFTER(clGetDeviceIDs(app.platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
	ERRNO_AFTER(clGetDeviceInfo(app.device, CL_DEVICE_NAME, sizeof(name), name, NULL));
	ERRNO_AFTER(clGetDeviceInfo(NULL, CL_DEVICE_NAME, sizeof(name), name, NULL));
	cl_event event = clCreateUserEvent(app.context, &error);
	ERRNO_AFTER(clRetainEvent(event));
	ERRNO_AFTER(clReleaseEvent(event));
	ERRNO_AFTER(clSetUserEventStatus(event, CL_COMPLETE));
	ERRNO_AFTER(clWaitForEvents(1, &event));
	ERRNO_AFTER(clReleaseEvent(event));
	ERRNO_AFTER(clGetExtensionFunctionAddressForPlatform(app.platform, "clNoSuchFunction"));
}

static void print_signals(void)
{
	sigset_t mask;
	stack_t stack;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	sigaltstack(NULL, &stack);
	for (int number = 1; number < SIGRTMIN; number++) {
		struct sigaction action;
		if (sigaction(number, NULL, &action))
			continue;
		if (action.sa_handler != SIG_DFL || sigismember(&mask, number))
			printf("signal %d: %s%s\n", number,
			       action.sa_handler == SIG_DFL   ? "default"
			       : action.sa_handler == SIG_IGN ? "ignored"
							      : "handled",
			       sigismember(&mask, number) ? ", blocked" : "");
	}
	printf("alternate stack: %s\n", stack.ss_flags & SS_DISABLE ? "none" : "one");
}

/* Descriptors 3 to 63, and what they are, without names that differ between two runs. */
static void print_descriptors(void)
{
	char path[64], target[256];

	for (int fd = 3; fd < 64; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		ssize_t size = readlink(path, target, sizeof(target) - 1);
		if (size < 0)
			continue;
		target[size] = 0;
		if (strchr(target, ':'))
			target[strcspn(target, ":")] = 0;
		printf("descriptor %d: %s\n", fd, target);
	}
	printf("next descriptor: %d\n", next_descriptor());
}

static void early_handler(void)
{
	printf("handler registered before the first call; next descriptor %d\n", next_descriptor());
}

static void late_handler(void)
{
	cl_uint count = 0;

	printf("handler registered after the first call, which calls: %d\n",
	       (int)clGetPlatformIDs(0, NULL, &count));
}

static void quick_handler(void)
{
	printf("quick handler\n");
	fflush(stdout);
}

__attribute__((destructor)) static void destructor(void)
{
	printf("destructor; next descriptor %d\n", next_descriptor());
}

static void fork_child(void)
{
	int status;

	fflush(stdout);
	pid_t child = fork();
	if (!child)
		exit(5);
	waitpid(child, &status, 0);
	printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void close_all(void)
{
	for (int fd = 3; fd < 256; fd++)
		close(fd);
	int fd = open("/dev/zero", O_RDONLY);
	char bytes[16];
	memset(bytes, 'x', sizeof(bytes));
	printf("descriptor %d reads %zd\n", fd, read(fd, bytes, sizeof(bytes)));
	print_descriptors();
}

static void *end_by_signal(void *number)
{
	/* Again and again: the driver's own handlers may swallow the first one. */
	for (;;) {
		kill(getpid(), (int)(long)number);
		usleep(10000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int option = getopt(argc, argv, "e:_:q:s:cfn");
	int number = option > 0 && optarg ? (int)app_number(optarg) : 0;
	pthread_t thread;

	atexit(early_handler);
	at_quick_exit(quick_handler);
	print_descriptors();
	print_signals();
	errno = 4242;
	app = app_open();
	printf("first calls: errno %d\n", errno);
	atexit(late_handler);
	calls();
	print_signals();
	print_descriptors();
	if (option == 'c')
		close_all();
	if (option == 'f')
		fork_child();
	app_close(&app);
	if (option == 'n') {
		printf("no newline at the end");
		return 3;
	}
	fflush(stdout);
	fprintf(stderr, "to stderr\n");
	switch (option) {
	case 'e':
		exit(number);
	case '_':
		_exit(number);
	case 'q':
		quick_exit(number);
	case 's':
		pthread_create(&thread, NULL, end_by_signal, (void *)(long)number);
		pthread_join(thread, NULL);
	}
	return 0;
}
