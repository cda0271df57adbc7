/* SPDX-License-Identifier: MIT */
/*
 * process_exit.c: see process_exit.h.
 */
#include "layer/process/process_exit.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "layer/base/message.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/process_state.h"
#include "layer/calls/open_calls.h"
#include "layer/device/background.h"
#include "layer/device/device_lanes.h"
#include "layer/process/exec_image.h"
#include "layer/process/process_parts.h"
#include "layer/resolve/api_table.h"
#include "layer/resolve/recording.h"
#include "layer/base/run_report.h"
#include "layer/write/writer.h"

/* --- the file's end */

bool tl_process_flush(void)
{
	if (!tl_process_has_records())
		return false;
	tl_writer_finish();
	return true;
}

bool tl_process_close(bool certain)
{
	if (!tl_process_has_records())
		return false;
	tl_writer_close(certain);
	return true;
}

void tl_process_reopen(void)
{
	tl_writer_open();
}

void tl_process_release(void)
{
	/* What could not be written stays, for `tracelayer recover`. */
	if (tl_writer_is_complete())
		tl_arena_delete();
}

/* Recording ends first: fast threads would keep the writing going for as long as there is memory.
 */
void tl_process_end(void)
{
	if (!tl_process_has_records())
		return;
	if (tl_process_is_recording())
		tl_recording_set(false);
	tl_writer_close(true);
	tl_process_release();
}

/* --- exit handlers */

static void at_exit(void)
{
	tl_process_notice_fork();
	if (!tl_process_has_records())
		return;
	tl_parts_end(false);
	tl_writer_finish();
}

void tl_exit_register(void)
{
	atexit(at_exit);
}

void tl_process_renew_exit(void)
{
	static _Atomic bool renewed;

	if (!atomic_exchange_explicit(&renewed, true, memory_order_relaxed))
		atexit(at_exit);
}

/*
 * The process whose early end has been; 0: none. By the number that the layer keeps, as LLVM alone
 * registers thousands of handlers, and each asks.
 */
static _Atomic pid_t early_in;

bool tl_exit_early_is_done(void)
{
	return atomic_load_explicit(&early_in, memory_order_relaxed) == tl_process_home();
}

void tl_exit_early(void)
{
	tl_process_notice_fork();
	/* A child of vfork has its parent's number here, and has no records. */
	if (tl_exit_early_is_done() || !tl_process_has_records())
		return;
	if (atomic_exchange_explicit(&early_in, tl_process_home(), memory_order_relaxed) ==
	    tl_process_home())
		return;
	tl_device_await();
	tl_writer_finish();
}

/* What other exit handlers, and destructors before this one, recorded. */
static __attribute__((destructor)) void library_unloaded(void)
{
	at_exit();
}

/*
 * The functions inside of which the program called exit never return. Calls of other threads may
 * still do so. A tool that calls exit is inside its own callback.
 */
static void open_calls_end(void)
{
	struct tl_thread *thread = tl_self;

	if (thread && !thread->busy && !tl_buffer_is_stale(thread))
		tl_call_end_all(thread);
}

/*
 * The last word. Libraries that have nothing to do with the layer may have destructors later than
 * its own, and release there what they hold of a driver. What is registered while libraries are
 * loaded with the program runs after the destructors of all of them: the dynamic linker registers
 * those right before main. on_exit, because what a library registers with atexit belongs to it, and
 * runs with its destructors.
 */
static void after_libraries(int status, void *unused)
{
	(void)status;
	(void)unused;
	tl_process_notice_fork();
	if (!tl_process_has_records())
		return;
	open_calls_end();
	tl_parts_end(true);
	tl_process_end();
}

void tl_exit_register_last(void)
{
	on_exit(after_libraries, NULL);
}

/* --- seccomp */

void tl_process_confine(void)
{
	tl_process_notice_fork();
	/* A child of vfork has its parent's memory. */
	if (!tl_process_is_home())
		return;
	bool began = tl_process_has_records() && tl_arena_facts();
	if (!tl_report_confined(began) && began)
		tl_message_say(
			"tracelayer: the program confines itself by a seccomp filter that forbids what recording needs, so the trace ends there; "
			"see Limits in tracelayer's README\n");
	if (tl_process_has_records()) {
		/* The thread in the background first: the end of device lanes need not wait for it.
		 */
		tl_device_background_suspend();
		tl_parts_end(true);
		tl_parts_suspend();
		tl_process_end();
	}
	tl_api_resolve_all();
	tl_recording_switch(TL_FILE_CONFINED);
	tl_api_unwatch_all();
	tl_report_stop();
	tl_image_confine();
	tl_process_set_confined();
}
