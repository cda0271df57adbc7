/* SPDX-License-Identifier: MIT */
/*
 * recording_control.c: see recording_control.h.
 *
 * layer/resolve/recording.c begins and ends recording. This file takes requests from outside.
 * The writer's thread carries out all such requests, and is woken for that:
 *
 *	the command	puts a request into the header, and waits until .answer is that
 *	a signal	sets `signalled`
 *	the window	is a time, .next; the thread doesn't sleep beyond it
 *	a split		by time: tl_writer_file_due is when the file has all of its time, so that a
 *			program of few calls has its files in time, too
 *
 * The thread starts with the first full chunk, which may be late, or (while recording is paused)
 * never. So where requests are possible, it starts with the first traced call
 * (TL_FIRST_CALL_REQUESTS). To see that call though nothing is recorded, a shim that has not been
 * called yet goes out of line (TL_MODE_RESOLVE), also in a child: tl_control_after_fork asks for
 * that again.
 */
#include "layer/write/recording_control.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "format/file/trace_file.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/base/environment.h"
#include "layer/base/first_call.h"
#include "layer/base/futex.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/api_table.h"
#include "layer/resolve/recording.h"
#include "layer/base/message.h"
#include "layer/write/writer.h"

static _Atomic bool signalled; /* a snapshot is wanted */
/* the request that is being carried out; used by the server only */
static uint32_t served;

/*
 * The window. Set by the first traced call before the thread is woken; then used by the server
 * only.
 */
static struct {
	_Atomic bool open; /* it is still to begin, or to end */
	/* when recording is switched next, in nanoseconds; how many times are left */
	uint64_t next, left;
} window;

/* What was recorded is to be written: the file has all of its time. Used by the server only. */
static bool splits;

static bool splits_by_time(void)
{
	return tl_config.split_ns && tl_config.full != TL_FULL_RING;
}

/* --- the first traced call */

static bool control_may_be_asked(void)
{
	return tl_process_may_record() &&
	       (tl_config.paused || tl_config.window.repeats || *tl_config.session ||
		tl_config.snapshot_on || splits_by_time());
}

static void first_call_await(bool waits)
{
	if (waits)
		tl_first_call_await(TL_FIRST_CALL_REQUESTS);
	else
		tl_first_call_done(TL_FIRST_CALL_REQUESTS);
}

bool tl_control_start(void)
{
	tl_first_call_give(TL_FIRST_CALL_REQUESTS, tl_control_begin);
	first_call_await(control_may_be_asked());
	return tl_config.paused || tl_config.window.repeats;
}

static void snapshot_signal(int number)
{
	int error = errno;

	(void)number;
	/* A child of vfork has the handler, too, but shares its parent's memory. */
	if (tl_process_is_owner()) {
		atomic_store_explicit(&signalled, true, memory_order_relaxed);
		tl_writer_wake();
		tl_buffer_wake();
	}
	errno = error;
}

/* A signal that the program handles or ignores is left to the program. */
static void snapshot_signal_take(int number)
{
	struct sigaction action = {.sa_handler = snapshot_signal,
				   .sa_flags = SA_RESTART | SA_ONSTACK},
			 before;

	sigfillset(&action.sa_mask);
	if (sigaction(number, NULL, &before) || before.sa_handler == snapshot_signal)
		return;
	if (before.sa_flags & SA_SIGINFO || before.sa_handler != SIG_DFL)
		tl_message_say(
			"tracelayer: TRACELAYER_SNAPSHOT_ON: the program handles that signal itself; name another\n");
	else
		sigaction(number, &action, NULL);
}

/* Begins or ends recording. True: it ended. */
static bool window_switch(void)
{
	bool begins = window.left % 2 == 0;

	tl_recording_switch(begins ? TL_FILE_RECORDS : TL_FILE_PAUSED);
	window.next += begins ? tl_config.window.length : tl_config.window.delay;
	window.left--;
	return !begins;
}

static void window_open(void)
{
	window.left = tl_config.window.repeats > UINT64_MAX / 2 ? UINT64_MAX - 1
								: 2 * tl_config.window.repeats;
	window.next = tl_clock_gettime_ticks() + tl_config.window.delay;
	/* The calls up to the thread's first look would be missing, this one among them. */
	if (!tl_config.window.delay)
		window_switch();
	/* Release: pairs with the acquires of window.open in this file. */
	atomic_store_explicit(&window.open, true, memory_order_release);
}

void tl_control_begin(void)
{
	int error = errno;

	if (tl_process_begin() && tl_process_is_owner() && tl_arena_begin() &&
	    tl_first_call_done(TL_FIRST_CALL_REQUESTS)) {
		if (tl_config.snapshot_on)
			snapshot_signal_take(tl_config.snapshot_on);
		if (tl_config.window.repeats)
			window_open();
		tl_writer_wake();
	}
	errno = error;
}

void tl_control_after_fork(void)
{
	bool waits = control_may_be_asked() || !tl_process_is_recording();

	atomic_store_explicit(&signalled, false, memory_order_relaxed);
	atomic_store_explicit(&window.open, false, memory_order_relaxed);
	served = 0;
	splits = false;
	if (!tl_process_may_record())
		return;
	/* The child has a window of its own. */
	if (tl_config.window.repeats && tl_process_recording() < TL_FILE_STOPPED)
		tl_recording_switch(TL_FILE_PAUSED);
	first_call_await(waits);
	if (waits)
		tl_api_look_again();
}

/* --- carrying out; on the writer's thread */

/* True: the file is to be ended, since the user wants to look at it. */
static bool request_carry_out(uint32_t what)
{
	switch (what) {
	case TL_REQUEST_PAUSE:
		tl_recording_switch(TL_FILE_PAUSED);
		break;
	case TL_REQUEST_RESUME:
		tl_recording_switch(TL_FILE_RECORDS);
		break;
	case TL_REQUEST_STOP:
		tl_recording_switch(TL_FILE_STOPPED);
		break;
	case TL_REQUEST_WATCH:
	case TL_REQUEST_UNWATCH:
		tl_recording_watch(what == TL_REQUEST_WATCH);
		return false;
	}
	/* A switch by hand overrides the window. */
	if (what != TL_REQUEST_SNAPSHOT)
		atomic_store_explicit(&window.open, false, memory_order_relaxed);
	/* A ring that is paused still keeps what it has for a snapshot. */
	return what == TL_REQUEST_SNAPSHOT || what == TL_REQUEST_STOP ||
	       (what == TL_REQUEST_PAUSE && tl_config.full != TL_FULL_RING);
}

/* Begins or ends recording, if it is time for that. True: it ended. */
static bool window_turn(void)
{
	if (!atomic_load_explicit(&window.open, memory_order_acquire) ||
	    tl_clock_gettime_ticks() < window.next)
		return false;
	bool ended = window_switch();

	if (!window.left)
		atomic_store_explicit(&window.open, false, memory_order_relaxed);
	return ended;
}

/* True: what was recorded since the last time is to be written. */
static bool split_turn(void)
{
	splits = splits_by_time() && tl_clock_gettime_ticks() >= tl_writer_file_due();
	return splits;
}

bool tl_control_splits(void)
{
	bool now = splits;

	splits = false;
	return now;
}

static uint32_t request_now(void)
{
	const struct tl_file_header *header = tl_arena_header();

	/* Acquire: pairs with the exchange by the command. */
	return header ? atomic_load_explicit(&header->request, memory_order_acquire) : 0;
}

static uint32_t request_answered(void)
{
	const struct tl_file_header *header = tl_arena_header();

	return header ? atomic_load_explicit(&header->answer, memory_order_relaxed) : 0;
}

bool tl_control_is_asked(void)
{
	return request_now() != request_answered() ||
	       atomic_load_explicit(&signalled, memory_order_relaxed);
}

bool tl_control_serve(void)
{
	bool write = atomic_exchange_explicit(&signalled, false, memory_order_relaxed);

	served = request_now();
	if (served != request_answered())
		write |= request_carry_out(served & ((1u << TL_REQUEST_BITS) - 1));
	write |= split_turn();
	return window_turn() || write;
}

void tl_control_answer(void)
{
	struct tl_file_header *header = tl_arena_header();

	if (!header || served == request_answered())
		return;
	/* Release: pairs with the acquire in the command; the request has been carried out. */
	atomic_store_explicit(&header->answer, served, memory_order_release);
	tl_futex_wake_shared(&header->answer);
}

static int patience_until(uint64_t next, int ms)
{
	uint64_t time = tl_clock_gettime_ticks(),
		 left = next > time ? (next - time + 999999) / 1000000 : 0;

	return left < (uint64_t)ms ? (int)left : ms;
}

int tl_control_patience(int ms)
{
	if (splits_by_time())
		ms = patience_until(tl_writer_file_due(), ms);
	if (!atomic_load_explicit(&window.open, memory_order_acquire))
		return ms;
	return patience_until(window.next, ms);
}

void tl_control_listens(bool listens)
{
	struct tl_file_header *header = tl_arena_header();

	if (header)
		atomic_store_explicit(&header->listens, listens, memory_order_relaxed);
}

/* --- for the program's own switches */

void tl_control_end_window(void)
{
	atomic_store_explicit(&window.open, false, memory_order_relaxed);
}

void tl_control_listen(void)
{
	if (tl_process_has_begun() && tl_process_is_owner() && tl_process_may_record() &&
	    tl_arena_begin())
		tl_writer_wake();
	else
		first_call_await(tl_process_may_record());
}
