/* SPDX-License-Identifier: MIT */
/*
 * xpti_events.c: see xpti_events.h.
 */
#include "layer/program/xpti_events.h"

#include <stdatomic.h>
#include <stddef.h>

#include "layer/buffers/clock.h"
#include "layer/base/environment.h"
#include "layer/base/run_report.h"
#include "layer/calls/hook.h"
#include "layer/calls/request.h"
#include "layer/buffers/process_state.h"
#include "layer/resolve/recording.h"

/*
 * Release when it is stored, acquire when it is loaded: the guest library's set-up is visible to
 * the call.
 */
static _Atomic(void (*)(void)) at_end[4];
#define AT_END (sizeof(at_end) / sizeof(*at_end))

bool tl_guest_joins(uint8_t level)
{
	tl_process_start();
	if (tl_config.secure || tl_config.left_alone || !tl_config.level)
		return false;
	/* If there is no trace in the end, this tells `run` that the settings are the reason. */
	if (!(tl_config.level & level) || tl_config.paused || tl_config.window.repeats)
		tl_report_called("NVTX, ITT or XPTI");
	if (!(tl_config.level & level))
		return false;
	/* These two settings decide themselves when recording begins. */
	if (!tl_process_may_record() && !tl_config.paused && !tl_config.window.repeats)
		tl_recording_set(true);
	return true;
}

bool tl_guest_wanted(uint8_t level)
{
	return tl_event_wanted(level) && tl_request_wants(level);
}

uint64_t tl_guest_now(void)
{
	return tl_event_now();
}

uint64_t tl_guest_ns(uint64_t from, uint64_t to)
{
	uint64_t start = tl_clock_ns(from), end = tl_clock_ns(to);

	return end > start ? end - start : 0;
}

bool tl_guest_put(struct tl_event *event)
{
	event->request = tl_request_current();
	return tl_event_put(event);
}

bool tl_guest_put_end(struct tl_event *event)
{
	event->request = tl_request_current();
	return tl_event_put_end(event);
}

/* Strings and lanes lie in the buffers, which exist from the first watched call on. */
static bool buffers_are_ready(void)
{
	tl_process_notice_fork();
	return tl_process_begin();
}

uint32_t tl_guest_number(const char *text, size_t size)
{
	return buffers_are_ready() ? tl_string_of_program(text, size) : 0;
}

const char *tl_guest_text(uint32_t number, size_t *size)
{
	return tl_string_text(number, size);
}

uint32_t tl_guest_lane(uint32_t name, int32_t sort)
{
	return buffers_are_ready() ? tl_event_lane(name, sort) : 0;
}

uint64_t tl_guest_flows(void)
{
	return tl_event_flows();
}

void tl_guest_at_submission(void (*submitted)(uint64_t start, uint64_t end))
{
	atomic_store_explicit(&tl_submission_listens, submitted, memory_order_release);
}

void tl_guest_at_end(void (*ends)(void))
{
	for (size_t i = 0; i < AT_END; i++) {
		void (*none)(void) = NULL;
		if (atomic_compare_exchange_strong_explicit(
			    &at_end[i], &none, ends, memory_order_release, memory_order_relaxed))
			return;
	}
}

bool tl_guest_awaits_end(void)
{
	for (size_t i = 0; i < AT_END; i++)
		if (atomic_load_explicit(&at_end[i], memory_order_relaxed))
			return true;
	return false;
}

void tl_guest_end(void)
{
	for (size_t i = 0; i < AT_END; i++) {
		void (*ends)(void) =
			atomic_exchange_explicit(&at_end[i], NULL, memory_order_acquire);
		if (ends)
			ends();
	}
}
