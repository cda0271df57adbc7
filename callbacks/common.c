/*
 * common.c: see common.h.
 */
#include "callbacks/common.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OUT_OF_THE_WAY 500	/* programs expect the low numbers for themselves */

/* ---- options ---- */

static void take(const char **from, const char *ends, char *to, size_t room)
{
	size_t length = strcspn(*from, ends), kept = length < room ? length : room - 1;

	memcpy(to, *from, kept);
	to[kept] = 0;
	*from += length;
}

bool option_next(const char **list, struct option *option)
{
	*list += strspn(*list, ",");
	if (!**list)
		return false;
	take(list, "=,", option->key, sizeof(option->key));
	option->value[0] = 0;
	if (**list == '=') {
		++*list;
		take(list, ",", option->value, sizeof(option->value));
	}
	return true;
}

bool option_is(const struct option *option, const char *key)
{
	return !strcmp(option->key, key);
}

int refuse(const struct tl_tool_host *host, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(host->why, host->why_size, format, arguments);
	va_end(arguments);
	return 1;
}

/* ---- tracers ---- */

int trace(const struct tl_tool_host *host, const char *globs, tl_generic_prologue prologue, tl_generic_epilogue epilogue)
{
	struct tl_tracer_desc desc = { .size = sizeof(desc) };
	struct tl_tracer *tracer;

	if (tl_tracer_create(&desc, &tracer) != TL_TRACER_OK)
		return refuse(host, "no memory; the program runs without it");
	switch (tl_tracer_register_glob(tracer, NULL, globs, prologue, epilogue)) {
	case TL_TRACER_OK:
		break;
	case TL_TRACER_NO_FUNCTION:
		return refuse(host, "no function matches %s; give names of functions, with * and ?", globs);
	default:
		return refuse(host, "no memory; the program runs without it");
	}
	if (tl_tracer_enable(tracer) != TL_TRACER_OK)
		return refuse(host, "too many tracers, or no memory; the program runs without it");
	return 0;
}

/* ---- output ---- */

static void fill_in(const char *pattern, char *path, size_t room)
{
	char *to = path, *end = path + room - 24;

	for (; *pattern && to < end; pattern++) {
		if (pattern[0] == '%' && pattern[1] == 'p') {
			to += sprintf(to, "%d", (int)getpid());
			pattern++;
		} else {
			*to++ = *pattern;
		}
	}
	*to = 0;
}

static int open_file(const char *path)
{
	return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
}

static bool remember(struct output *output)
{
	struct stat about;

	if (fstat(output->fd, &about))
		return false;
	output->device = about.st_dev;
	output->inode = about.st_ino;
	return true;
}

static bool open_output(struct output *output)
{
	int low, high;

	if (!output->pattern[0]) {
		output->fd = STDERR_FILENO;
		return remember(output) || true;
	}
	fill_in(output->pattern, output->path, sizeof(output->path));
	/* A whole path, so that the file is found again wherever the program goes. */
	low = open_file(output->path);
	if (low < 0)
		return false;
	char *whole = realpath(output->path, NULL);
	if (whole && strlen(whole) < sizeof(output->path))
		strcpy(output->path, whole);
	free(whole);
	high = fcntl(low, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
	if (high >= 0)
		close(low);
	output->fd = high >= 0 ? high : low;
	return remember(output);
}

int output_open(struct output *output, const struct tl_tool_host *host, const char *pattern)
{
	*output = (struct output){ .fd = -1 };
	if (strlen(pattern) >= sizeof(output->pattern))
		return refuse(host, "the file's name is too long; shorten it");
	strcpy(output->pattern, pattern);
	if (!open_output(output))
		return refuse(host, "%s: %s; name another file", output->path, strerror(errno));
	return 0;
}

void output_after_fork(struct output *output)
{
	if (!strstr(output->pattern, "%p"))
		return;
	close(output->fd);
	open_output(output);
}

static bool is_still_ours(const struct output *output)
{
	struct stat about;

	return fstat(output->fd, &about) == 0 && about.st_dev == output->device && about.st_ino == output->inode;
}

/* By syscall(), since the C library's write is a point where a thread can be cancelled. */
static int write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		long done = syscall(SYS_write, fd, bytes, size);
		struct pollfd ready = { .fd = fd, .events = POLLOUT };
		if (done >= 0) {
			bytes += done;
			size -= (size_t)done;
		} else if (errno == EAGAIN) {
			struct timespec patience = { .tv_sec = 1 };
			if (syscall(SYS_ppoll, &ready, 1, &patience, NULL, 8) != 1)
				return EAGAIN;
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

void output_write(const struct output *output, const char *bytes, size_t size)
{
	const struct timespec now = { 0, 0 };
	int kept = errno, fd = output->fd, error;
	bool opened = false;
	sigset_t raised, before;

	if (!is_still_ours(output)) {
		fd = output->pattern[0] ? open_file(output->path) : -1;
		opened = fd >= 0;
	}
	if (fd < 0) {
		errno = kept;
		return;
	}
	/* The signals that a write may raise are not for the program. */
	sigemptyset(&raised);
	sigaddset(&raised, SIGPIPE);
	sigaddset(&raised, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &raised, &before);
	error = write_all(fd, bytes, size);
	if ((error == EPIPE && !sigismember(&before, SIGPIPE)) || (error == EFBIG && !sigismember(&before, SIGXFSZ)))
		syscall(SYS_rt_sigtimedwait, &raised, NULL, &now, 8);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (opened)
		close(fd);
	errno = kept;
}
