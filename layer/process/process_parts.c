/* SPDX-License-Identifier: MIT */
/*
 * process_parts.c: see process_parts.h.
 */
#include "layer/process/process_parts.h"

#include <stddef.h>

#include "layer/base/environment.h"
#include "layer/base/first_call.h"
#include "layer/base/library_walk.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/buffers/clock.h"
#include "layer/buffers/label_memory.h"
#include "layer/buffers/process_state.h"
#include "layer/buffers/event_lanes.h"
#include "layer/buffers/strings.h"
#include "layer/buffers/upcalls.h"
#include "layer/calls/event.h"
#include "layer/calls/slow_path.h"
#include "layer/calls/stack_numbers.h"
#include "layer/calls/thread.h"
#include "layer/calls/tracers.h"
#include "layer/device/background.h"
#include "layer/device/device.h"
#include "layer/process/preload.h"
#include "layer/process/process_exit.h"
#include "layer/process/tool_libraries.h"
#include "layer/program/context.h"
#include "layer/program/marks.h"
#include "layer/program/roctx.h"
#include "layer/program/xpti_events.h"
#include "layer/program/zel_tracer.h"
#include "layer/resolve/api_table.h"
#include "layer/resolve/loaded_interposers.h"
#include "layer/resolve/recording.h"
#include "layer/write/process_facts.h"
#include "layer/write/recording_control.h"
#include "layer/base/run_report.h"
#include "layer/write/writer.h"

/* --- what a part does in more than one call */

static void preload_start(void)
{
	tl_process_set_preloaded(tl_preloaded());
}

/* Reports to `tracelayer run` that the layer is there, and no more. */
static void report_start(void)
{
	if (!tl_config.secure && (!tl_config.left_alone || tl_config.follow))
		tl_report_start();
	if (tl_config.left_alone)
		tl_report_stop();
}

static void buffers_start(void)
{
	static const struct tl_buffer_upcalls upcalls = {tl_writer_wake, tl_writer_help,
							 tl_control_is_asked, tl_about_facts};

	tl_buffer_give_upcalls(&upcalls);
	tl_arena_look();
}

static void clock_child(void)
{
	tl_clock_start_with(tl_clock_is_counter());
}

static void recording_start(void)
{
	tl_recording_start(tl_control_start());
}

/* A child without --follow is left alone from here on. */
static void follow_child(void)
{
	if (tl_config.follow)
		return;
	tl_config_leave_alone();
	tl_report_stop();
	tl_recording_watch(false);
	tl_recording_set(false);
}

static void calls_start(void)
{
	tl_call_after_initialising(tl_process_renew_exit);
}

static void device_start(void)
{
	tl_recording_at_begin(tl_device_look);
	tl_first_call_give(TL_FIRST_CALL_DEVICE, tl_device_begin);
	tl_device_look();
}

/* --- the table */

static const struct part {
	const char *name; /* for debuggers */
	void (*start)(void);
	void (*begin)(void);
	void (*before_fork)(void);
	void (*before_unseen_fork)(void);
	void (*parent)(void);
	void (*child)(void);
	bool child_if_begun; /* .child is only for processes whose first watched call has been */
	void (*suspend)(void);
	void (*resume)(void);
	void (*end)(void);
	bool (*awaits_end)(void);
	bool ends_last; /* .end only where nothing can be recorded later */
}
/*
 * From the ground up, so that a part finds those that it uses in order:
 *
 *	start, begin, parent, child, resume, end	in this order
 *	before_fork, before_unseen_fork, suspend	from the end of the table to its beginning
 *
 * Before a fork, so, locks are taken in the order in which calls take them: what may wait for a
 * driver or a tracer first, the API table's next, the dynamic linker's last. The parent gives them
 * back the other way round.
 *
 * In the child the memory comes first, as all else records into it. The API table follows when all
 * memory and the writer are new: it unblocks signals, and handlers may make calls from there on.
 * "followed" comes before what would go on in a child that is to be left alone.
 *
 * At the start the settings come first. Recording is decided before the APIs are registered, whose
 * shims get their modes by it.
 */
parts[] = {
	{"settings", .start = tl_config_read, .begin = tl_config_complain},
	{"preloading", .start = preload_start},
	{"loaded libraries", .before_fork = tl_library_walk_before_fork,
	 .parent = tl_library_walk_after_fork_parent, .child = tl_library_walk_after_fork_child},
	{"report to `tracelayer run`", .start = report_start},
	{"strings", .child = tl_strings_after_fork, .child_if_begun = true},
	{"stacks", .child = tl_stacks_after_fork, .child_if_begun = true},
	{"lanes", .child = tl_events_after_fork, .child_if_begun = true},
	{"labels", .child = tl_labels_after_fork, .child_if_begun = true},
	{"buffers", .start = buffers_start, .begin = tl_arena_fit, .child = tl_buffer_after_fork,
	 .child_if_begun = true},
	{"writer", .child = tl_writer_after_fork, .child_if_begun = true,
	 .suspend = tl_writer_suspend, .resume = tl_writer_resume},
	{"clock", .begin = tl_clock_start, .child = clock_child, .child_if_begun = true},
	{"recording", .start = recording_start},
	{"APIs", .start = tl_interposers_register, .begin = tl_api_need,
	 .before_fork = tl_api_before_fork, .before_unseen_fork = tl_api_before_unseen_fork,
	 .parent = tl_api_after_fork_parent, .child = tl_api_after_fork_child},
	{"calls", .start = calls_start, .begin = tl_thread_start},
	{"contexts", .child = tl_context_after_fork},
	{"marks", .child = tl_marks_after_fork},
	{"tracers", .before_fork = tl_tracer_before_fork,
	 .before_unseen_fork = tl_tracer_before_unseen_fork, .parent = tl_tracer_after_fork_parent,
	 .child = tl_tracer_after_fork_child},
	{"zelTracer", .start = tl_zel_start},
	{"followed", .child = follow_child},
	{"device lanes", .start = device_start, .before_fork = tl_device_background_before_fork,
	 .parent = tl_device_background_after_fork_parent, .child = tl_device_after_fork,
	 .suspend = tl_device_background_suspend, .resume = tl_device_background_resume,
	 .end = tl_device_end, .awaits_end = tl_device_awaits_end},
	{"ROCTX", .start = tl_roctx_start},
	{"requests", .child = tl_control_after_fork},
	{"tools", .start = tl_tools_start, .child = tl_tools_after_fork_child, .end = tl_tools_end,
	 .awaits_end = tl_tools_await_end},
	{"XPTI", .end = tl_guest_end, .awaits_end = tl_guest_awaits_end, .ends_last = true},
};

#define PARTS		(sizeof(parts) / sizeof(*parts))
#define UPWARDS(part)	for (const struct part *part = parts; part < parts + PARTS; part++)
#define DOWNWARDS(part) for (const struct part *part = parts + PARTS; part-- > parts;)

/* --- the walks */

void tl_parts_start(void)
{
	UPWARDS(part)
	if (part->start)
		part->start();
}

void tl_parts_begin(void)
{
	UPWARDS(part)
	if (part->begin)
		part->begin();
}

void tl_parts_before_fork(void)
{
	DOWNWARDS(part)
	if (part->before_fork)
		part->before_fork();
}

void tl_parts_before_unseen_fork(void)
{
	DOWNWARDS(part)
	if (part->before_unseen_fork)
		part->before_unseen_fork();
}

void tl_parts_after_fork_parent(void)
{
	UPWARDS(part)
	if (part->parent)
		part->parent();
}

void tl_parts_after_fork_child(void)
{
	bool begun = tl_process_has_begun();

	UPWARDS(part)
	if (part->child && (begun || !part->child_if_begun))
		part->child();
}

void tl_parts_suspend(void)
{
	DOWNWARDS(part)
	if (part->suspend)
		part->suspend();
}

void tl_parts_resume(void)
{
	UPWARDS(part)
	if (part->resume)
		part->resume();
}

void tl_parts_end(bool last)
{
	UPWARDS(part)
	if (part->end && (last || !part->ends_last))
		part->end();
}

bool tl_parts_await_end(void)
{
	UPWARDS(part)
	if (part->awaits_end && part->awaits_end())
		return true;
	return false;
}
