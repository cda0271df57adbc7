/* SPDX-License-Identifier: MIT */
/*
 * framework.c: the life of the framework: its start, its end, reset, and fork.
 *
 * The first call of any function starts the framework: it reads the environment and loads the
 * subscribers. Other threads wait for it in their first call. A subscriber may call any function
 * while it is being loaded; its calls do not wait.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "xpti/dispatcher/stream_callbacks.h"
#include "xpti/dispatcher/dispatcher_state.h"
#include "xpti/dispatcher/event_metadata.h"
#include "xpti/dispatcher/pins.h"
#include "xpti/dispatcher/pools.h"
#include "xpti/dispatcher/stream_life.h"
#include "xpti/dispatcher/stream_names.h"
#include "xpti/dispatcher/string_table.h"
#include "xpti/dispatcher/subscribers.h"
#include "xpti/dispatcher/trace_points.h"

static bool entered_to_fork;
static _Atomic bool ending; /* a thread ends the framework; written under the life lock */
static _Atomic int32_t users;
/* Written often, so not beside what all threads read. */
static _Alignas(64) _Atomic uint64_t unique_id = 1;

/*
 * ---- fork: the parent takes all locks, in the order in which they nest, so that no lock of the
 * child belongs to a thread that the child does not have ----
 */

static void fork_lock_all(void)
{
	entered_to_fork = tl_xpti_life_enter();
	tl_xpti_callbacks_lock();
	tl_pools_lock();
	tl_xpti_slabs_lock();
	tl_xpti_metadata_lock();
	tl_xpti_names_lock();
	tl_regions_lock();
}

static void fork_unlock_all(void)
{
	tl_regions_unlock();
	tl_xpti_names_unlock();
	tl_xpti_metadata_unlock();
	tl_xpti_slabs_unlock();
	tl_pools_unlock();
	tl_xpti_callbacks_unlock();
	tl_xpti_life_leave(entered_to_fork);
}

static void fork_in_child(void)
{
	tl_xpti_pins_after_fork();
	tl_xpti_life_after_fork();
	if (!tl_xpti_thread.ending)
		atomic_store_explicit(&ending, false, memory_order_relaxed);
	tl_xpti_stream_life_after_fork();
	fork_unlock_all();
}

/* ---- the start ---- */

static bool environment_allows(void)
{
	const char *setting = getenv("XPTI_TRACE_ENABLE");

	return !setting || !*setting || strcmp(setting, "1") == 0 || strcmp(setting, "true") == 0;
}

void tl_xpti_start_slowly(void)
{
	static bool prepared;
	bool entered = tl_xpti_life_enter();

	if (entered &&
	    !(atomic_load_explicit(&tl_xpti_state, memory_order_relaxed) & TL_XPTI_STARTED)) {
		if (!prepared)
			pthread_atfork(fork_lock_all, fork_unlock_all, fork_in_child);
		prepared = true;
		tl_xpti_pins_start();
		tl_xpti_stream_number(TL_XPTI_FRAMEWORK_STREAM);
		bool enabled = environment_allows() && tl_xpti_subscribers_load() > 0;
		/* Release pairs with tl_xpti_start's acquire. */
		atomic_store_explicit(&tl_xpti_state,
				      TL_XPTI_STARTED | (enabled ? TL_XPTI_ENABLED : 0),
				      memory_order_release);
	}
	tl_xpti_life_leave(entered);
}

/* ---- the end ---- */

/* Reset all but the callbacks, which are reset before. */
static void forget_the_rest(void)
{
	tl_xpti_points_reset();
	tl_xpti_strings_reset();
	tl_xpti_streams_forget_detail();
	atomic_store_explicit(&unique_id, 1, memory_order_relaxed);
}

void xptiReset(void)
{
	tl_xpti_start();
	tl_xpti_callbacks_reset();
	forget_the_rest();
}

/* The caller holds the life lock. */
static void ending_set(bool yes)
{
	tl_xpti_thread.ending = yes;
	/*
	 * One order with `users`: a new user sees this store, or framework_end_begins sees the
	 * user.
	 */
	atomic_store_explicit(&ending, yes, memory_order_seq_cst);
	if (!yes)
		tl_xpti_life_changed();
}

/* One thread ends the framework. False: there is nothing to end, or a new user has come. */
static bool framework_end_begins(void)
{
	bool entered = tl_xpti_life_enter();
	bool begun = entered && !atomic_load_explicit(&ending, memory_order_relaxed) &&
		     (atomic_load_explicit(&tl_xpti_state, memory_order_relaxed) & TL_XPTI_STARTED);

	if (begun) {
		ending_set(true);
		begun = atomic_load_explicit(&users, memory_order_seq_cst) <= 0;
		if (!begun)
			ending_set(false);
	}
	tl_xpti_life_leave(entered);
	return begun;
}

/* The next call starts the framework anew. */
static void framework_end_ends(void)
{
	bool entered = tl_xpti_life_enter();

	atomic_store_explicit(&tl_xpti_state, 0, memory_order_relaxed);
	ending_set(false);
	tl_xpti_life_leave(entered);
}

/*
 * A new user waits for an end that is under way: otherwise the end would forget what the user does
 * meanwhile. Code that the end may be waiting for does not wait.
 */
void xptiFrameworkInitialize(void)
{
	atomic_fetch_add_explicit(&users, 1, memory_order_seq_cst);
	if (likely(!atomic_load_explicit(&ending, memory_order_seq_cst)) ||
	    tl_xpti_may_be_waited_for())
		return;
	bool entered = tl_xpti_life_enter();
	while (entered && atomic_load_explicit(&ending, memory_order_relaxed))
		tl_xpti_life_wait();
	tl_xpti_life_leave(entered);
}

/*
 * The end runs without the life lock: it waits for callbacks, and a subscriber's destructor may
 * wait for a thread; both may call any function. Such calls do not wait, and the end forgets what
 * they do. The end resets callbacks twice: first so that no subscriber's callback runs when the
 * subscribers are unloaded, then to remove those that were registered since.
 */
void xptiFrameworkFinalize(void)
{
	if (atomic_fetch_sub_explicit(&users, 1, memory_order_seq_cst) != 1 ||
	    !framework_end_begins())
		return;
	atomic_fetch_and_explicit(&tl_xpti_state, ~(uint32_t)TL_XPTI_ENABLED, memory_order_relaxed);
	struct tl_xpti_subscriber *taken = tl_xpti_subscribers_take();
	tl_xpti_callbacks_reset();
	tl_xpti_subscribers_unload(taken);
	tl_xpti_callbacks_reset();
	forget_the_rest();
	framework_end_ends();
}

/* ---- switches and counters ---- */

bool xptiTraceEnabled(void)
{
	return tl_xpti_enabled();
}

void xptiForceSetTraceEnabled(bool yes)
{
	tl_xpti_start();
	if (yes)
		atomic_fetch_or_explicit(&tl_xpti_state, TL_XPTI_ENABLED, memory_order_relaxed);
	else
		atomic_fetch_and_explicit(&tl_xpti_state, ~(uint32_t)TL_XPTI_ENABLED,
					  memory_order_relaxed);
}

uint64_t xptiGetUniqueId(void)
{
	tl_xpti_start();
	return atomic_fetch_add_explicit(&unique_id, 1, memory_order_relaxed);
}
