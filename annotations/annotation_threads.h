/* SPDX-License-Identifier: MIT */
/*
 * annotation_threads.h: the threads that call the library, and who of them is inside it.
 */
#ifndef TL_ANNOTATIONS_ANNOTATION_THREADS_H
#define TL_ANNOTATIONS_ANNOTATION_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "annotations/annotation_state.h"
#include "annotations/annotation_texts.h"

struct annotation_events;
struct annotation_stack;
struct annotation_thread {
	_Atomic uint32_t attached; /* 0: not in the list, or the process is a forked child */
	_Atomic uint32_t inside;   /* only the thread itself stores it */
	_Atomic uint32_t over;	   /* the thread has ended */
	struct annotation_thread *next;
	uint32_t order; /* among all threads */
	uint32_t tid;
	uint32_t name;			  /* that the program gave it; 0: none */
	struct annotation_stack *stacks;  /* one for each domain, the last used first */
	struct annotation_events *events; /* that it has started and not ended; NULL: none yet */
	struct annotation_text texts[ANNOTATION_TEXTS];
	struct annotation_color colors[ANNOTATION_COLORS];
};

/*
 * Call this once, first. `flush` records what a thread that ends has open, in that thread. False: the
 * process has no thread key left.
 */
bool annotation_threads_start(void (*flush)(struct annotation_thread *thread));

/*
 * Enter the library. NULL: memory is short, the process ends, or the calling thread is inside
 * already; then do nothing. Otherwise leave in the end, by annotation_leave.
 */
struct annotation_thread *annotation_enter_first(void);

extern _Thread_local struct annotation_thread *annotation_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));
/* The kernel has membarrier: threads need no fence of their own when they enter. */
extern bool annotation_has_membarrier __attribute__((visibility("hidden")));

/*
 * `inside` is stored before `over` is loaded. The thread that ends the process stores `over`, makes
 * a barrier in all threads, and then loads `inside`. So either this thread sees `over`, or that one
 * waits for this one.
 */
static inline struct annotation_thread *annotation_enter(void)
{
	struct annotation_thread *thread = annotation_self;

	if (TL_UNLIKELY(!thread ||
			!atomic_load_explicit(&thread->attached, memory_order_relaxed)) &&
	    !(thread = annotation_enter_first()))
		return NULL;
	if (TL_UNLIKELY(atomic_load_explicit(&thread->inside, memory_order_relaxed)))
		return NULL;
	atomic_store_explicit(&thread->inside, 1, memory_order_relaxed);
	if (TL_UNLIKELY(!annotation_has_membarrier))
		atomic_thread_fence(memory_order_seq_cst);
	atomic_signal_fence(memory_order_seq_cst);
	if (TL_LIKELY(!atomic_load_explicit(&annotations->over, memory_order_relaxed)))
		return thread;
	atomic_store_explicit(&thread->inside, 0, memory_order_relaxed);
	return NULL;
}

/* Release: who finds the thread outside finds all that it has stored. */
static inline void annotation_leave(struct annotation_thread *thread)
{
	atomic_store_explicit(&thread->inside, 0, memory_order_release);
}

/* The process ends: no thread enters from here on. Waits for those inside, but not for long. */
void annotation_threads_stop(void);
/* After that: whether the thread has left. */
static inline bool annotation_is_outside(struct annotation_thread *thread)
{
	return !atomic_load_explicit(&thread->inside, memory_order_acquire);
}

#endif
