/* SPDX-License-Identifier: MIT */
/*
 * raw_thread.c: see raw_thread.h.
 *
 * Why it is no pthread:
 * (1) When the last of a program's threads ends by pthread_exit, the C library runs exit() in the
 *     last thread that it knows. It would run the program's exit handlers in ours or, as ours does
 *     not end, never. (Tried: in a pthread with a file table of its own the handler's write to
 *     standard output fails with EBADF.)
 * (2) A pthread answers the C library's internal signals, so it cannot block all signals.
 * (3) Programs ask the C library whether they have one thread. Libraries that replace
 *     pthread_create (sanitizers, allocators, UCX) run their own code in each thread.
 *
 * So the thread needs nothing of the C library. The kernel's own call makes it, and all that it
 * reaches makes system calls (layer/base/libc/libc.h). Two things that a C library does for its
 * threads are done by name: the thread gives up rights when the process does
 * (layer/process/setid.c), and it ends where a process must have one thread
 * (layer/process/process_end.c).
 *
 * One mapping holds the stack and what the thread pointer points to. The layouts are those of the
 * ELF TLS specification, variants II and I: on x86-64 variables lie below the thread pointer, which
 * points to itself; on aarch64 they lie above a header of two words. The thread reaches two kinds
 * of thread-local variables: this library's own, and errno. Their distance from the thread pointer
 * depends on all libraries that were loaded with the program. It is the same in the thread that
 * makes this one.
 */
#include "layer/base/raw_thread.h"

#include <errno.h>
#include <pthread.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "layer/base/libc/kernel.h"

#define STACK (256u * 1024)
/* the library's other variables lie within this distance of any one */
#define AROUND		(64u * 1024)
#define GUARD		(64u * 1024) /* the largest page of a kernel: mprotect rounds up to a whole one */
#define DESCRIPTORS_MAX (1u << 20)
#define ROUND_UP(size)	(((size) + 4095) & ~(size_t)4095)

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#endif

#ifdef UNDER_TSAN
/* ThreadSanitizer knows only the threads that it sees made. */
struct start {
	int (*run)(void *);
	struct tl_raw_thread *thread;
	_Atomic int told;
};

static void *thread_run_known(void *argument)
{
	struct start *start = argument;
	int (*run)(void *) = start->run;

	start->thread->tid = (int)syscall(SYS_gettid);
	atomic_store_explicit(&start->told, 1, memory_order_release);
	run(NULL);
	return NULL;
}

bool tl_raw_thread_start(int (*run)(void *), struct tl_raw_thread *thread)
{
	struct tl_raw_thread nobody;
	struct start start = {.run = run, .thread = thread ? thread : &nobody};
	sigset_t all, before;
	pthread_t known;

	start.thread->memory = NULL;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&known, NULL, thread_run_known, &start);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return false;
	pthread_detach(known);
	/*
	 * Acquire: pairs with the release above. Until then the thread reads what lies on this
	 * stack.
	 */
	while (!atomic_load_explicit(&start.told, memory_order_acquire))
		sched_yield();
	return true;
}
#else
#if defined(__x86_64__)
static void fill_thread_pointer(char *pointer)
{
	uint64_t guards[2], itself = (uintptr_t)pointer;

	/* tcbhead_t: tcb, dtv, self at 0x10; the stack protector's word at 0x28, the C library's
	 * pointer guard at 0x30. */
	__asm__("mov %%fs:0x28, %0" : "=r"(guards[0]));
	__asm__("mov %%fs:0x30, %0" : "=r"(guards[1]));
	memcpy(pointer, &itself, sizeof(itself));
	memcpy(pointer + 0x10, &itself, sizeof(itself));
	memcpy(pointer + 0x28, guards, sizeof(guards));
}
#else
static void fill_thread_pointer(char *pointer)
{
	(void)pointer;
}
#endif

/* Any variable of this library. */
static __thread char variable __attribute__((tls_model("initial-exec")));

static size_t variable_distance(const void *address)
{
	ptrdiff_t distance = (const char *)address - tl_thread_pointer();

	return (size_t)(distance < 0 ? -distance : distance);
}

/* The largest distance from the thread pointer of a variable that the thread may reach. */
static size_t variables_reach(void)
{
	size_t own = variable_distance(&variable), libc = variable_distance(&errno);

	return ROUND_UP((own > libc ? own : libc) + AROUND);
}

bool tl_raw_thread_start(int (*run)(void *), struct tl_raw_thread *thread)
{
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
				    CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
				    CLONE_PARENT_SETTID;
	struct tl_raw_thread nobody;
	uint64_t all = ~0ull, before;
	size_t variables = variables_reach();

	if (!thread)
		thread = &nobody;
	thread->size = GUARD + STACK + 2 * variables;
	char *memory = mmap(NULL, thread->size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	thread->memory = memory;
	mprotect(memory, GUARD, PROT_NONE);
	char *stack = memory + GUARD + STACK;
	char *pointer = stack + variables;
	fill_thread_pointer(pointer);
	/*
	 * By the kernel's own call, so that the C library's internal signals are blocked too. The
	 * new thread inherits the mask.
	 */
	TL_KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
	long tid = tl_kernel_clone(flags, stack, &thread->tid, pointer, run);
	TL_KERNEL(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
	if (tid < 0)
		munmap(memory, thread->size);
	return tid >= 0;
}
#endif

/*
 * The kernel knows a thread's number until the thread has left the process. From then on the
 * process has a single thread again.
 */
bool tl_raw_thread_join(struct tl_raw_thread *thread, int ms)
{
	const struct timespec nap = {.tv_nsec = 100000};

	for (int naps = 0; !syscall(SYS_tgkill, syscall(SYS_getpid), thread->tid, 0); naps++) {
		if (naps >= ms * 10)
			return false;
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, NULL);
	}
	if (thread->memory)
		munmap(thread->memory, thread->size);
	return true;
}

bool tl_raw_thread_lend(const struct tl_raw_thread *thread)
{
	struct sched_param own;
	long policy = syscall(SYS_sched_getscheduler, 0);

	return (policy == SCHED_FIFO || policy == SCHED_RR) &&
	       !syscall(SYS_sched_getparam, 0, &own) &&
	       !syscall(SYS_sched_setscheduler, thread->tid, policy, &own);
}

void tl_raw_thread_give_back(void)
{
	const struct sched_param none = {0};
	long policy = syscall(SYS_sched_getscheduler, 0);

	if (policy == SCHED_FIFO || policy == SCHED_RR)
		syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &none);
}

/*
 * The thread was made by whichever thread filled a chunk first: maybe one of high priority, or
 * bound to a processor.
 */
static void thread_be_ordinary(void)
{
	unsigned long processors[1024 / (8 * sizeof(long))];

	tl_raw_thread_give_back();
	long size = syscall(SYS_sched_getaffinity, getpid(), sizeof(processors), processors);
	if (size > 0)
		syscall(SYS_sched_setaffinity, 0, size, processors);
}

bool tl_raw_thread_separate(void)
{
	syscall(SYS_prctl, PR_SET_NAME, "tracelayer", 0, 0, 0);
	thread_be_ordinary();
	/* Takes a table of its own without ever holding the program's descriptors in it. */
	if (!syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE))
		return true;
	/* Before Linux 5.9: the thread holds the descriptors until they are closed. */
	if (syscall(SYS_unshare, CLONE_FILES))
		return false;
	for (unsigned fd = 0; fd < DESCRIPTORS_MAX; fd++)
		syscall(SYS_close, fd);
	return true;
}
