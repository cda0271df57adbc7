/* SPDX-License-Identifier: MIT */
/*
 * stream_life.c: the begin and end of streams: the dispatcher tells the subscribers.
 *
 * The framework has a stream of its own. Subscribers hear of its begin before the begin of any
 * other stream, and xptiFinalize ends it before any other. They hear of each once in a process, as
 * with the original dispatcher: not again where the framework ends and starts anew.
 */
#include "xpti/dispatcher/stream_life.h"

#include "xpti/dispatcher/stream_callbacks.h"
#include "xpti/dispatcher/dispatcher_state.h"
#include "xpti/dispatcher/pins.h"
#include "xpti/dispatcher/stream_names.h"
#include "xpti/dispatcher/subscribers.h"

/* What subscribers have been told of the framework's stream. Written under the life lock. */
enum { UNTOLD, BEING_TOLD, TOLD };
static _Atomic int stream_begun, stream_ended;

bool tl_xpti_may_be_waited_for(void)
{
	return tl_xpti_thread.ending || tl_xpti_thread.told || tl_xpti_in_callback();
}

/*
 * The telling thread is either not in the child, or is the only thread there: nobody waits for it.
 */
static void told_after_fork(_Atomic int *told)
{
	if (atomic_load_explicit(told, memory_order_relaxed) == BEING_TOLD)
		atomic_store_explicit(told, TOLD, memory_order_relaxed);
}

void tl_xpti_stream_life_after_fork(void)
{
	told_after_fork(&stream_begun);
	told_after_fork(&stream_ended);
}

/* ---- the framework's own stream ---- */

/*
 * True: the caller has to tell the subscribers. False: another thread has told them; waits until it
 * is done.
 */
static bool begin_to_tell(_Atomic int *told)
{
	bool entered = tl_xpti_life_enter();
	bool first = atomic_load_explicit(told, memory_order_relaxed) == UNTOLD;

	if (first)
		atomic_store_explicit(told, BEING_TOLD, memory_order_relaxed);
	while (!first && entered && !tl_xpti_may_be_waited_for() &&
	       atomic_load_explicit(told, memory_order_relaxed) == BEING_TOLD)
		tl_xpti_life_wait();
	tl_xpti_life_leave(entered);
	return first;
}

/* Runs also where a subscriber leaves by an exception, so that nobody waits for ever. */
static void end_to_tell(_Atomic int **told)
{
	bool entered = tl_xpti_life_enter();

	/* Release pairs with was_told's acquire: subscribers have heard of it. */
	atomic_store_explicit(*told, TOLD, memory_order_release);
	tl_xpti_life_changed();
	tl_xpti_life_leave(entered);
}

static bool was_told(_Atomic int *told)
{
	/* Acquire pairs with end_to_tell's release. */
	return atomic_load_explicit(told, memory_order_acquire) == TOLD;
}

/* ---- any stream ---- */

static void stream_begin(const char *stream, uint32_t major, uint32_t minor, const char *version)
{
	tl_xpti_subscribers_init(major, minor, version, stream);
	tl_xpti_stream_set_detail(tl_xpti_stream_number(stream),
				  tl_xpti_subscribers_detail(stream));
}

static void framework_begin(void)
{
	if (was_told(&stream_begun) || !begin_to_tell(&stream_begun))
		return;
	_Atomic int *telling __attribute__((cleanup(end_to_tell), unused)) = &stream_begun;
	stream_begin(TL_XPTI_FRAMEWORK_STREAM, 1, 0, "1.0.0");
}

xpti_result xptiInitialize(const char *stream, uint32_t major, uint32_t minor, const char *version)
{
	tl_xpti_start();
	framework_begin();
	if (!stream || !version)
		return XPTI_RESULT_INVALIDARG;
	stream_begin(stream, major, minor, version);
	return XPTI_RESULT_SUCCESS;
}

/* Returns false where the stream never had a callback. */
static bool stream_end(const char *stream)
{
	tl_xpti_subscribers_finish(stream);
	/* What has no number of its own has XPTI_INVALID_STREAM, which can have callbacks, too. */
	return tl_xpti_callbacks_off(tl_xpti_stream_number(stream));
}

static void framework_end(void)
{
	if (was_told(&stream_ended) || !begin_to_tell(&stream_ended))
		return;
	_Atomic int *telling __attribute__((cleanup(end_to_tell), unused)) = &stream_ended;
	stream_end(TL_XPTI_FRAMEWORK_STREAM);
}

void xptiFinalize(const char *stream)
{
	tl_xpti_start();
	framework_end();
	if (stream)
		stream_end(stream);
}

xpti_result xptiUnregisterStream(const char *stream)
{
	tl_xpti_start();
	if (!stream)
		return XPTI_RESULT_INVALIDARG;
	return stream_end(stream) ? XPTI_RESULT_SUCCESS : XPTI_RESULT_NOTFOUND;
}
