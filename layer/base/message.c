/* SPDX-License-Identifier: MIT */
/*
 * message.c: see message.h.
 */
#include "layer/base/message.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* System calls are made by syscall(): the C library's own are points where a thread can be
 * cancelled. */
#define KERNEL_SIGSET 8

void tl_signals_hold(struct tl_signals *signals)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &signals->mask);
	sigpending(&signals->pending);
}

void tl_signals_back(const struct tl_signals *signals)
{
	static const int raised[] = {SIGPIPE, SIGXFSZ};
	const struct timespec now = {0, 0};

	/*
	 * A write raises these signals for the thread that writes. So one that is pending now, and
	 * was not before, comes from this write.
	 */
	for (size_t i = 0; i < sizeof(raised) / sizeof(*raised); i++) {
		sigset_t one, pending;
		sigpending(&pending);
		if (!sigismember(&pending, raised[i]) || sigismember(&signals->pending, raised[i]))
			continue;
		sigemptyset(&one);
		sigaddset(&one, raised[i]);
		while (syscall(SYS_rt_sigtimedwait, &one, NULL, &now, KERNEL_SIGSET) < 0 &&
		       errno == EINTR)
			;
	}
	pthread_sigmask(SIG_SETMASK, &signals->mask, NULL);
}

static void line_write_to(int fd, const char *line)
{
	int error = errno;
	size_t size = strlen(line);
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	struct timespec patience = {.tv_sec = 1};
	struct tl_signals signals;

	tl_signals_hold(&signals);
	/* A pipe that is ready takes a line of this length whole, or not at all. */
	if (syscall(SYS_ppoll, &ready, 1, &patience, NULL, KERNEL_SIGSET) == 1 &&
	    (ready.revents & POLLOUT))
		while (syscall(SYS_write, fd, line, size) < 0 && errno == EINTR)
			;
	tl_signals_back(&signals);
	errno = error;
}

void tl_message_say(const char *line)
{
	line_write_to(STDERR_FILENO, line);
}

/*
 * Duplicates the program's descriptor itself. Opening it through /proc would not continue a file
 * where the program's own lines end.
 */
void tl_message_say_apart(const char *line)
{
	int error = errno;
	int process = (int)syscall(SYS_pidfd_open, syscall(SYS_getpid), 0);
	int fd = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, STDERR_FILENO, 0);

	if (fd >= 0) {
		line_write_to(fd, line);
		syscall(SYS_close, fd);
	}
	if (process >= 0)
		syscall(SYS_close, process);
	errno = error;
}
