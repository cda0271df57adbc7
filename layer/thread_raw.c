/*
 * thread_raw.c: see thread_raw.h.
 *
 * One mapping holds its stack and what its thread pointer points to. The layouts (x86-64: variables
 * below the thread pointer, which points to itself; aarch64: variables above a header of two words)
 * are those of the ELF TLS specification, variants II and I.
 */
#include "layer/thread_raw.h"

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

#define STACK (256u * 1024)
#define VARIABLES                                                                                  \
	(512u *                                                                                    \
	 1024) /* more than any static TLS block; never touched but where a variable is used */
#define HEADER		(64u * 1024)
#define GUARD		4096u
#define DESCRIPTORS_MAX (1u << 20)
#define SIZE		(GUARD + STACK + VARIABLES + HEADER + VARIABLES)

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN 1
#endif

#ifdef UNDER_TSAN
/* ThreadSanitizer follows threads that it sees made, and no others. */
struct start {
	int (*run)(void *);
	struct tl_thread_raw *thread;
	_Atomic int told;
};

static void *run_known(void *argument)
{
	struct start *start = argument;
	int (*run)(void *) = start->run;

	start->thread->tid = (int)syscall(SYS_gettid);
	atomic_store_explicit(&start->told, 1, memory_order_release);
	run(NULL);
	return NULL;
}

bool tl_thread_raw_start(int (*run)(void *), struct tl_thread_raw *thread)
{
	struct tl_thread_raw nobody;
	struct start start = {.run = run, .thread = thread ? thread : &nobody};
	sigset_t all, before;
	pthread_t known;

	start.thread->memory = NULL;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&known, NULL, run_known, &start);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return false;
	pthread_detach(known);
	/* Acquire: pairs with the release above. Until then the thread looks at what lies on this stack. */
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

bool tl_thread_raw_start(int (*run)(void *), struct tl_thread_raw *thread)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			  CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID;
	struct tl_thread_raw nobody;
	uint64_t all = ~0ull, before;

	if (!thread)
		thread = &nobody;
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	thread->memory = memory;
	mprotect(memory, GUARD, PROT_NONE);
	char *stack = memory + GUARD + STACK;
	char *pointer = stack + VARIABLES + HEADER / 2;
	fill_thread_pointer(pointer);
	/* By the kernel's own call, so that the C library's internal signals are blocked too. It
	 * inherits the mask. */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
	int tid = clone(run, stack, flags, NULL, &thread->tid, pointer, NULL);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
	if (tid < 0)
		munmap(memory, SIZE);
	return tid >= 0;
}
#endif

/* A thread's number is known until it has left the group of the process's threads, which is when the process is one of a single thread again. */
bool tl_thread_raw_join(struct tl_thread_raw *thread, int ms)
{
	const struct timespec nap = {.tv_nsec = 100000};

	for (int naps = 0; !syscall(SYS_tgkill, syscall(SYS_getpid), thread->tid, 0); naps++) {
		if (naps >= ms * 10)
			return false;
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, NULL);
	}
	if (thread->memory)
		munmap(thread->memory, SIZE);
	return true;
}

bool tl_thread_raw_lend(const struct tl_thread_raw *thread)
{
	struct sched_param own;
	long policy = syscall(SYS_sched_getscheduler, 0);

	return (policy == SCHED_FIFO || policy == SCHED_RR) && !syscall(SYS_sched_getparam, 0, &own) &&
	       !syscall(SYS_sched_setscheduler, thread->tid, policy, &own);
}

void tl_thread_raw_give_back(void)
{
	const struct sched_param none = {0};
	long policy = syscall(SYS_sched_getscheduler, 0);

	if (policy == SCHED_FIFO || policy == SCHED_RR)
		syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &none);
}

/* It was made by whichever thread filled a chunk first: one of high priority perhaps, or bound to a
 * processor. */
static void be_ordinary(void)
{
	unsigned long processors[1024 / (8 * sizeof(long))];

	tl_thread_raw_give_back();
	long size = syscall(SYS_sched_getaffinity, getpid(), sizeof(processors), processors);
	if (size > 0)
		syscall(SYS_sched_setaffinity, 0, size, processors);
}

bool tl_thread_raw_separate(void)
{
	syscall(SYS_prctl, PR_SET_NAME, "tracelayer", 0, 0, 0);
	be_ordinary();
	/* Takes a table of its own without ever holding the program's descriptors in it. */
	if (!syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE))
		return true;
	/* Before Linux 5.9: it holds them until they are closed. */
	if (syscall(SYS_unshare, CLONE_FILES))
		return false;
	for (unsigned fd = 0; fd < DESCRIPTORS_MAX; fd++)
		syscall(SYS_close, fd);
	return true;
}
