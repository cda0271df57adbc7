/* SPDX-License-Identifier: MIT */
/*
 * dispatcher_state.h: the state that all files of the dispatcher share: whether it has started and
 * tracing is on, what the calling thread has of its own, and the life lock.
 *
 * Every function of tracelayer/xpti.h calls tl_xpti_start or tl_xpti_enabled first, so that the
 * first call of a program starts the dispatcher.
 */
#ifndef TL_XPTI_DISPATCHER_DISPATCHER_STATE_H
#define TL_XPTI_DISPATCHER_DISPATCHER_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "tracelayer/xpti.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* For variables that are read often: the code reads them without going through the GOT. */
#define TL_HIDDEN __attribute__((visibility("hidden")))

/* ---- is tracing on? ---- */

enum { TL_XPTI_STARTED = 1, TL_XPTI_ENABLED = 2 };
extern _Atomic uint32_t tl_xpti_state TL_HIDDEN;

/*
 * Start the dispatcher: read the environment, load the subscribers. Defined in framework.c, above
 * all files that call it: the first call of any function has to start everything.
 */
void tl_xpti_start_slowly(void);

/* Acquire pairs with the starter's release: this thread sees the subscribers and the streams. */
static inline uint32_t tl_xpti_state_now(void)
{
	return atomic_load_explicit(&tl_xpti_state, memory_order_acquire);
}

/*
 * False: the caller calls tl_xpti_start_slowly, from a function of its own. So what is called often
 * saves no registers for that.
 */
static inline bool tl_xpti_has_started(void)
{
	return likely(tl_xpti_state_now() & TL_XPTI_STARTED);
}

/* The first line of every function. The first call of a program loads the subscribers here. */
static inline void tl_xpti_start(void)
{
	/*
	 * Acquire pairs with the starter's release: this thread sees the subscribers and the
	 * streams.
	 */
	if (unlikely(!(atomic_load_explicit(&tl_xpti_state, memory_order_acquire) &
		       TL_XPTI_STARTED)))
		tl_xpti_start_slowly();
}

/* As tl_xpti_start. Returns true if tracing is on; one load where it is. */
static inline bool tl_xpti_enabled(void)
{
	/* Acquire as in tl_xpti_start. */
	uint32_t state = atomic_load_explicit(&tl_xpti_state, memory_order_acquire);

	if (unlikely(!(state & TL_XPTI_STARTED))) {
		tl_xpti_start_slowly();
		state = atomic_load_explicit(&tl_xpti_state, memory_order_acquire);
	}
	return state & TL_XPTI_ENABLED;
}

/* Returns true if tracing is on. Does not start the dispatcher: false before the start. */
static inline bool tl_xpti_is_on(void)
{
	/* Acquire as in tl_xpti_start. */
	return atomic_load_explicit(&tl_xpti_state, memory_order_acquire) ==
	       (TL_XPTI_STARTED | TL_XPTI_ENABLED);
}

/* ---- the calling thread ---- */

struct tl_xpti_reader; /* pins.h */
struct tl_xpti_told;   /* subscribers.c */

struct tl_xpti_thread {
	struct tl_xpti_reader *reader;	 /* its pins; NULL before its first notification */
	const struct tl_xpti_told *told; /* what it is telling the subscribers */
	uint32_t number;		 /* from 1; 0: the thread has no number yet */
	bool stashed;
	bool starting, ending; /* the thread holds the life lock; it ends the framework */
	const char *stash_key;
	uint64_t stash_value;
	uint64_t universal_id;
	xpti_tracepoint_if *scope;
	uint64_t scope_uid; /* shows whether .scope is still the trace point that was set */
};

extern _Thread_local struct tl_xpti_thread tl_xpti_thread
	__attribute__((tls_model("initial-exec")));

/* ---- the life lock ---- */

/*
 * Protects the start and the end of the framework, and what subscribers are told of the framework's
 * own stream. It is the outermost lock. The thread that holds it loads subscribers, which may call
 * any function and may fork; so a thread that has the lock passes tl_xpti_life_enter without it.
 * (A recursive mutex would not do: a forked child can't unlock it.)
 */

/* Take the life lock. Returns false where this thread holds it already; then do not wait. */
bool tl_xpti_life_enter(void);
/* `entered`: what tl_xpti_life_enter returned. */
void tl_xpti_life_leave(bool entered);
/* Wait for tl_xpti_life_changed. The caller holds the lock. */
void tl_xpti_life_wait(void);
/* Wake all threads that are in tl_xpti_life_wait. */
void tl_xpti_life_changed(void);
/* In a forked child, under the lock: nobody waits any more. */
void tl_xpti_life_after_fork(void);

#endif
