/* SPDX-License-Identifier: MIT */
/*
 * libc_calls.c: system calls under the C library's names, for libtracelayer.so alone. See libc.h.
 *
 * They do what the C library's functions do. They set the program's errno, whose distance from the
 * thread pointer is found once (errno_from_pointer).
 *
 * Time comes from the vdso, which the kernel maps into each process. When libtracelayer.so is
 * loaded, it finds the vdso's function by the vdso's own symbols. Without a vdso it makes a system
 * call.
 */
#include "layer/base/libc/own_libc.h"

#ifdef TL_OWN_LIBC

#undef _FORTIFY_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "layer/base/libc/elf_image.h"
#include "layer/base/libc/kernel.h"

#define KERNEL_SIGSET 8
/* 32 and 33: the C library's own, which are never blocked */
#define RESERVED_SIGNALS ((UINT64_C(1) << 31) | (UINT64_C(1) << 32))

/* What every start touches lies together: layer/base/start_page.h. */
#define TL_START __attribute__((section("tl_start")))

/* --- errno */

/* The C library's function, by its version: the plain name is the one below. */
int *tl_errno_of_libc(void);
__asm__(".symver tl_errno_of_libc, __errno_location@" TL_ERRNO_VERSION);

/* The same in all threads, since the C library is there from the start. 0: not known yet. */
static _Atomic ptrdiff_t errno_from_pointer TL_START;

int *__errno_location(void)
{
	ptrdiff_t distance = atomic_load_explicit(&errno_from_pointer, memory_order_relaxed);

	if (__builtin_expect(!distance, 0)) {
		distance = (char *)tl_errno_of_libc() - tl_thread_pointer();
		atomic_store_explicit(&errno_from_pointer, distance, memory_order_relaxed);
	}
	return (int *)(void *)(tl_thread_pointer() + distance);
}

static long kernel_answer(long answer)
{
	if (__builtin_expect((unsigned long)answer < -4095ul, 1))
		return answer;
	errno = (int)-answer;
	return -1;
}

#define CALL(...) kernel_answer(TL_KERNEL(__VA_ARGS__))

/*
 * libtracelayer.so exports functions for the program under these two names
 * (layer/process/confine.c). So the linker's --wrap leads its own calls here. The C library's
 * functions are variadic; their arguments come in the same registers as these.
 */
long tl_own_syscall(long number, long a, long b, long c, long d, long e,
		    long f) __asm__("__wrap_syscall");
long tl_own_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	return kernel_answer(tl_kernel(number, a, b, c, d, e, f));
}

/* --- time */

typedef long get_time(clockid_t clock, struct timespec *time);
static _Atomic(get_time *) vdso_time TL_START;

static __attribute__((constructor)) void vdso_find(void)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);
	struct tl_elf vdso;

	/* Finds errno's place, which is known from here on. */
	(void)*(volatile int *)__errno_location();
	if (!header)
		return;
	tl_elf_read_image(&vdso, header);
	const ElfW(Sym) *symbol = tl_elf_lookup(&vdso, TL_VDSO_CLOCK_GETTIME,
						tl_elf_hash(TL_VDSO_CLOCK_GETTIME), NULL);
	if (symbol)
		atomic_store_explicit(&vdso_time, (get_time *)tl_elf_address(&vdso, symbol),
				      memory_order_relaxed);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	get_time *get = atomic_load_explicit(&vdso_time, memory_order_relaxed);

	return (int)kernel_answer(get ? get(clock, time)
				      : TL_KERNEL(SYS_clock_gettime, clock, time));
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	return (int)CALL(SYS_nanosleep, time, left);
}

/* --- files */

/* Only a call that may create a file has a mode. */
static int open_mode(int flags, va_list list)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, int) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list list;

	va_start(list, flags);
	int mode = open_mode(flags, list);
	va_end(list);
	return (int)CALL(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	va_list list;

	va_start(list, flags);
	int mode = open_mode(flags, list);
	va_end(list);
	return (int)CALL(SYS_openat, folder, path, flags, mode);
}

int close(int fd)
{
	return (int)CALL(SYS_close, fd);
}

ssize_t read(int fd, void *to, size_t size)
{
	return CALL(SYS_read, fd, to, size);
}

ssize_t write(int fd, const void *from, size_t size)
{
	return CALL(SYS_write, fd, from, size);
}

ssize_t pread(int fd, void *to, size_t size, off_t at)
{
	return CALL(SYS_pread64, fd, to, size, at);
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t at)
{
	return CALL(SYS_pwrite64, fd, from, size, at);
}

off_t lseek(int fd, off_t at, int from)
{
	return CALL(SYS_lseek, fd, at, from);
}

ssize_t readlink(const char *restrict path, char *restrict to, size_t room)
{
	return CALL(SYS_readlinkat, AT_FDCWD, path, to, room);
}

int access(const char *path, int mode)
{
	return (int)CALL(SYS_faccessat, AT_FDCWD, path, mode);
}

/* By the effective user where the kernel can (Linux 5.8), else by the real one. */
int faccessat(int folder, const char *path, int mode, int flags)
{
	long answer = flags ? TL_KERNEL(SYS_faccessat2, folder, path, mode, flags) : -ENOSYS;

	return (int)kernel_answer(answer == -ENOSYS ? TL_KERNEL(SYS_faccessat, folder, path, mode)
						    : answer);
}

int unlink(const char *path)
{
	return (int)CALL(SYS_unlinkat, AT_FDCWD, path, 0);
}

int ftruncate(int fd, off_t size)
{
	return (int)CALL(SYS_ftruncate, fd, size);
}

int fallocate(int fd, int mode, off_t at, off_t size)
{
	return (int)CALL(SYS_fallocate, fd, mode, at, size);
}

int memfd_create(const char *name, unsigned flags)
{
	return (int)CALL(SYS_memfd_create, name, flags);
}

int pipe2(int ends[2], int flags)
{
	return (int)CALL(SYS_pipe2, ends, flags);
}

/* On both machines the kernel's struct is the C library's. */
int fstatat(int folder, const char *restrict path, struct stat *restrict file, int flags)
{
	return (int)CALL(SYS_newfstatat, folder, path, file, flags);
}

int stat(const char *restrict path, struct stat *restrict file)
{
	return fstatat(AT_FDCWD, path, file, 0);
}

int lstat(const char *restrict path, struct stat *restrict file)
{
	return fstatat(AT_FDCWD, path, file, AT_SYMLINK_NOFOLLOW);
}

/*
 * By the system call that glibc makes for fstat, since seccomp filters of programs expect that one.
 */
int fstat(int fd, struct stat *file)
{
	return fstatat(fd, "", file, AT_EMPTY_PATH);
}

int statfs(const char *path, struct statfs *system)
{
	return (int)CALL(SYS_statfs, path, system);
}

int fstatfs(int fd, struct statfs *system)
{
	return (int)CALL(SYS_fstatfs, fd, system);
}

int fstatvfs(int fd, struct statvfs *system)
{
	struct statfs found;

	if (fstatfs(fd, &found))
		return -1;
	*system = (struct statvfs){
		.f_bsize = (unsigned long)found.f_bsize,
		.f_frsize = (unsigned long)(found.f_frsize ? found.f_frsize : found.f_bsize),
		.f_blocks = found.f_blocks,
		.f_bfree = found.f_bfree,
		.f_bavail = found.f_bavail,
		.f_files = found.f_files,
		.f_ffree = found.f_ffree,
		.f_favail = found.f_ffree,
		.f_flag = (unsigned long)found.f_flags,
		.f_namemax = (unsigned long)found.f_namelen,
	};
	memcpy(&system->f_fsid, &found.f_fsid, sizeof(system->f_fsid));
	return 0;
}

/* --- memory */

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return (void *)CALL(SYS_mmap, at, size, protection, flags, fd, offset);
}

int munmap(void *at, size_t size)
{
	return (int)CALL(SYS_munmap, at, size);
}

int mprotect(void *at, size_t size, int protection)
{
	return (int)CALL(SYS_mprotect, at, size, protection);
}

int madvise(void *at, size_t size, int advice)
{
	return (int)CALL(SYS_madvise, at, size, advice);
}

ssize_t process_vm_readv(pid_t process, const struct iovec *here, unsigned long nhere,
			 const struct iovec *there, unsigned long nthere, unsigned long flags)
{
	return CALL(SYS_process_vm_readv, process, here, nhere, there, nthere, flags);
}

/* --- processes and threads */

pid_t getpid(void)
{
	return (pid_t)TL_KERNEL(SYS_getpid);
}

uid_t getuid(void)
{
	return (uid_t)TL_KERNEL(SYS_getuid);
}

uid_t geteuid(void)
{
	return (uid_t)TL_KERNEL(SYS_geteuid);
}

int getrlimit(__rlimit_resource_t which, struct rlimit *limit)
{
	return (int)CALL(SYS_prlimit64, 0, which, NULL, limit);
}

/* By --wrap, as for syscall above. */
int tl_own_prctl(int option, long a, long b, long c, long d) __asm__("__wrap_prctl");
int tl_own_prctl(int option, long a, long b, long c, long d)
{
	return (int)CALL(SYS_prctl, option, a, b, c, d);
}

int sched_yield(void)
{
	return (int)CALL(SYS_sched_yield);
}

/* --- signals */

/*
 * Clears the part of the C library's signal set that the kernel's does not have. A signal has the
 * same bit in both.
 */
static void sigset_clear_tail(sigset_t *set)
{
	memset((char *)set + KERNEL_SIGSET, 0, sizeof(*set) - KERNEL_SIGSET);
}

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict before)
{
	uint64_t mask;

	if (set) {
		memcpy(&mask, set, sizeof(mask));
		if (how != SIG_UNBLOCK)
			mask &= ~RESERVED_SIGNALS;
	}
	long error = TL_KERNEL(SYS_rt_sigprocmask, how, set ? &mask : NULL, before, KERNEL_SIGSET);
	if (!error && before)
		sigset_clear_tail(before);
	return (int)-error;
}

int sigpending(sigset_t *set)
{
	sigset_clear_tail(set);
	return (int)CALL(SYS_rt_sigpending, set, KERNEL_SIGSET);
}

int sigaltstack(const stack_t *restrict stack, stack_t *restrict before)
{
	return (int)CALL(SYS_sigaltstack, stack, before);
}

int sigemptyset(sigset_t *set)
{
	memset(set, 0, sizeof(*set));
	return 0;
}

/* All but the C library's own signals. */
int sigfillset(sigset_t *set)
{
	const uint64_t all = ~RESERVED_SIGNALS;

	memset(set, 0xff, sizeof(*set));
	memcpy(set, &all, sizeof(all));
	return 0;
}

static uint64_t signal_bit(int number)
{
	return UINT64_C(1) << (number - 1);
}

int sigaddset(sigset_t *set, int number)
{
	uint64_t mask;

	memcpy(&mask, set, sizeof(mask));
	mask |= signal_bit(number);
	memcpy(set, &mask, sizeof(mask));
	return 0;
}

int sigismember(const sigset_t *set, int number)
{
	uint64_t mask;

	memcpy(&mask, set, sizeof(mask));
	return (mask & signal_bit(number)) != 0;
}

#else

/* The linker's --wrap leads here, too: call the function that the program would call. */
long tl_real_syscall(long number, long a, long b, long c, long d, long e,
		     long f) __asm__("__real_syscall");
long tl_own_syscall(long number, long a, long b, long c, long d, long e,
		    long f) __asm__("__wrap_syscall");
long tl_own_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	return tl_real_syscall(number, a, b, c, d, e, f);
}

int tl_real_prctl(int option, long a, long b, long c, long d) __asm__("__real_prctl");
int tl_own_prctl(int option, long a, long b, long c, long d) __asm__("__wrap_prctl");
int tl_own_prctl(int option, long a, long b, long c, long d)
{
	return tl_real_prctl(option, a, b, c, d);
}

#endif
