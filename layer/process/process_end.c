/* SPDX-License-Identifier: MIT */
/*
 * process_end.c: the ways out of a process that run no exit handlers, and those that lead into
 * another program.
 *
 * _exit, _Exit, quick_exit and the exec family are exported in the C library's place. Each writes
 * what was recorded and the file's end, and then calls the function that the program would have
 * called without the layer. They may be called from signal handlers and in children of vfork. So
 * everything before that call is async-signal-safe, and nothing is done in a child that shares its
 * parent's memory. If an exec fails, recording goes on: later events overwrite the file's end.
 *
 * The children of posix_spawn, system and popen exec inside the C library and never come here. They
 * need not: they share the parent's memory, and have recorded nothing.
 *
 * Each function that starts another program looks at it first (exec_image.h). It tells
 * `tracelayer run` of a program that the layer won't be in, and takes the layer out of the
 * environment of a program that could not start with it.
 *
 * _exit also calls the tools' end functions and asks drivers for their devices' last results, where
 * that is safe. The code of tools and drivers allocates, prints and locks. So it must not run in a
 * signal handler, which may have interrupted the allocator: tl_signal_handler_runs returns false
 * only if it is certain. And a process may end because it hangs, and must not hang again in that
 * code: a thread that the C library does not know (tools_watch) ends the process when it takes too
 * long. An exec does none of this, since it may fail, and the program go on.
 *
 * unshare and setns make some changes only in a process that has one thread. The layer's own
 * threads end before such a call, and start again behind it.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/program_file.h"
#include "common/text.h"
#include "layer/resolve/dlsym.h"
#include "layer/base/signal_handler.h"
#include "layer/process/exec_image.h"
#include "layer/base/bounded_lock.h"
#include "layer/base/futex.h"
#include "layer/base/run_report.h"
#include "layer/buffers/process_state.h"
#include "layer/process/process_exit.h"
#include "layer/base/raw_thread.h"
#include "layer/base/start_page.h"
#include "layer/process/process_parts.h"
#include "layer/process/tool_libraries.h"
#include "layer/buffers/buffer.h"

#define PATIENCE_MS 5000 /* that tools and drivers have to report */

/*
 * The functions that the program would call without the layer. The constructor finds them, because
 * at a call it may be too late to ask the dynamic linker.
 */
static struct {
	void (*_exit)(int status);
	void (*_Exit)(int status);
	void (*quick_exit)(int status);
	int (*execve)(const char *path, char *const argv[], char *const envp[]);
	int (*execv)(const char *path, char *const argv[]);
	int (*execvp)(const char *file, char *const argv[]);
	int (*execvpe)(const char *file, char *const argv[], char *const envp[]);
	int (*fexecve)(int fd, char *const argv[], char *const envp[]);
	int (*execveat)(int folder, const char *path, char *const argv[], char *const envp[],
			int flags);
	__typeof__(posix_spawn) *posix_spawn;
	__typeof__(posix_spawnp) *posix_spawnp;
	int (*unshare)(int flags);
	int (*setns)(int fd, int type);
	_Atomic bool found;
} real TL_START;

#define FIND(name) real.name = (__typeof__(real.name))tl_dlsym_next(#name)
static __attribute__((constructor)) void real_find(void)
{
	FIND(_exit);
	FIND(_Exit);
	FIND(quick_exit);
	FIND(execve);
	FIND(execv);
	FIND(execvp);
	FIND(execvpe);
	FIND(fexecve);
	FIND(execveat);
	FIND(posix_spawn);
	FIND(posix_spawnp);
	FIND(unshare);
	FIND(setns);
	/* Release: pairs with the acquire in REAL. */
	atomic_store_explicit(&real.found, true, memory_order_release);
}

/*
 * The constructor of another library may call before this library's has run: then the call finds
 * them. ENOSYS: the C library has no such function.
 */
#define REAL_OR(name, failure)                                                                     \
	({                                                                                         \
		if (!atomic_load_explicit(&real.found, memory_order_acquire))                      \
			real_find();                                                               \
		if (!real.name) {                                                                  \
			errno = ENOSYS;                                                            \
			return failure;                                                            \
		}                                                                                  \
		real.name;                                                                         \
	})
#define REAL(name) REAL_OR(name, -1)

/* --- tools and drivers */

static struct {
	_Atomic uint32_t over; /* futex: tools and drivers are done */
	int status;	       /* the process's exit code, if they never are */
} watched;

static int tools_watch(void *unused)
{
	(void)unused;
	tl_futex_wait(&watched.over, 0, PATIENCE_MS);
	if (!atomic_load_explicit(&watched.over, memory_order_relaxed))
		syscall(SYS_exit_group, watched.status);
	return 0;
}

/* Also not from inside a tool, which may hold locks of its own. */
static void tools_end(int status)
{
	int cancel;

	if (!tl_parts_await_end() || (tl_self && tl_self->busy) || tl_signal_handler_runs())
		return;
	watched.status = status;
	atomic_store_explicit(&watched.over, 0, memory_order_relaxed);
	if (!tl_raw_thread_start(tools_watch, NULL))
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	tl_parts_end(true);
	pthread_setcancelstate(cancel, NULL);
	atomic_store_explicit(&watched.over, 1, memory_order_relaxed);
	tl_futex_wake(&watched.over);
}

/* --- the end of the process */

/* Write everything before the code of tools and drivers runs, which may crash or hang. */
static void end_write(int status)
{
	if (!tl_process_is_confined())
		tl_tools_report_end();
	if (!tl_process_is_confined() && tl_parts_await_end() && tl_process_flush())
		tools_end(status);
	tl_process_end();
}

static __attribute__((noreturn)) void process_leave(void (*function)(int), int status)
{
	if (function)
		function(status);
	for (;;)
		syscall(SYS_exit_group, status);
}

TL_EXPORT void _exit(int status)
{
	end_write(status);
	process_leave(real._exit, status);
}

TL_EXPORT void _Exit(int status)
{
	end_write(status);
	process_leave(real._Exit, status);
}

static _Atomic bool quitting; /* by quick_exit, with the status below */
static int quick_status;

TL_EXPORT void quick_exit(int status)
{
	quick_status = status;
	/* Release: pairs with the acquire in at_quick_exit_last. */
	atomic_store_explicit(&quitting, true, memory_order_release);
	process_leave(real.quick_exit, status);
}

/*
 * The C library's quick_exit ends the process by an internal call, not by _exit. This handler is
 * registered before the program's, so it runs after them.
 */
static void at_quick_exit_last(void)
{
	if (atomic_load_explicit(&quitting, memory_order_acquire))
		end_write(quick_status);
	else
		tl_process_end();
}

static __attribute__((constructor)) void register_last(void)
{
	at_quick_exit(at_quick_exit_last);
}

/* --- other programs */

/*
 * The next program does not know the buffers, so they are deleted, unless `tracelayer run` looks
 * for them at the end. If the exec then failed, the process would have no buffers, and lose what it
 * records from then on if it crashes. So an exec that is certain to fail keeps them.
 */
static void before_exec(const char *path)
{
	if (tl_process_is_confined() || !tl_process_is_owner())
		return;
	int error = errno;
	bool certain = !path || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;

	tl_tools_report_end();
	if (tl_process_close(certain) && certain && !tl_report_is_asked())
		tl_process_release();
	errno = error;
}

/* The exec failed, and the process goes on. */
static int after_exec(int result)
{
	int error = errno;

	if (!tl_process_is_confined())
		tl_process_reopen();
	errno = error;
	return result;
}

#define EXEC(name, path, ...)                                                                      \
	({                                                                                         \
		__typeof__(real.name) function_ = REAL(name);                                      \
		before_exec(path);                                                                 \
		after_exec(function_(__VA_ARGS__));                                                \
	})

/* The environment for the program: the given one, or a changed copy on the caller's stack. */
#define ENVIRONMENT(path, envp)                                                                    \
	({                                                                                         \
		bool all_ = false;                                                                 \
		size_t room_ = tl_image_look(path, envp, &all_);                                   \
		room_ ? tl_image_without(envp, all_, alloca(room_), room_) : (envp);               \
	})

TL_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	char *const *environment = ENVIRONMENT(path, envp);

	return EXEC(execve, path, path, argv, environment);
}

TL_EXPORT int execv(const char *path, char *const argv[])
{
	char *const *environment = ENVIRONMENT(path, environ);

	if (environment != environ)
		return EXEC(execve, path, path, argv, environment);
	return EXEC(execv, path, path, argv);
}

TL_EXPORT int execvp(const char *file, char *const argv[])
{
	char found[TL_PROGRAM_PATH];
	char *const *environment = ENVIRONMENT(tl_image_find(file, found, sizeof(found)), environ);
	const char *path = strchr(file, '/') ? file : NULL;

	if (environment != environ)
		return EXEC(execvpe, path, file, argv, environment);
	return EXEC(execvp, path, file, argv);
}

TL_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	char found[TL_PROGRAM_PATH];
	char *const *environment = ENVIRONMENT(tl_image_find(file, found, sizeof(found)), envp);

	return EXEC(execvpe, strchr(file, '/') ? file : NULL, file, argv, environment);
}

/*
 * The path of a file that is named relative to a folder's descriptor, or (empty path) by its own
 * descriptor. NULL: too long.
 */
static const char *path_at(int folder, const char *path, char *at, size_t room)
{
	struct tl_text text = {at, at + room - 1, false};

	if (*path == '/' || (*path && folder == AT_FDCWD))
		return path;
	tl_text_string(&text, "/proc/self/fd/");
	tl_text_unsigned(&text, (uint64_t)(unsigned)folder);
	tl_text_string(&text, *path ? "/" : "");
	tl_text_string(&text, path);
	*text.at = 0;
	return text.cut ? NULL : at;
}

TL_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	char at[64];
	char *const *environment = ENVIRONMENT(path_at(fd, "", at, sizeof(at)), envp);

	return EXEC(fexecve, NULL, fd, argv, environment);
}

TL_EXPORT int execveat(int folder, const char *path, char *const argv[], char *const envp[],
		       int flags)
{
	char at[TL_PROGRAM_PATH];
	char *const *environment = ENVIRONMENT(path_at(folder, path, at, sizeof(at)), envp);

	return EXEC(execveat, NULL, folder, path, argv, environment, flags);
}

/*
 * The child shares this process's memory and execs inside the C library. So this only looks at the
 * program.
 */
TL_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *attributes, char *const argv[],
			  char *const envp[])
{
	__typeof__(real.posix_spawn) function = REAL_OR(posix_spawn, ENOSYS);
	int error = errno;
	char *const *environment = ENVIRONMENT(path, envp);

	errno = error;
	return function(pid, path, actions, attributes, argv, environment);
}

TL_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const argv[],
			   char *const envp[])
{
	__typeof__(real.posix_spawnp) function = REAL_OR(posix_spawnp, ENOSYS);
	char found[TL_PROGRAM_PATH];
	int error = errno;
	char *const *environment = ENVIRONMENT(tl_image_find(file, found, sizeof(found)), envp);

	errno = error;
	return function(pid, file, actions, attributes, argv, environment);
}

/*
 * How many arguments come before the NULL, `first` included. Takes all from the list, and the NULL.
 * -1: more than an exec takes.
 */
static long arguments_count(const char *first, va_list *list)
{
	long count = 0;

	for (const char *one = first; one; one = va_arg(*list, const char *))
		if (++count == INT_MAX)
			return -1;
	return count;
}

static void arguments_fill(char **argv, const char *first, long count, va_list *list)
{
	if (count)
		argv[0] = (char *)first;
	for (long i = 1; i <= count; i++)
		argv[i] = va_arg(*list, char *);
	argv[count] = NULL;
}

/*
 * Makes `argv` of the arguments from `first` to NULL, on the caller's stack since exec must not
 * allocate. Returns from the function if there are too many. Leaves `list` behind the NULL.
 */
#define ARGUMENTS(argv, first, list)                                                               \
	va_list list;                                                                              \
	va_start(list, first);                                                                     \
	long argv##_count = arguments_count(first, &list);                                         \
	va_end(list);                                                                              \
	if (argv##_count < 0) {                                                                    \
		errno = E2BIG;                                                                     \
		return -1;                                                                         \
	}                                                                                          \
	char **argv = alloca(((size_t)argv##_count + 1) * sizeof(*argv));                          \
	va_start(list, first);                                                                     \
	arguments_fill(argv, first, argv##_count, &list)

TL_EXPORT int execl(const char *path, const char *first, ...)
{
	ARGUMENTS(argv, first, list);
	va_end(list);
	return execv(path, argv);
}

TL_EXPORT int execlp(const char *file, const char *first, ...)
{
	ARGUMENTS(argv, first, list);
	va_end(list);
	return execvp(file, argv);
}

TL_EXPORT int execle(const char *path, const char *first, ...)
{
	ARGUMENTS(argv, first, list);
	char *const *envp = va_arg(list, char *const *);
	va_end(list);
	return execve(path, argv, envp);
}

/* --- calls for a process of one thread */

TL_EXPORT int unshare(int flags)
{
	bool alone = flags & (CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM) &&
		     tl_process_is_owner();
	int (*function)(int) = REAL(unshare);

	if (alone)
		tl_parts_suspend();
	int result = function(flags);
	if (alone)
		tl_parts_resume();
	return result;
}

/*
 * A type of 0 is any. A thread that shares its root and current folder can't change its mount
 * namespace.
 */
TL_EXPORT int setns(int fd, int type)
{
	bool alone = (!type || type & (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWTIME)) &&
		     tl_process_is_owner();
	int (*function)(int, int) = REAL(setns);

	if (alone)
		tl_parts_suspend();
	int result = function(fd, type);
	if (alone)
		tl_parts_resume();
	return result;
}
