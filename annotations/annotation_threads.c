/* SPDX-License-Identifier: MIT */
/*
 * annotation_threads.c: see annotation_threads.h.
 *
 * A thread's memory is used again when it has ended, by a thread that begins later.
 *
 * Ordered accesses
 *
 *	annotations.threads		release when a thread is added, acquire when the list is read
 *	annotation_thread.over		release by the thread, acquire by the next one that uses its
 *					memory: all that the thread had done
 *	annotation_thread.inside	see annotation_enter
 */
#include "annotations/annotation_threads.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "layer/base/membarrier.h"

#define PATIENCE 200 /* milliseconds, for threads that are inside at the end */

_Thread_local struct annotation_thread *annotation_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));
bool annotation_has_membarrier;
static pthread_key_t key;
static void (*thread_flush)(struct annotation_thread *thread);

static void thread_ends(void *memory)
{
	struct annotation_thread *thread = annotation_enter();

	if (thread) {
		thread_flush(thread);
		annotation_leave(thread);
	}
	thread = memory;
	annotation_self = NULL;
	atomic_store_explicit(&thread->over, 1, memory_order_release);
}

bool annotation_threads_start(void (*flush)(struct annotation_thread *thread))
{
	thread_flush = flush;
	annotation_has_membarrier = tl_membarrier_register();
	return pthread_key_create(&key, thread_ends) == 0;
}

/* The memory of a thread that has ended. Under the lock of the list. */
static struct annotation_thread *thread_find_free(void)
{
	struct annotation_thread *thread =
		atomic_load_explicit(&annotations->threads, memory_order_relaxed);

	while (thread && !atomic_load_explicit(&thread->over, memory_order_acquire))
		thread = thread->next;
	if (thread) {
		atomic_store_explicit(&thread->over, 0, memory_order_relaxed);
		thread->name = 0;
	}
	return thread;
}

static void thread_add(struct annotation_thread *thread)
{
	thread->next = atomic_load_explicit(&annotations->threads, memory_order_relaxed);
	atomic_store_explicit(&annotations->threads, thread, memory_order_release);
}

/* In a child of fork the calling thread has the memory already. */
struct annotation_thread *annotation_enter_first(void)
{
	struct annotation_thread *thread = annotation_self, *free = NULL;

	if (!annotations || atomic_load_explicit(&annotations->over, memory_order_relaxed))
		return NULL;
	pthread_mutex_lock(&annotations->lock);
	if (!thread)
		thread = free = thread_find_free();
	if (!thread)
		thread = annotation_memory(sizeof(*thread));
	if (thread) {
		thread->tid = (uint32_t)syscall(SYS_gettid);
		thread->order = annotations->thread_count++;
		if (!free)
			thread_add(thread);
		atomic_store_explicit(&thread->attached, 1, memory_order_relaxed);
	}
	pthread_mutex_unlock(&annotations->lock);
	annotation_self = thread;
	if (thread)
		pthread_setspecific(key, thread);
	return thread;
}

static uint64_t milliseconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void annotation_threads_stop(void)
{
	const struct timespec pause = {0, 100000};
	struct annotation_thread *thread;

	atomic_store_explicit(&annotations->over, true, memory_order_seq_cst);
	if (annotation_has_membarrier)
		tl_membarrier();
	uint64_t deadline = milliseconds_now() + PATIENCE;
	for (thread = atomic_load_explicit(&annotations->threads, memory_order_acquire); thread;
	     thread = thread->next)
		while (thread != annotation_self && !annotation_is_outside(thread) &&
		       milliseconds_now() < deadline)
			nanosleep(&pause, NULL);
}
