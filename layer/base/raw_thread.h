/* SPDX-License-Identifier: MIT */
/*
 * raw_thread.h: a thread that the C library does not know of.
 *
 * The kernel's clone alone makes it. So the C library ends the process when the program's own
 * threads have ended, keeps treating a program with one thread as such, and sends this thread no
 * signal.
 *
 * On it nothing works that looks at the calling thread: no allocator, no stdio, no pthread
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
 * Start one, with all signals blocked. Async-signal-safe. False where the kernel refuses. `thread`
 * may be NULL where nobody waits for its end; else it is filled in before the thread runs.
 */
bool tl_raw_thread_start(int (*run)(void *), struct tl_raw_thread *thread);

/*
 * Wait until the kernel knows the thread no more, at most `ms` milliseconds, and free its memory.
 * Its function is to return soon. False where it is still there. Async-signal-safe.
 */
bool tl_raw_thread_join(struct tl_raw_thread *thread, int ms);

/*
 * First thing on the new thread: an empty file table of its own, a name, and no more right to a
 * processor than the program's first thread has. False where the kernel refuses the file table;
 * the thread must then end.
 */
bool tl_raw_thread_separate(void);

/*
 * The calling thread waits for that one, which has no more right to a processor than others: it
 * gets the caller's, if that is a real-time one. True where it did. What it was lent the thread
 * gives back itself. Async-signal-safe.
 */
bool tl_raw_thread_lend(const struct tl_raw_thread *thread);
void tl_raw_thread_give_back(void);

#endif
