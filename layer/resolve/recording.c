/* SPDX-License-Identifier: MIT */
/*
 * recording.c: see recording.h.
 */
#include "layer/resolve/recording.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "layer/base/environment.h"
#include "layer/base/start_page.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/api_table.h"

static bool (*wanted_at_begin)(
	void) TL_START; /* set at the start, before there is anything to record */

void tl_recording_at_begin(bool (*wanted)(void))
{
	wanted_at_begin = wanted;
}

void tl_recording_start(bool paused)
{
	bool may = tl_process_may_record(), on = may && !paused;

	tl_process_set_watched(tl_config.watched && may);
	tl_process_set_recording(on ? TL_FILE_RECORDS : TL_FILE_PAUSED, on);
	/* As a rule there is no API yet: only if the start itself has called a traced function. */
	tl_api_follow_settings();
}

/* Called under the lock. */
static void header_note_state(void)
{
	struct tl_file_header *header = tl_arena_header();

	if (!header)
		return;
	atomic_store_explicit(&header->recording, tl_process_recording(), memory_order_relaxed);
	atomic_store_explicit(&header->resumed, tl_process_resumed(), memory_order_relaxed);
}

bool tl_recording_switch(enum tl_file_recording to)
{
	sigset_t signals;

	if (tl_process_is_confined())
		return false;
	tl_api_lock(&signals);
	bool may = to >= TL_FILE_STOPPED || tl_process_recording() < TL_FILE_STOPPED;
	if (may) {
		bool on = to == TL_FILE_RECORDS && !tl_config.secure;
		bool was = tl_process_set_recording(to, on);
		if (on && !was)
			tl_process_set_resumed();
		header_note_state();
		if (on != was)
			tl_api_follow_settings();
	}
	tl_api_unlock(&signals);
	/* Otherwise the calls of known threads would not take the slow path. */
	if (may && to == TL_FILE_RECORDS && wanted_at_begin && wanted_at_begin())
		tl_api_look_again();
	return may;
}

void tl_recording_watch(bool on)
{
	struct tl_file_header *header = tl_arena_header();
	sigset_t signals;

	tl_api_lock(&signals);
	if (tl_process_set_watched(on) != on)
		tl_api_follow_settings();
	if (header)
		atomic_store_explicit(&header->watched, on, memory_order_relaxed);
	tl_api_unlock(&signals);
}

void tl_recording_set(bool on)
{
	tl_process_start();
	tl_recording_switch(on ? TL_FILE_RECORDS : TL_FILE_PAUSED);
}
