/* SPDX-License-Identifier: MIT */
/*
 * confined.c: makes calls, confines itself by a seccomp filter or Landlock's rules, makes more, and
 * exits with 5.
 *
 *	confined HOW FILTER BEFORE AFTER
 *
 * HOW	prctl, seccomp (the system call), all (the system call, for all threads), thread (a second
 *	thread makes the calls afterwards), fork (a child makes the calls afterwards, and its exit
 *	code counts), refused (the kernel refuses the filter), landlock (no filter, but rules
 *	that forbid to open, make and remove files), rooted (prctl, with another root, and
 *	with no more bytes in files)
 * FILTER	kill: what a sandboxed helper allows itself, and a signal for all the rest; trap:
 *		the same, by SIGSYS; error: EPERM for all the rest;
 *	open: everything but ptrace; company: kill, but threads and forks are allowed; one:NUMBER:
 *	everything but that system call; strict: the kernel's own mode of four calls; probe: no
 *	filter, only the question whether there could be one; nowhere: filters that are not, or
 *	not whole, in memory
 *
 * It needs no OpenCL platform.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NUMBER	     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define ALLOW(name)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
#define HELPER                                                                                     \
	NUMBER, ALLOW(read), ALLOW(write), ALLOW(mmap), ALLOW(munmap), ALLOW(brk), ALLOW(futex),   \
		ALLOW(exit), ALLOW(exit_group), ALLOW(rt_sigreturn), ALLOW(clock_gettime)

static void calls(long count)
{
	for (long i = 0; i < count; i++) {
		cl_uint number;
		clGetPlatformIDs(0, NULL, &number);
	}
}

/* Threads and forks need more than that helper. */
#define COMPANY                                                                                    \
	ALLOW(clone), ALLOW(clone3), ALLOW(set_robust_list), ALLOW(rseq), ALLOW(wait4),            \
		ALLOW(rt_sigprocmask), ALLOW(mprotect), ALLOW(madvise)

static struct sock_fprog filter(const char *name)
{
	static struct sock_filter kill[] = {HELPER, ANSWER(SECCOMP_RET_KILL_PROCESS)};
	static struct sock_filter company[] = {HELPER, COMPANY, ANSWER(SECCOMP_RET_KILL_PROCESS)};
	static struct sock_filter trap[] = {HELPER, ANSWER(SECCOMP_RET_TRAP)};
	static struct sock_filter error[] = {HELPER, ANSWER(SECCOMP_RET_ERRNO | 1)};
	static struct sock_filter open[] = {
		NUMBER, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
		ANSWER(SECCOMP_RET_KILL_PROCESS), ANSWER(SECCOMP_RET_ALLOW)};
#define PROGRAM(what)                                                                              \
	(struct sock_fprog)                                                                        \
	{                                                                                          \
		sizeof(what) / sizeof(what[0]), what                                               \
	}
	if (!strncmp(name, "one:", 4)) {
		open[1].k = (unsigned)atoi(name + 4);
		return PROGRAM(open);
	}
	if (!strcmp(name, "kill"))
		return PROGRAM(kill);
	if (!strcmp(name, "company"))
		return PROGRAM(company);
	if (!strcmp(name, "trap"))
		return PROGRAM(trap);
	return !strcmp(name, "error") ? PROGRAM(error) : PROGRAM(open);
}

/* All rights to files that its first version knows, and none given back. */
static void confine_files(void)
{
	const struct landlock_ruleset_attr rules = {.handled_access_fs =
							    (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1};
	long number = syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (number < 0 || syscall(SYS_landlock_restrict_self, number, 0) ||
	    open("/", O_RDONLY | O_DIRECTORY) >= 0)
		_Exit(9);
}

static bool is_nowhere(const struct sock_fprog *program)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) == -1 && errno == EFAULT &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program) == -1 && errno == EFAULT;
}

static bool all_are_nowhere(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *two =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (two == MAP_FAILED || munmap(two + page, page))
		return false;
	struct sock_filter *last = (struct sock_filter *)(void *)(two + page) - 1;
	*last = (struct sock_filter)NUMBER;
	return is_nowhere((void *)8) && is_nowhere((void *)(two + page - 8)) &&
	       is_nowhere(&(struct sock_fprog){3, (void *)8}) &&
	       is_nowhere(&(struct sock_fprog){3, last});
}

static void confine(const char *how, const char *name)
{
	struct sock_fprog program = filter(name);
	bool rooted = !strcmp(how, "rooted");
	long failed;

	if (rooted && (mkdir("root", 0700) || chroot("root") || chdir("/") ||
		       setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0})))
		_Exit(9);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!strcmp(name, "probe"))
		failed = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != -1 ||
			 syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) != -1 ||
			 syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) != -1 ||
			 syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, &program) != -1;
	else if (!strcmp(name, "nowhere"))
		failed = !all_are_nowhere();
	else if (!strcmp(name, "strict"))
		failed = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	else if (!strcmp(how, "refused"))
		failed = !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1ul << 20, &program);
	else if (rooted || !strcmp(how, "prctl"))
		failed = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	else
		failed = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				 strcmp(how, "all") ? 0 : SECCOMP_FILTER_FLAG_TSYNC, &program);
	if (failed)
		_Exit(9);
}

static void *in_thread(void *count)
{
	calls(*(long *)count);
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	long after = atol(argv[4]);
	int status = 0;

	calls(atol(argv[3]));
	if (!strcmp(argv[1], "landlock"))
		confine_files();
	else
		confine(argv[1], argv[2]);
	if (!strcmp(argv[1], "thread")) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, in_thread, &after) || pthread_join(thread, NULL))
			return 3;
	} else if (!strcmp(argv[1], "fork")) {
		pid_t child = fork();
		calls(child ? 0 : after);
		if (!child)
			exit(5);
		waitpid(child, &status, 0);
		return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
	} else {
		calls(after);
	}
	/* In strict mode exit_group is not allowed. */
	if (!strcmp(argv[2], "strict"))
		syscall(SYS_exit, 5);
	return 5;
}
