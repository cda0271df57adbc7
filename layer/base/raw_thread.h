/* SPDX-License-Identifier: MIT */
/*
 * raw_thread.h: a thread that the C library does not know of.
 *
 * The kernel's clone alone makes it. So the C library ends the process when the program's own
 * threads have ended, keeps treating a program with one thread as such, and sends this thread no
 * signal.
 *
 * Functions that look at the calling thread don't work on it: no allocator, no stdio, no pthread
 * function, and no function that another library may have replaced. errno and this library's own
 * thread-local variables are there, and start as zero. raw_thread.c says why.
 */
#ifndef TL_LAYER_BASE_RAW_THREAD_H
#define TL_LAYER_BASE_RAW_THREAD_H

#include <stdbool.h>
#include <stddef.h>

/* A thread, and the memory that its stack lies in. */
struct tl_raw_thread {
	char *memory;
	size_t size;
	int tid;
};

/*
 * Start a thread with all signals blocked. Async-signal-safe. False: the kernel refuses. `thread`
 * may be NULL if nobody waits for its end; else it is filled in before the thread runs.
 */
bool tl_raw_thread_start(int (*run)(void *), struct tl_raw_thread *thread);

/*
 * Wait until the kernel no longer knows the thread, at most `ms` milliseconds, and free its memory.
 * Its function must be about to return. False: the thread is still there. Async-signal-safe.
 */
bool tl_raw_thread_join(struct tl_raw_thread *thread, int ms);

/*
 * First thing on the new thread: an empty file table of its own, a name, and no more right to a
 * processor than the program's first thread has. False where the kernel refuses the file table;
 * the thread must then end.
 */
bool tl_raw_thread_separate(void);

/*
 * While the calling thread waits for this thread: give it the caller's real-time priority, if the
 * caller has one. Returns whether it did. The thread itself gives that back. Async-signal-safe.
 */
bool tl_raw_thread_lend(const struct tl_raw_thread *thread);
void tl_raw_thread_give_back(void);

#endif
