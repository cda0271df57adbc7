/* SPDX-License-Identifier: MIT */
/*
 * framework.c: the framework's beginning and end, streams' beginnings and ends, reset, and fork.
 *
 * The first call of any function begins: it reads the environment and loads the subscribers. Other
 * threads wait for it in their first call; what the subscribers call while they are being loaded
 * goes through.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "xpti/dispatcher/dispatcher.h"
#include "xpti/dispatcher/pins.h"
#include "xpti/dispatcher/pools.h"

static const char framework_stream[] = "xpti.framework";

_Alignas(64) _Atomic uint32_t tl_xpti_state;

/*
 * Protects the beginning, and .ending. Held while subscribers are loaded, which may call back, and
 * fork: their thread goes through. (A recursive mutex can't be unlocked in a forked child.)
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* .ending, or what subscribers were told of the framework's stream */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool entered_to_fork;
static _Atomic bool ending; /* a thread ends the framework */
static _Atomic int32_t users;
/* written often: not beside what all read */
static _Alignas(64) _Atomic uint64_t unique_id = 1;

/*
 * The framework's own stream. Subscribers hear of its beginning before any other stream's, and of
 * its end before any other's. They hear of each once in a process, as with the original: not again
 * where the framework ends and begins anew.
 */
enum { UNTOLD, BEING_TOLD, TOLD };
static _Atomic int stream_begun, stream_ended;

/* Take the lock, unless this thread has it. */
static bool enter(void)
{
	if (tl_xpti_thread.starting)
		return false;
	pthread_mutex_lock(&lock);
	tl_xpti_thread.starting = true;
	return true;
}

static void leave(bool entered)
{
	if (!entered)
		return;
	tl_xpti_thread.starting = false;
	pthread_mutex_unlock(&lock);
}

/* Other code may be waiting for this thread: it waits for nobody. */
static bool may_be_waited_for(void)
{
	return tl_xpti_thread.ending || tl_xpti_thread.told || tl_xpti_in_callback();
}

/*
 * ---- fork: locks are taken before, in their order, so that the child has none that somebody else
 * held ----
 */

static void lock_all(void)
{
	entered_to_fork = enter();
	tl_xpti_callbacks_lock();
	tl_pools_lock();
	tl_xpti_slabs_lock();
	tl_xpti_metadata_lock();
	tl_xpti_names_lock();
	tl_regions_lock();
}

static void unlock_all(void)
{
	tl_regions_unlock();
	tl_xpti_names_unlock();
	tl_xpti_metadata_unlock();
	tl_xpti_slabs_unlock();
	tl_pools_unlock();
	tl_xpti_callbacks_unlock();
	leave(entered_to_fork);
}

/*
 * The thread that tells of it is not in the child, or is the only one there: nobody waits for it.
 */
static void no_longer_being_told(_Atomic int *told)
{
	if (atomic_load_explicit(told, memory_order_relaxed) == BEING_TOLD)
		atomic_store_explicit(told, TOLD, memory_order_relaxed);
}

static void in_child(void)
{
	tl_xpti_pins_after_fork();
	changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	if (!tl_xpti_thread.ending)
		atomic_store_explicit(&ending, false, memory_order_relaxed);
	no_longer_being_told(&stream_begun);
	no_longer_being_told(&stream_ended);
	unlock_all();
}

/* ---- the beginning ---- */

static bool environment_allows(void)
{
	const char *setting = getenv("XPTI_TRACE_ENABLE");

	return !setting || !*setting || strcmp(setting, "1") == 0 || strcmp(setting, "true") == 0;
}

void tl_xpti_start_slowly(void)
{
	static bool prepared;
	bool entered = enter();

	if (entered &&
	    !(atomic_load_explicit(&tl_xpti_state, memory_order_relaxed) & TL_XPTI_STARTED)) {
		if (!prepared)
			pthread_atfork(lock_all, unlock_all, in_child);
		prepared = true;
		tl_xpti_pins_start();
		tl_xpti_stream_number(framework_stream);
		bool enabled = environment_allows() && tl_xpti_subscribers_load() > 0;
		/* Release pairs with tl_xpti_start's acquire. */
		atomic_store_explicit(&tl_xpti_state,
				      TL_XPTI_STARTED | (enabled ? TL_XPTI_ENABLED : 0),
				      memory_order_release);
	}
	leave(entered);
}

/* ---- the end ---- */

/* After the callbacks. */
static void forget_the_rest(void)
{
	tl_xpti_points_reset();
	tl_xpti_strings_reset();
	atomic_store_explicit(&unique_id, 1, memory_order_relaxed);
}

void xptiReset(void)
{
	tl_xpti_start();
	tl_xpti_callbacks_reset();
	forget_the_rest();
}

/* Under the lock. */
static void set_ending(bool yes)
{
	tl_xpti_thread.ending = yes;
	/* In one order with the users: who comes sees this, or is seen by begin_end. */
	atomic_store_explicit(&ending, yes, memory_order_seq_cst);
	if (!yes)
		pthread_cond_broadcast(&changed);
}

/* One thread does it. False: there is nothing to end, or a new user has come. */
static bool begin_end(void)
{
	bool entered = enter();
	bool begun = entered && !atomic_load_explicit(&ending, memory_order_relaxed) &&
		     (atomic_load_explicit(&tl_xpti_state, memory_order_relaxed) & TL_XPTI_STARTED);

	if (begun) {
		set_ending(true);
		begun = atomic_load_explicit(&users, memory_order_seq_cst) <= 0;
		if (!begun)
			set_ending(false);
	}
	leave(entered);
	return begun;
}

/* The next call begins anew. */
static void end_end(void)
{
	bool entered = enter();

	atomic_store_explicit(&tl_xpti_state, 0, memory_order_relaxed);
	set_ending(false);
	leave(entered);
}

/*
 * A new user waits for an end that is under way, as what it did meanwhile would be forgotten; not
 * in code that the end may be waiting for.
 */
void xptiFrameworkInitialize(void)
{
	atomic_fetch_add_explicit(&users, 1, memory_order_seq_cst);
	if (likely(!atomic_load_explicit(&ending, memory_order_seq_cst)) || may_be_waited_for())
		return;
	bool entered = enter();
	while (entered && atomic_load_explicit(&ending, memory_order_relaxed))
		pthread_cond_wait(&changed, &lock);
	leave(entered);
}

/*
 * Without the lock: callbacks that are waited for, and threads that subscribers' destructors wait
 * for, may call anything. What they do goes through, and is forgotten with the rest. Callbacks go
 * twice: first, that none of the subscribers' runs any more; then those that were registered since.
 */
void xptiFrameworkFinalize(void)
{
	if (atomic_fetch_sub_explicit(&users, 1, memory_order_seq_cst) != 1 || !begin_end())
		return;
	atomic_fetch_and_explicit(&tl_xpti_state, ~(uint32_t)TL_XPTI_ENABLED, memory_order_relaxed);
	struct tl_xpti_subscriber *taken = tl_xpti_subscribers_take();
	tl_xpti_callbacks_reset();
	tl_xpti_subscribers_unload(taken);
	tl_xpti_callbacks_reset();
	forget_the_rest();
	end_end();
}

/* ---- streams ---- */

static bool begin_to_tell(_Atomic int *told)
{
	bool entered = enter();
	bool first = atomic_load_explicit(told, memory_order_relaxed) == UNTOLD;

	if (first)
		atomic_store_explicit(told, BEING_TOLD, memory_order_relaxed);
	while (!first && entered && !may_be_waited_for() &&
	       atomic_load_explicit(told, memory_order_relaxed) == BEING_TOLD)
		pthread_cond_wait(&changed, &lock);
	leave(entered);
	return first;
}

/* Also where a subscriber leaves by an exception, so that nobody waits for ever. */
static void end_to_tell(_Atomic int **told)
{
	bool entered = enter();

	/* Release pairs with is_told's acquire: subscribers have heard of it. */
	atomic_store_explicit(*told, TOLD, memory_order_release);
	pthread_cond_broadcast(&changed);
	leave(entered);
}

static bool is_told(_Atomic int *told)
{
	/* Acquire pairs with end_to_tell's release. */
	return atomic_load_explicit(told, memory_order_acquire) == TOLD;
}

static void tell_of_begin(void)
{
	if (is_told(&stream_begun) || !begin_to_tell(&stream_begun))
		return;
	_Atomic int *telling __attribute__((cleanup(end_to_tell), unused)) = &stream_begun;
	tl_xpti_subscribers_init(1, 0, "1.0.0", framework_stream);
}

static void tell_of_end(void)
{
	if (is_told(&stream_ended) || !begin_to_tell(&stream_ended))
		return;
	_Atomic int *telling __attribute__((cleanup(end_to_tell), unused)) = &stream_ended;
	tl_xpti_subscribers_finish(framework_stream);
}

xpti_result xptiInitialize(const char *stream, uint32_t major, uint32_t minor, const char *version)
{
	tl_xpti_start();
	if (!stream || !version)
		return XPTI_RESULT_INVALIDARG;
	tell_of_begin();
	tl_xpti_subscribers_init(major, minor, version, stream);
	uint8_t number = tl_xpti_stream_number(stream);
	if (number != XPTI_INVALID_STREAM)
		tl_xpti_stream_set_detail(number, tl_xpti_subscribers_detail(stream));
	return XPTI_RESULT_SUCCESS;
}

static bool finalize(const char *stream)
{
	tell_of_end();
	tl_xpti_subscribers_finish(stream);
	uint8_t number = tl_xpti_stream_number(stream);
	return number != XPTI_INVALID_STREAM && tl_xpti_callbacks_off(number);
}

void xptiFinalize(const char *stream)
{
	tl_xpti_start();
	if (stream)
		finalize(stream);
}

xpti_result xptiUnregisterStream(const char *stream)
{
	tl_xpti_start();
	if (!stream)
		return XPTI_RESULT_INVALIDARG;
	return finalize(stream) ? XPTI_RESULT_SUCCESS : XPTI_RESULT_NOTFOUND;
}

/* ---- the rest ---- */

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
