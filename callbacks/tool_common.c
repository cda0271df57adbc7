/* SPDX-License-Identifier: MIT */
/*
 * tool_common.c: see tool_common.h.
 */
#include "callbacks/tool_common.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/launcher.h"
#include "common/output.h"
#include "common/tool_list.h"

#define OUT_OF_THE_WAY 500 /* programs expect the low numbers for themselves */

/* ---- options ---- */

static void option_take(const char **from, const char *ends, char *to, size_t room)
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
	option_take(list, "=,", option->key, sizeof(option->key));
	option->value[0] = 0;
	if (**list == '=') {
		++*list;
		option_take(list, ",", option->value, sizeof(option->value));
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

int options_check(const struct tl_tool_host *host)
{
	const char *option;
	int length;
	const char *fault = tl_tools_fault(host->options, &option, &length);

	return fault ? refuse(host, "%.*s %s", length, option, fault) : 0;
}

/* ---- tracers ---- */

int trace(const struct tl_tool_host *host, const char *globs, tl_generic_prologue prologue,
	  tl_generic_epilogue epilogue)
{
	struct tl_tracer_desc desc = {.size = sizeof(desc)};
	struct tl_tracer *tracer;

	if (tl_tracer_create(&desc, &tracer) != TL_TRACER_OK)
		return refuse(host, "no memory; the program runs without it");
	switch (tl_tracer_register_glob(tracer, NULL, globs, prologue, epilogue)) {
	case TL_TRACER_OK:
		break;
	case TL_TRACER_NO_FUNCTION:
		return refuse(host, "no function matches %s; give names of functions, with * and ?",
			      globs);
	default:
		return refuse(host, "no memory; the program runs without it");
	}
	if (tl_tracer_enable(tracer) != TL_TRACER_OK)
		return refuse(host, "too many tracers, or no memory; the program runs without it");
	return 0;
}

/* ---- output ---- */

/*
 * The name of a file in a given folder: log.%e.%p.txt, for the tool that the list calls log or
 * ./log.so.
 */
static void output_name_standard(char *standard, size_t room, const char *tool)
{
	const char *slash = strrchr(tool, '/'), *base = slash ? slash + 1 : tool;

	snprintf(standard, room, "%.*s.%%e.%%p.txt", (int)strcspn(base, "."), base);
}

static bool name_fill_in(struct output *output)
{
	char program[256];
	struct utsname host;
	struct timespec now = {0};

	tl_output_program(program, sizeof(program));
	clock_gettime(CLOCK_REALTIME, &now);
	const struct tl_output_names names = {
		.pid = (uint32_t)getpid(),
		.rank = output->rank,
		.seconds = (uint64_t)now.tv_sec,
		.program = program,
		.host = uname(&host) ? "unknown" : host.nodename,
		.standard = output->standard,
	};
	return tl_output_expand_for(output->path, sizeof(output->path), output->pattern, &names);
}

/* Open the same file again: no file is created, and no other file is written to. */
static int output_open_again(const struct output *output)
{
	struct stat about;
	int fd = open(output->path,
		      O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0 ||
	    (!fstat(fd, &about) && about.st_dev == output->device && about.st_ino == output->inode))
		return fd;
	close(fd);
	return -1;
}

static bool output_remember(struct output *output)
{
	struct stat about;

	if (fstat(output->fd, &about))
		return false;
	output->device = about.st_dev;
	output->inode = about.st_ino;
	return true;
}

/* Print the name where it differs from the one that was asked for. */
static void number_print(const struct output *output, const char *asked)
{
	struct output errors = {.fd = STDERR_FILENO};
	char line[2 * sizeof(output->path) + 64];
	int size = snprintf(line, sizeof(line),
			    "tracelayer: tool %s: %s: that name is taken; it writes to %s\n",
			    output->tool, asked, output->path);

	if (output_remember(&errors) && size > 0 && (size_t)size < sizeof(line))
		output_write(&errors, line, (size_t)size);
}

/*
 * 0 or an errno. Created like a trace's file: no existing file is written to, and nothing that
 * another user has put there.
 */
static int output_make_file(struct output *output)
{
	struct tl_output *file = calloc(1, sizeof(*file));
	int low, high;

	if (!file)
		return ENOMEM;
	strcpy(file->path, output->path);
	low = tl_output_create(file);
	if (low < 0) {
		free(file);
		return -low;
	}
	fcntl(low, F_SETFL, fcntl(low, F_GETFL) | O_APPEND);
	high = fcntl(low, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
	if (high >= 0)
		close(low);
	output->fd = high >= 0 ? high : low;
	if (strcmp(file->path, output->path)) {
		char *asked = strdup(output->path);
		strcpy(output->path, file->path);
		if (asked)
			number_print(output, asked);
		free(asked);
	}
	free(file);
	return 0;
}

/* 0 or an errno. */
static int open_output(struct output *output)
{
	int error;

	if (!output->pattern[0]) {
		output->fd = STDERR_FILENO;
		output_remember(output);
		return 0;
	}
	error = name_fill_in(output) ? output_make_file(output) : ENAMETOOLONG;
	if (error)
		return error;
	/* A whole path, so that the file is found again wherever the program goes. */
	char *whole = realpath(output->path, NULL);
	if (whole && strlen(whole) < sizeof(output->path))
		strcpy(output->path, whole);
	free(whole);
	return output_remember(output) ? 0 : errno;
}

int output_open(struct output *output, const struct tl_tool_host *host, const char *pattern)
{
	struct tl_launched launched;
	char folder[TL_LAUNCHER_FOLDER];

	tl_launcher_tells(&launched);
	tl_launcher_folder(folder, &launched);
	*output = (struct output){.fd = -1, .rank = launched.rank};
	snprintf(output->tool, sizeof(output->tool), "%s", host->name);
	output_name_standard(output->standard, sizeof(output->standard), host->name);
	if (!tl_output_expand_step(output->pattern, sizeof(output->pattern), pattern, folder))
		return refuse(host, "the file's name is too long; shorten it");
	if (!strcmp(pattern, "-"))
		return refuse(
			host,
			"file=-: standard output is the program's own; name a file, or leave it out for standard error");
	int error = open_output(output);
	if (error)
		return refuse(host, "%s: %s; name another file", output->path,
			      tl_output_words(error) ? tl_output_words(error) : strerror(error));
	return 0;
}

void output_after_fork(struct output *output)
{
	if (!strstr(output->pattern, "%p"))
		return;
	close(output->fd);
	open_output(output);
}

static bool output_is_still_ours(const struct output *output)
{
	struct stat about;

	return fstat(output->fd, &about) == 0 && about.st_dev == output->device &&
	       about.st_ino == output->inode;
}

/* By syscall(), since the C library's write is a point where a thread can be cancelled. */
static int bytes_write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		long done = syscall(SYS_write, fd, bytes, size);
		struct pollfd ready = {.fd = fd, .events = POLLOUT};
		if (done >= 0) {
			bytes += done;
			size -= (size_t)done;
		} else if (errno == EAGAIN) {
			struct timespec patience = {.tv_sec = 1};
			if (syscall(SYS_ppoll, &ready, 1, &patience, NULL, 8) != 1)
				return EAGAIN;
		} else if (errno != EINTR) {
			return errno;
		}
	}
	return 0;
}

/* Once in a process. Standard error itself may be what can't be written. */
static void output_say_failed(const struct output *output, int error)
{
	static atomic_bool said;
	const char *words = tl_output_words(error) ? tl_output_words(error) : strerror(error);
	char line[sizeof(output->path) + 160];

	if (!output->pattern[0] || atomic_exchange_explicit(&said, true, memory_order_relaxed))
		return;
	int size = snprintf(line, sizeof(line),
			    "tracelayer: %s: %s, so lines of %s are missing; name another file\n",
			    output->path, words, output->tool);
	if (size > 0)
		syscall(SYS_write, STDERR_FILENO, line, (size_t)size);
}

void output_write(const struct output *output, const char *bytes, size_t size)
{
	const struct timespec now = {0, 0};
	int kept = errno, fd = output->fd, error;
	bool opened = false;
	sigset_t raised, before;

	if (!output_is_still_ours(output)) {
		fd = output->pattern[0] ? output_open_again(output) : -1;
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
	error = bytes_write_all(fd, bytes, size);
	if ((error == EPIPE && !sigismember(&before, SIGPIPE)) ||
	    (error == EFBIG && !sigismember(&before, SIGXFSZ)))
		syscall(SYS_rt_sigtimedwait, &raised, NULL, &now, 8);
	if (error && error != EPIPE)
		output_say_failed(output, error);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (opened)
		close(fd);
	errno = kept;
}
