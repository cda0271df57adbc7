/* SPDX-License-Identifier: MIT */
/*
 * writer.c: see writer.h. The end of the file, and how the parts of the writer fit together.
 *
 *	writer_state.h		what the parts share
 *	writer_thread.c		the writer's thread, and a producer that stands in for it
 *	writer_drain.c		from queued chunks to the file
 *	ahead.c			chunks are encoded by two threads when the program ends
 *	writer_losses.c		what is lost is counted
 *	writer_messages.c	what is printed about it
 *
 * A thread that writes holds the pen, a lock that protects everything in tl_writer that isn't
 * atomic, and what block.c, sink.c and lanes.c keep. The writer's thread holds it; or, in a process
 * that has no such thread, the exit handler or a producer that helps. While a thread of the program
 * holds the pen, all its signals are blocked, so that no handler can want the pen on the same
 * thread.
 */
#include "layer/write/writer.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layer/base/bounded_lock.h"
#include "layer/base/message.h"
#include "layer/base/raw_thread.h"
#include "layer/base/run_report.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/lanes.h"
#include "layer/write/ahead.h"
#include "layer/write/sink.h"
#include "layer/write/writer_state.h"

/* Six pages, in a section behind .data: they must not part what the start touches there. */
struct tl_writer_state tl_writer __attribute__((section("tl_writer_state"))) = {.sink.fd = -1};

static bool on_signal_stack(void)
{
	stack_t stack;

	return !sigaltstack(NULL, &stack) && (stack.ss_flags & SS_ONSTACK);
}

/*
 * The writer's thread must write the end if the stack may be small, or to a pipe: a pipe must stay
 * open until the very end, which is certain only in a file table of its own.
 */
static bool end_wants_thread(void)
{
	if (on_signal_stack())
		return true;
	/* Without the arena nothing was recorded. */
	if (tl_writer_has_thread() || !tl_arena_facts() ||
	    !tl_bounded_lock_take(&tl_writer.pen, TL_WRITER_PATIENCE_MS))
		return false;
	bool stream = tl_sink_is_stream(&tl_writer.sink);
	tl_bounded_lock_release(&tl_writer.pen);
	return stream;
}

/*
 * Lets the writer's thread write everything, or does it here if there is none. True: the caller has
 * the pen, too.
 */
static bool all_write_somehow(void)
{
	if (tl_writer_has_thread() && !tl_writer_ask_thread(!on_signal_stack()) &&
	    tl_writer_has_thread())
		return false;
	if (!tl_bounded_lock_take(&tl_writer.pen, TL_WRITER_PATIENCE_MS))
		return false;
	if (!tl_writer_has_thread()) {
		tl_writer_write_all();
		tl_sink_close(&tl_writer.sink);
	}
	return true;
}

static uint32_t this_thread(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

void tl_writer_report_end(void)
{
	if (!tl_writer.sink.ended || tl_writer.end.reported)
		return;
	tl_report_finished(tl_writer.sink.output.path,
			   tl_writer.sink.events + tl_writer.end.unfinished,
			   tl_writer_losses() - tl_writer.losses_told);
	tl_writer.end.reported = true;
}

/* `close`: keep the pen, so that nothing recorded from now on is written, and the end stays. */
static void end_file(bool close)
{
	struct tl_signals signals;
	int error = errno;

	tl_signals_hold(&signals);
	/*
	 * A signal handler interrupted this thread between tl_writer_close and the system call that
	 * the close was for.
	 */
	if (atomic_load_explicit(&tl_writer.closer, memory_order_relaxed) == this_thread())
		tl_writer_open();
	if (end_wants_thread())
		tl_writer_wake();
	atomic_fetch_add_explicit(&tl_writer.finishing, 1, memory_order_relaxed);
	if (all_write_somehow()) {
		tl_writer_report_end();
		tl_writer_say_losses();
		tl_writer_say_stackless();
		if (close)
			atomic_store_explicit(&tl_writer.closer, this_thread(),
					      memory_order_relaxed);
		else
			tl_bounded_lock_release(&tl_writer.pen);
	} else {
		tl_writer_say_stuck();
	}
	atomic_fetch_sub_explicit(&tl_writer.finishing, 1, memory_order_relaxed);
	tl_signals_back(&signals);
	errno = error;
}

void tl_writer_finish(void)
{
	end_file(false);
}

void tl_writer_close(bool last)
{
	if (last)
		atomic_store_explicit(&tl_writer.last, true, memory_order_relaxed);
	end_file(true);
	if (last && tl_writer_is_complete())
		tl_arena_done(true);
}

void tl_writer_open(void)
{
	uint32_t self = this_thread();

	if (!atomic_compare_exchange_strong_explicit(&tl_writer.closer, &self, 0,
						     memory_order_relaxed, memory_order_relaxed))
		return;
	atomic_store_explicit(&tl_writer.last, false, memory_order_relaxed);
	tl_bounded_lock_release(&tl_writer.pen);
}

bool tl_writer_is_complete(void)
{
	return atomic_load_explicit(&tl_writer.complete, memory_order_relaxed);
}

void tl_writer_after_fork(void)
{
	struct tl_writer_memory *memory = tl_writer.memory;

	/* The parent's thread, its file table and its half-made block do not exist here. */
	memset(&tl_writer, 0, sizeof(tl_writer));
	tl_writer.sink.fd = -1;
	tl_lanes_forget();
	tl_ahead_after_fork();
	if (memory)
		munmap(memory, sizeof(*memory));
}
