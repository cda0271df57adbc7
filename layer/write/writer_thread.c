/* SPDX-License-Identifier: MIT */
/*
 * writer_thread.c: the writer's thread; and what a producer does that finds no room.
 *
 * The thread has a descriptor of the file in a file table of its own. Others open the file by its
 * name for as long as they hold the pen.
 *
 * A producer with no room left writes by itself only if there is no writer's thread. If there is
 * one, the producer waits for it: if a producer opened a descriptor in the program's table, another
 * thread could close it and reuse its number before the producer writes to it. All that a producer
 * can do is to make sure that the thread runs. A producer of real-time priority, which others may
 * have to wait for, lends the thread its priority until everything is written (tl_raw_thread_lend).
 * All others share their processors with it fairly, and leave them to it while they wait.
 *
 * Ordered accesses
 *
 *	tl_writer.thread	release by the thread and by who starts it, acquire by all who look:
 *				the thread has its own file table, or has closed the file and left
 *	ends_asked		release by who asks, acquire by the thread: what was recorded before
 *	ends_written		release by the thread, acquire by who asked: the end is in the file
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/proc.h"
#include "layer/base/bounded_lock.h"
#include "layer/base/credentials.h"
#include "layer/base/environment.h"
#include "layer/base/futex.h"
#include "layer/base/message.h"
#include "layer/base/raw_thread.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/buffers/process_state.h"
#include "layer/write/ahead.h"
#include "layer/write/recording_control.h"
#include "layer/write/sink.h"
#include "layer/write/writer.h"
#include "layer/write/writer_state.h"

#define RETRY_MS 100 /* between two attempts to write what could not be written */

enum thread_state { THREAD_NONE, THREAD_STARTING, THREAD_RUNS, THREAD_REFUSED };

/* ---- The thread */

/*
 * The thread ends, since the process is to have one thread only. Release: pairs with the acquire in
 * tl_writer_has_thread.
 */
static int thread_leave(void)
{
	tl_sink_close(&tl_writer.sink);
	tl_control_listens(false);
	tl_control_answer();
	tl_bounded_lock_release(&tl_writer.pen);
	atomic_store_explicit(&tl_writer.thread, THREAD_NONE, memory_order_release);
	return 0;
}

/* Sleeps until there is something to do. After a failure to write, it wakes soon to try again. */
static void thread_sleep(void)
{
	if (atomic_exchange_explicit(&tl_writer.lent, false, memory_order_relaxed))
		tl_raw_thread_give_back();
	if (tl_writer.failing && !tl_control_is_asked())
		tl_futex_wait(&tl_writer.ends_asked,
			      atomic_load_explicit(&tl_writer.ends_written, memory_order_relaxed),
			      tl_control_patience(RETRY_MS));
	else
		/* The clock needs a pair this often, however little is recorded. */
		tl_buffer_wait(tl_control_patience(200));
}

/*
 * All threads of the program have ended by the system call of one thread (exit), the first of them as
 * a zombie. Without this thread the process would be gone. *code: what the first ended with.
 */
static bool thread_is_last(int *code)
{
	char stat[1024];

	stat[tl_proc_read("/proc/self/stat", stat, sizeof(stat) - 1)] = 0;
	if (*tl_proc_stat_field(stat, 3) != 'Z' || tl_proc_stat_number(stat, 20) != 2)
		return false;
	*code = (int)(tl_proc_stat_number(stat, 52) >> 8 & 0xff);
	return true;
}

/* The process ends with this thread, and by its code. */
static int thread_end_process(int code)
{
	atomic_store_explicit(&tl_writer.last, true, memory_order_relaxed);
	tl_writer_write_all();
	tl_writer_report_end();
	if (tl_writer_is_complete())
		tl_arena_done(true);
	thread_leave();
	return (int)syscall(SYS_exit, code);
}

/* Let a thread that waits for the pen wake up and take it. If it asks for an end next, go on. */
static void thread_make_way(void)
{
	tl_futex_wait(&tl_writer.ends_asked,
		      atomic_load_explicit(&tl_writer.ends_written, memory_order_relaxed), 1);
}

/*
 * Take the process's new users, groups and capabilities. False: the kernel refuses, so this thread
 * must not go on.
 */
static bool thread_follow_change(void)
{
	/* Acquire: pairs with the release in tl_writer_follow, so that .change is complete. */
	uint32_t asked = atomic_load_explicit(&tl_writer.changes_asked, memory_order_acquire);

	if (asked == atomic_load_explicit(&tl_writer.changes_made, memory_order_relaxed))
		return true;
	if (!atomic_load_explicit(&tl_writer.change_is_known, memory_order_relaxed) ||
	    !tl_credentials_take(&tl_writer.change))
		return false;
	/* Release: pairs with the acquire in tl_writer_follow. */
	atomic_store_explicit(&tl_writer.changes_made, asked, memory_order_release);
	tl_futex_wake(&tl_writer.changes_made);
	return true;
}

/* With a bound, and repeatedly: the pen's holder may keep it for good while the process goes on. */
static bool thread_take_pen(void)
{
	do {
		if (!thread_follow_change())
			return false;
	} while (!tl_bounded_lock_take(&tl_writer.pen, RETRY_MS));
	return true;
}

/*
 * The thread ends, since it has more rights than the process. Other threads open the file again, if
 * they may. One of them may hold the pen now, but leaves the file alone as long as there is a
 * writer's thread. Release: pairs with the acquire in tl_writer_has_thread.
 */
static int thread_give_up(void)
{
	tl_sink_close(&tl_writer.sink);
	tl_control_listens(false);
	atomic_store_explicit(&tl_writer.thread, THREAD_REFUSED, memory_order_release);
	tl_futex_wake(&tl_writer.changes_made);
	return 0;
}

static int writer_thread_main(void *unused)
{
	(void)unused;
	bool separate = tl_raw_thread_separate();
	atomic_store_explicit(&tl_writer.thread, separate ? THREAD_RUNS : THREAD_REFUSED,
			      memory_order_release);
	if (!separate)
		return 0;
	if (!thread_take_pen())
		return thread_give_up();
	/*
	 * An earlier thread had the file open. Open it now, before the program changes to a root or
	 * namespace where the name leads nowhere.
	 */
	if (tl_writer.sink.made)
		tl_writer_open_file();
	else
		tl_sink_set_due(&tl_writer.sink, tl_clock_gettime_ticks() + tl_config.split_ns);
	tl_bounded_lock_release(&tl_writer.pen);
	tl_control_listens(true);
	uint32_t progress = 0;
	for (bool more = false;; more ? (void)0 : thread_sleep()) {
		bool up_to_date = tl_control_serve();
		if (!thread_take_pen())
			return thread_give_up();
		uint32_t now = tl_bounded_lock_progress_made(&tl_writer.pen);
		int code = 0;
		if (now == progress && !more && thread_is_last(&code))
			return thread_end_process(code);
		progress = now;
		tl_writer.sink.completes = tl_control_splits();
		tl_clock_settle();
		uint32_t asked = atomic_load_explicit(&tl_writer.ends_asked, memory_order_acquire);
		bool ending = asked !=
			      atomic_load_explicit(&tl_writer.ends_written, memory_order_relaxed);
		if (up_to_date || ending)
			tl_writer_write_all();
		else
			more = tl_writer_drain_turn();
		if (!ending) {
			tl_writer_say_trouble(tl_message_say_apart);
		} else {
			atomic_store_explicit(&tl_writer.ends_written, asked, memory_order_release);
			tl_futex_wake(&tl_writer.ends_written);
			tl_ahead_ring();
		}
		if (atomic_load_explicit(&tl_writer.thread_ends, memory_order_relaxed))
			return thread_leave();
		bool wanted = tl_bounded_lock_release(&tl_writer.pen);
		tl_control_answer();
		/* A waiting thread has to wake up first, and would find the pen taken again. */
		if (wanted)
			thread_make_way();
	}
}

bool tl_writer_wake(void)
{
	uint32_t state = atomic_load_explicit(&tl_writer.thread, memory_order_acquire);
	int error = errno;

	if (state == THREAD_RUNS || state == THREAD_STARTING)
		return true;
	if (state == THREAD_REFUSED)
		return false;
	/* A child that shares its parent's memory would start a thread that ends with the child. */
	if (atomic_load_explicit(&tl_writer.finishing, memory_order_relaxed) ||
	    !tl_process_is_owner())
		return true;
	/*
	 * Sequentially consistent with thread_hold: either thread_hold sees THREAD_STARTING, or this
	 * function sees .finishing.
	 */
	if (!atomic_compare_exchange_strong_explicit(&tl_writer.thread, &state, THREAD_STARTING,
						     memory_order_seq_cst, memory_order_acquire))
		return state != THREAD_REFUSED;
	if (atomic_load_explicit(&tl_writer.finishing, memory_order_seq_cst)) {
		atomic_store_explicit(&tl_writer.thread, THREAD_NONE, memory_order_release);
		return true;
	}
	atomic_store_explicit(&tl_writer.thread_ends, false, memory_order_relaxed);
	bool started = tl_raw_thread_start(writer_thread_main, &tl_writer.raw);
	if (!started)
		atomic_store_explicit(&tl_writer.thread, THREAD_REFUSED, memory_order_release);
	errno = error;
	return started;
}

bool tl_writer_has_thread(void)
{
	/* Acquire: pairs with the release in thread_leave and thread_give_up. */
	uint32_t state = atomic_load_explicit(&tl_writer.thread, memory_order_acquire);

	return state == THREAD_RUNS || state == THREAD_STARTING;
}

/*
 * Waits until the thread has written an end. While it writes, this thread encodes chunks for it, if
 * `helps`.
 */
static bool thread_await_end(uint32_t mine, bool helps)
{
	uint32_t progress = tl_bounded_lock_progress_made(&tl_writer.pen), now, answered;

	for (int waited = 0; waited < TL_WRITER_PATIENCE_MS && tl_writer_has_thread();
	     waited += 100) {
		uint32_t bell = tl_ahead_bell();

		answered = atomic_load_explicit(&tl_writer.ends_written, memory_order_acquire);
		if ((int32_t)(answered - mine) >= 0)
			return true;
		if (!helps)
			tl_futex_wait(&tl_writer.ends_written, answered, 100);
		else if (!tl_ahead_help())
			tl_ahead_wait(bell, 100);
		else
			waited = -100;
		now = tl_bounded_lock_progress_made(&tl_writer.pen);
		waited = now == progress ? waited : 0;
		progress = now;
	}
	return false;
}

bool tl_writer_ask_thread(bool helps)
{
	/* The offer comes first: the thread looks for it when it sees the request. */
	bool offered = helps && tl_ahead_offer();
	uint32_t mine =
		atomic_fetch_add_explicit(&tl_writer.ends_asked, 1, memory_order_acq_rel) + 1;

	tl_buffer_wake();
	tl_futex_wake(&tl_writer.ends_asked);
	bool written = thread_await_end(mine, offered);
	if (offered)
		tl_ahead_withdraw();
	return written;
}

bool tl_writer_help(void)
{
	struct tl_signals signals;
	int error = errno;

	uint32_t state = atomic_load_explicit(&tl_writer.thread, memory_order_acquire);
	if (state == THREAD_RUNS && tl_raw_thread_lend(&tl_writer.raw))
		atomic_store_explicit(&tl_writer.lent, true, memory_order_relaxed);
	if (state != THREAD_REFUSED) {
		errno = error;
		return false;
	}
	tl_signals_hold(&signals);
	bool mine = tl_bounded_lock_try(&tl_writer.pen);
	uint32_t before = tl_bounded_lock_progress_made(&tl_writer.pen);
	if (mine) {
		bool more;
		tl_writer_drain(8, &more);
		tl_writer_say_trouble(tl_message_say);
		tl_sink_close(&tl_writer.sink);
		tl_bounded_lock_release(&tl_writer.pen);
	}
	bool helped = mine && before != tl_bounded_lock_progress_made(&tl_writer.pen);
	tl_signals_back(&signals);
	errno = error;
	return helped;
}

/* ---- Around system calls that allow no other thread, or that change credentials */

/* No thread starts from here on. One that was about to start has started, or has not. */
static void thread_hold(void)
{
	const struct timespec moment = {.tv_nsec = 100000};

	atomic_fetch_add_explicit(&tl_writer.finishing, 1, memory_order_seq_cst);
	for (int naps = 0;
	     naps < TL_WRITER_PATIENCE_MS * 10 &&
	     atomic_load_explicit(&tl_writer.thread, memory_order_seq_cst) == THREAD_STARTING;
	     naps++)
		syscall(SYS_nanosleep, &moment, NULL);
}

void tl_writer_hold(void)
{
	int error = errno;

	thread_hold();
	errno = error;
}

void tl_writer_let_go(void)
{
	atomic_fetch_sub_explicit(&tl_writer.finishing, 1, memory_order_relaxed);
}

bool tl_writer_follow(const struct tl_credentials *credentials)
{
	if (!tl_writer_has_thread())
		return true;
	if (credentials)
		tl_writer.change = *credentials;
	atomic_store_explicit(&tl_writer.change_is_known, credentials, memory_order_relaxed);
	/* Release: pairs with the acquire in thread_follow_change. */
	uint32_t mine = atomic_fetch_add_explicit(&tl_writer.changes_asked, 1,
						  memory_order_release) +
			1,
		 followed;
	tl_buffer_wake();
	tl_futex_wake(&tl_writer.ends_asked);
	for (int waited = 0; waited < TL_WRITER_PATIENCE_MS; waited += RETRY_MS) {
		/* Acquire: pairs with the release in thread_follow_change. */
		followed = atomic_load_explicit(&tl_writer.changes_made, memory_order_acquire);
		if (followed == mine || !tl_writer_has_thread())
			return true;
		tl_futex_wait(&tl_writer.changes_made, followed, RETRY_MS);
	}
	/*
	 * The thread is stuck in a write. Another change may come before it looks, so it must end
	 * when it does.
	 */
	atomic_store_explicit(&tl_writer.change_is_known, false, memory_order_relaxed);
	return false;
}

void tl_writer_suspend(void)
{
	int error = errno;

	thread_hold();
	/*
	 * If several threads suspend, all their system calls fail anyway: only one of them waits.
	 */
	if (tl_writer_has_thread() &&
	    !atomic_exchange_explicit(&tl_writer.thread_ends, true, memory_order_relaxed)) {
		tl_buffer_wake();
		atomic_store_explicit(&tl_writer.suspended,
				      tl_raw_thread_join(&tl_writer.raw, TL_WRITER_PATIENCE_MS),
				      memory_order_relaxed);
	}
	errno = error;
}

void tl_writer_resume(void)
{
	int error = errno;
	bool again = atomic_exchange_explicit(&tl_writer.suspended, false, memory_order_relaxed);

	atomic_fetch_sub_explicit(&tl_writer.finishing, 1, memory_order_relaxed);
	if (again)
		tl_writer_wake();
	errno = error;
}
