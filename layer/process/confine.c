/* SPDX-License-Identifier: MIT */
/*
 * confine.c: programs that confine themselves by seccomp or Landlock.
 *
 * A seccomp filter that kills for unknown system calls would kill the program for calls that the
 * layer makes in its threads. So prctl and syscall are exported in the C library's place, and the
 * layer runs each filter on the system calls listed below before the kernel gets the filter. If the
 * filter would answer one of them with a signal, or let one fail without which events would be lost
 * uncounted, then recording ends: everything is written, and from then on the layer makes no system
 * call in the program's threads. API calls go straight to the driver. What the program starts then
 * has the filter from its start on, and so gets no layer (exec_image.c). Any other filter changes
 * nothing.
 *
 * Landlock takes rights to files from a thread and from those that it starts later. So the layer
 * makes the buffers and starts the writer's thread before the kernel gets the rules: that thread
 * keeps its rights, and writes the trace to the end. It opens no file but the trace, what tells of
 * the process in /proc, and its cgroups' limits.
 *
 * The layer does not see a filter or rules that were inherited, or that the program installs by a
 * system call instruction of its own (README, Limits).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "format/args/args.h"
#include "layer/resolve/dlsym.h"
#include "layer/process/seccomp_filter.h"
#include "layer/base/libc/kernel.h"
#include "layer/base/message.h"
#include "layer/base/run_report.h"
#include "layer/base/start_page.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/process_state.h"
#include "layer/process/process_exit.h"
#include "layer/write/writer.h"

#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif

#define OWN_MEMORY (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
#define READ_WRITE (PROT_READ | PROT_WRITE)
#define THREAD_FLAGS                                                                               \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |        \
	 CLONE_SETTLS | CLONE_PARENT_SETTID)

/*
 * System calls that recording makes in the program's threads, from the first call to the end, with
 * the arguments that filters look at. Those are left out that it makes only on a request from
 * outside. tests/process/confine.sh forbids them one by one.
 */
static const struct need {
	long number;
	uint64_t arguments[6];
	bool always; /* it may not fail either: events would be lost uncounted */
} needs[] = {
	{SYS_rt_sigprocmask, {SIG_SETMASK, 0, 0, 8}, true},
	{SYS_rt_sigpending, {0, 8}, false},
	{SYS_rt_sigtimedwait, {0, 0, 0, 8}, false},
	{SYS_sigaltstack, {0}, false},
	{SYS_getpid, {0}, true},
	{SYS_gettid, {0}, true},
	{SYS_getuid, {0}, false},
	{SYS_tgkill, {1, 1, 0}, false},
	{SYS_futex, {0, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1}, true},
	{SYS_futex, {0, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0}, true},
	{SYS_futex, {0, FUTEX_WAKE, 1}, true},
	{SYS_mmap, {0, 4096, READ_WRITE, OWN_MEMORY, UINT64_MAX, 0}, true},
	{SYS_mmap, {0, 4096, READ_WRITE, MAP_SHARED | MAP_NORESERVE, 3, 0}, true},
	{SYS_mmap, {4096, 4096, READ_WRITE, OWN_MEMORY | MAP_FIXED, UINT64_MAX, 0}, true},
	{SYS_munmap, {0, 4096}, true},
	{SYS_mprotect, {0, 4096, READ_WRITE}, false},
	{SYS_madvise, {0, 4096, MADV_POPULATE_WRITE}, true},
	{SYS_madvise, {0, 4096, MADV_WIPEONFORK}, false},
	{SYS_clock_gettime, {CLOCK_MONOTONIC}, false},
	{SYS_clock_gettime, {CLOCK_REALTIME}, false},
	{SYS_adjtimex, {0}, false},
	{SYS_nanosleep, {0}, false},
	{SYS_sched_yield, {0}, false},
	{SYS_sched_getscheduler, {0}, false},
	{SYS_sched_getaffinity, {0}, false},
	{SYS_sched_setaffinity, {0}, false},
	{SYS_membarrier, {0}, false},
	{SYS_prctl, {PR_GET_NAME}, false},
	{SYS_prctl, {PR_SET_NAME}, false},
	{SYS_clone, {THREAD_FLAGS}, false},
	{SYS_exit, {0}, false},
	{SYS_close_range, {0, UINT32_MAX, CLOSE_RANGE_UNSHARE}, false},
	{SYS_openat, {(uint64_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC}, false},
	{SYS_openat,
	 {3, 0, O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC, 0600},
	 false},
	{SYS_openat,
	 {(uint64_t)AT_FDCWD, 0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600},
	 false},
	{SYS_close, {3}, false},
	{SYS_read, {3}, false},
	{SYS_write, {2}, false},
	{SYS_pwritev, {3}, false},
	{SYS_ppoll, {0}, false},
	{SYS_lseek, {3}, false},
	{SYS_ftruncate, {3}, false},
	{SYS_newfstatat, {3}, false},
	{SYS_fstatfs, {3}, false},
	{SYS_faccessat, {(uint64_t)AT_FDCWD}, false},
	{SYS_readlinkat, {(uint64_t)AT_FDCWD}, false},
	{SYS_symlinkat, {0, (uint64_t)AT_FDCWD}, false},
	{SYS_unlinkat, {(uint64_t)AT_FDCWD}, false},
	{SYS_uname, {0}, false},
	{SYS_process_vm_readv, {1}, false},
	{SYS_prlimit64, {0}, false},
#ifdef SYS_unlink
	{SYS_unlink, {0}, false},
	{SYS_access, {0}, false},
#endif
};

/*
 * The functions that the program would call without the layer. Until they are known the system call
 * is made directly.
 */
typedef long syscall_function(long number, long a, long b, long c, long d, long e, long f);
typedef int prctl_function(int option, unsigned long a, unsigned long b, unsigned long c,
			   unsigned long d);
static _Atomic(syscall_function *) real_syscall TL_START;
static _Atomic(prctl_function *) real_prctl TL_START;

TL_EXPORT int tl_confine_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
			       unsigned long d) __asm__("prctl");
TL_EXPORT long tl_confine_syscall(long number, long a, long b, long c, long d, long e,
				  long f) __asm__("syscall");

/* Relaxed: the functions' code was loaded before this library. */
static __attribute__((constructor)) void real_find(void)
{
	atomic_store_explicit(&real_prctl, (prctl_function *)tl_dlsym_next("prctl"),
			      memory_order_relaxed);
	atomic_store_explicit(&real_syscall, (syscall_function *)tl_dlsym_next("syscall"),
			      memory_order_relaxed);
}

static __attribute__((noinline)) long ask_kernel(long number, long a, long b, long c, long d,
						 long e, long f)
{
	long result = tl_kernel(number, a, b, c, d, e, f);

	if ((unsigned long)result > -4096ul) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

static bool filter_stops_recording(const struct sock_fprog *filter)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		enum tl_filter_answer answer =
			tl_filter_answer(filter, needs[i].number, needs[i].arguments);
		if (answer == TL_FILTER_KILLS || (answer == TL_FILTER_FAILS && needs[i].always))
			return true;
	}
	return false;
}

/* Whether the layer's own reads would go well. A page is readable, or it is not. */
static bool memory_is_readable(const void *from, size_t size)
{
	const uintptr_t page = 4096;
	uintptr_t at = (uintptr_t)from, end = at + size;
	char byte;

	while (at < end && tl_checked_copy(&byte, (const void *)at, 1) == 1)
		at = (at / page + 1) * page;
	return at >= end;
}

/*
 * The kernel refuses a filter that it can't read. An earlier filter may forbid the calls by which the
 * layer finds that out: then it counts as readable.
 */
static bool filter_is_readable(const struct sock_fprog *filter)
{
	static const char known = 1;

	return (memory_is_readable(filter, sizeof(*filter)) &&
		memory_is_readable(filter->filter, filter->len * sizeof(*filter->filter))) ||
	       !memory_is_readable(&known, sizeof(known));
}

/*
 * The kernel refuses a filter with unknown flags, and one of an unprivileged process that could
 * still get privileges by exec.
 */
static bool filter_will_be_taken(unsigned long flags)
{
	return flags < 64 &&
	       (!geteuid() || ask_kernel(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0, 0) == 1);
}

/* seccomp's mode is about to be set. A NULL filter: the program only asks if filters exist. */
static void seccomp_before_mode(unsigned long mode, unsigned long flags,
				const struct sock_fprog *filter)
{
	int error = errno;

	if (tl_process_is_confined() || !tl_process_is_started())
		return;
	if (mode == SECCOMP_MODE_STRICT ||
	    (mode == SECCOMP_MODE_FILTER && filter && filter_will_be_taken(flags) &&
	     filter_is_readable(filter) && filter->filter && filter_stops_recording(filter)))
		tl_process_confine();
	errno = error;
}

/*
 * Files may be out of this thread's reach from here on. Without `run` nobody but this process deletes
 * the buffers' file, so it goes now. Only before the first rules: in a child that is forked behind
 * them there would be no file to make. Relaxed: nothing else is read by it.
 */
static void landlock_before_rules(void)
{
	static _Atomic bool has_rules;
	struct tl_signals signals;
	int error = errno;

	if (tl_process_is_confined() || !tl_process_is_started() || !tl_process_is_recording() ||
	    atomic_exchange_explicit(&has_rules, true, memory_order_relaxed))
		return;
	if (tl_process_begin() && tl_process_is_owner()) {
		tl_signals_hold(&signals);
		bool began = tl_arena_begin();
		if (began)
			tl_arena_ask_cgroups();
		if (began && !tl_report_is_asked())
			tl_arena_delete();
		tl_signals_back(&signals);
		if (began)
			tl_writer_wake();
	}
	errno = error;
}

static void before_syscall(long number, long a, long b, long c)
{
	if (number == SYS_landlock_restrict_self)
		landlock_before_rules();
	/* The kernel refuses flags and arguments: so libseccomp asks whether it knows this call. */
	else if (number == SYS_seccomp && a == SECCOMP_SET_MODE_STRICT && !b && !c)
		seccomp_before_mode(SECCOMP_MODE_STRICT, 0, NULL);
	else if (number == SYS_seccomp && a == SECCOMP_SET_MODE_FILTER)
		seccomp_before_mode(SECCOMP_MODE_FILTER, (unsigned long)b,
				    (const struct sock_fprog *)c);
	else if (number == SYS_prctl && a == PR_SET_SECCOMP)
		seccomp_before_mode((unsigned long)b, 0, (const struct sock_fprog *)c);
}

int tl_confine_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	prctl_function *function = atomic_load_explicit(&real_prctl, memory_order_relaxed);

	if (option == PR_SET_SECCOMP)
		seccomp_before_mode(a, 0, (const struct sock_fprog *)b);
	return function ? function(option, a, b, c, d)
			: (int)ask_kernel(SYS_prctl, option, (long)a, (long)b, (long)c, (long)d, 0);
}

static __attribute__((noinline, cold)) long confine_syscall(long number, long a, long b, long c,
							    long d, long e, long f)
{
	syscall_function *function = atomic_load_explicit(&real_syscall, memory_order_relaxed);

	before_syscall(number, a, b, c);
	return function ? function(number, a, b, c, d, e, f) : ask_kernel(number, a, b, c, d, e, f);
}

/*
 * This must end with a jump to the real function: some programs call clone by it, which returns on
 * another stack.
 */
long tl_confine_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	syscall_function *function = atomic_load_explicit(&real_syscall, memory_order_relaxed);

	if (__builtin_expect(number == SYS_seccomp || number == SYS_prctl ||
				     number == SYS_landlock_restrict_self,
			     0))
		return confine_syscall(number, a, b, c, d, e, f);
	return (function ? function : ask_kernel)(number, a, b, c, d, e, f);
}
