/* SPDX-License-Identifier: MIT */
/*
 * recording_control.c: see recording_control.h.
 *
 * Whether calls are recorded is the runtime's (tl_runtime_switch), which changes the shims' modes
 * under its lock. What is here are those who ask for it. The program asks by a function, and does
 * it itself. Everybody else has it done by the writer's thread, which is woken:
 *
 *	the command	puts a request into the header, and waits until .answer is that
 *	a signal	sets `signalled`
 *	the window	is a time, .next; the thread doesn't sleep beyond it
 *
 * That thread is there from the first full chunk on, which may be late, or (while recording is
 * paused) never. So where somebody may ask, it starts with the first traced call: `waiting`. To see
 * that call though nothing is recorded, a shim that has not been called yet goes out of line
 * (TL_MODE_RESOLVE), also in a child, for which tl_control_after_fork asks for that again.
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
#include "layer/base/futex.h"
#include "layer/process/runtime.h"
#include "layer/base/message.h"
#include "layer/write/writer.h"

#define TRACELAYER_LINKED
#include "tracelayer/tracelayer.h"

static _Atomic bool waiting;   /* for the first traced call */
static _Atomic bool signalled; /* a snapshot is wanted */
/* the request that is being carried out; the server's own */
static uint32_t served;

/* The window. Set by the first traced call before the thread is woken; then the server's own. */
static struct {
	_Atomic bool open; /* it is still to begin, or to end */
	/* when recording is switched, in nanoseconds, and how often yet */
	uint64_t next, left;
} window;

/* --- the first traced call */

static bool may_be_asked(void)
{
	return tl_runtime_may_record() && (tl_config.paused || tl_config.window.repeats ||
					   *tl_config.session || tl_config.snapshot_on);
}

bool tl_control_start(void)
{
	atomic_store_explicit(&waiting, may_be_asked(), memory_order_relaxed);
	return tl_config.paused || tl_config.window.repeats;
}

bool tl_control_waits(void)
{
	return atomic_load_explicit(&waiting, memory_order_relaxed);
}

static void on_signal(int number)
{
	int error = errno;

	(void)number;
	/*
	 * A child of vfork has the handler, too, and it is not its own memory that this would be
	 * noted in.
	 */
	if (tl_runtime_is_owner()) {
		atomic_store_explicit(&signalled, true, memory_order_relaxed);
		tl_writer_wake();
		tl_buffer_wake();
	}
	errno = error;
}

/* A signal that the program has its own way with is left to it. */
static void take_signal(int number)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK},
			 before;

	sigfillset(&action.sa_mask);
	if (sigaction(number, NULL, &before) || before.sa_handler == on_signal)
		return;
	if (before.sa_flags & SA_SIGINFO || before.sa_handler != SIG_DFL)
		tl_message_say(
			"tracelayer: TRACELAYER_SNAPSHOT_ON: the program handles that signal itself; name another\n");
	else
		sigaction(number, &action, NULL);
}

static void open_window(void)
{
	window.left = tl_config.window.repeats > UINT64_MAX / 2 ? UINT64_MAX
								: 2 * tl_config.window.repeats;
	window.next = tl_clock_gettime_ticks() + tl_config.window.delay;
	/* Release: pairs with the acquire of who serves. */
	atomic_store_explicit(&window.open, true, memory_order_release);
}

void tl_control_begin(void)
{
	int error = errno;

	if (tl_runtime_begin() && tl_runtime_is_owner() && tl_arena_begin() &&
	    atomic_exchange_explicit(&waiting, false, memory_order_relaxed)) {
		if (tl_config.snapshot_on)
			take_signal(tl_config.snapshot_on);
		if (tl_config.window.repeats)
			open_window();
		tl_writer_wake();
	}
	errno = error;
}

void tl_control_after_fork(void)
{
	bool waits = may_be_asked() || !tl_runtime_recording();

	atomic_store_explicit(&signalled, false, memory_order_relaxed);
	atomic_store_explicit(&window.open, false, memory_order_relaxed);
	served = 0;
	if (!tl_runtime_may_record())
		return;
	/* Its window is its own. */
	if (tl_config.window.repeats && tl_runtime_state() != TL_FILE_STOPPED)
		tl_runtime_switch(TL_FILE_PAUSED);
	atomic_store_explicit(&waiting, waits, memory_order_relaxed);
	if (waits)
		tl_runtime_look_again();
}

/* --- carrying out; on the writer's thread */

/* Pauses that are asked for from outside give the file its end: somebody wants to look at it. */
static bool carry_out(uint32_t what)
{
	switch (what) {
	case TL_REQUEST_PAUSE:
		tl_runtime_switch(TL_FILE_PAUSED);
		break;
	case TL_REQUEST_RESUME:
		tl_runtime_switch(TL_FILE_RECORDS);
		break;
	case TL_REQUEST_STOP:
		tl_runtime_switch(TL_FILE_STOPPED);
		break;
	case TL_REQUEST_WATCH:
	case TL_REQUEST_UNWATCH:
		tl_runtime_watch(what == TL_REQUEST_WATCH);
		return false;
	}
	/* Who switches by hand has other plans than the window. */
	if (what != TL_REQUEST_SNAPSHOT)
		atomic_store_explicit(&window.open, false, memory_order_relaxed);
	/* A ring that is paused still keeps what it has for a snapshot. */
	return what == TL_REQUEST_SNAPSHOT || what == TL_REQUEST_STOP ||
	       (what == TL_REQUEST_PAUSE && tl_config.full != TL_FULL_RING);
}

/* Begin or end recording, if it is time for that. True: it ended. */
static bool turn_window(void)
{
	if (!atomic_load_explicit(&window.open, memory_order_acquire) ||
	    tl_clock_gettime_ticks() < window.next)
		return false;
	bool begins = window.left % 2 == 0;

	tl_runtime_switch(begins ? TL_FILE_RECORDS : TL_FILE_PAUSED);
	window.next += begins ? tl_config.window.length : tl_config.window.delay;
	if (!--window.left)
		atomic_store_explicit(&window.open, false, memory_order_relaxed);
	return !begins;
}

static uint32_t asked(void)
{
	const struct tl_file_header *header = tl_arena_header();

	/* Acquire: pairs with the command's exchange. */
	return header ? atomic_load_explicit(&header->request, memory_order_acquire) : 0;
}

static uint32_t answered(void)
{
	const struct tl_file_header *header = tl_arena_header();

	return header ? atomic_load_explicit(&header->answer, memory_order_relaxed) : 0;
}

bool tl_control_is_asked(void)
{
	return asked() != answered() || atomic_load_explicit(&signalled, memory_order_relaxed);
}

bool tl_control_serve(void)
{
	bool write = atomic_exchange_explicit(&signalled, false, memory_order_relaxed);

	served = asked();
	if (served != answered())
		write |= carry_out(served & ((1u << TL_REQUEST_BITS) - 1));
	return turn_window() || write;
}

void tl_control_answer(void)
{
	struct tl_file_header *header = tl_arena_header();

	if (!header || served == answered())
		return;
	/* Release: what was asked for has been done; pairs with the command's acquire. */
	atomic_store_explicit(&header->answer, served, memory_order_release);
	tl_futex_wake_shared(&header->answer);
}

int tl_control_patience(int ms)
{
	if (!atomic_load_explicit(&window.open, memory_order_acquire))
		return ms;
	uint64_t time = tl_clock_gettime_ticks(),
		 left = window.next > time ? (window.next - time + 999999) / 1000000 : 0;

	return left < (uint64_t)ms ? (int)left : ms;
}

void tl_control_listens(bool listens)
{
	struct tl_file_header *header = tl_arena_header();

	if (header)
		atomic_store_explicit(&header->listens, listens, memory_order_relaxed);
}

/* --- the program's own; see tracelayer/tracelayer.h */

/*
 * There must be somebody to hear that it is to go on again, as soon as there is a process to speak
 * of.
 */
static void listen(void)
{
	if (tl_runtime_has_begun() && tl_runtime_is_owner() && tl_runtime_may_record() &&
	    tl_arena_begin())
		tl_writer_wake();
	else
		atomic_store_explicit(&waiting, tl_runtime_may_record(), memory_order_relaxed);
}

static int change(enum tl_file_recording to)
{
	int error = errno;

	tl_runtime_start();
	tl_runtime_notice_fork();
	if (tl_config.secure)
		return TL_ABSENT;
	atomic_store_explicit(&window.open, false, memory_order_relaxed);
	bool done = tl_runtime_switch(to);
	if (done && to != TL_FILE_RECORDS)
		listen();
	errno = error;
	return done ? TL_DONE : TL_STOPPED;
}

TL_EXPORT int tl_pause(void)
{
	return change(TL_FILE_PAUSED);
}

TL_EXPORT int tl_resume(void)
{
	return change(TL_FILE_RECORDS);
}

TL_EXPORT int tl_snapshot(void)
{
	int error = errno;

	tl_runtime_start();
	tl_runtime_notice_fork();
	if (tl_config.secure)
		return TL_ABSENT;
	bool failed = tl_runtime_flush() && !tl_writer_is_complete();
	errno = error;
	return failed ? TL_FAILED : TL_DONE;
}

TL_EXPORT int tl_stop(void)
{
	int answer = change(TL_FILE_STOPPED);

	return answer == TL_ABSENT ? answer : tl_snapshot();
}

TL_EXPORT int tl_recording(void)
{
	return tl_runtime_recording();
}

/* For programs that are not linked with us. */
extern TL_EXPORT const struct tl_switch tl_switch_here;
const struct tl_switch tl_switch_here = {
	sizeof(struct tl_switch), tl_pause, tl_resume, tl_snapshot, tl_stop, tl_recording};
