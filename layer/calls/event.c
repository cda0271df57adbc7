/* SPDX-License-Identifier: MIT */
/*
 * event.c: see event.h.
 */
#include "layer/calls/event.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "format/file/trace_file.h"
#include "layer/buffers/buffer.h"
#include "layer/base/environment.h"
#include "layer/base/cache_near.h"
#include "layer/buffers/process_state.h"
#include "layer/calls/thread.h"

/* the process's number, and below it how many flows there were; 0: none yet */
static _Atomic uint64_t flows;

TL_NEAR_CODE bool tl_event_wanted(uint8_t level)
{
	return tl_process_is_recording() && (tl_config.level & level);
}

static struct tl_thread *event_thread(void)
{
	tl_process_start();
	tl_process_notice_fork();
	if (tl_self)
		return tl_self;
	if (!tl_process_begin()) {
		tl_buffer_lose_early();
		return NULL;
	}
	struct tl_thread *thread = tl_thread_attach();
	if (!thread)
		tl_buffer_lose();
	return thread;
}

uint64_t tl_event_now(void)
{
	struct tl_thread *thread = event_thread();

	return thread ? tl_ticks(thread) : 0;
}

static bool event_record(struct tl_thread *thread, const struct tl_event *event)
{
	uint32_t nargs = event->nargs < TL_EVENT_ARGS ? event->nargs : TL_EVENT_ARGS;
	uint64_t size, plain = sizeof(struct tl_event_record) + nargs * sizeof(struct tl_event_arg);
	struct tl_event_record filled = {
		.type = TL_RECORD_EVENT,
		.flags = event->flags | (event->arrows ? TL_EVENT_ARROWS : 0),
		.name = event->name,
		.start = event->start,
		.duration = event->duration,
		.lane = event->lane,
		.phase = (uint8_t)event->phase,
		.level = event->level,
		.args = (uint16_t)nargs,
		.category = event->category,
		.request = event->request,
	};
	uint64_t head, *record;

	if (!thread)
		return false;
	size = event->arrows ? plain + sizeof(*event->arrows) : plain;
	filled.size = (uint16_t)(size / 8);
	record = tl_record_reserve(thread, size);
	if (!record)
		return false;
	memcpy(&head, &filled, sizeof(head));
	memcpy(record + 1, (const char *)&filled + sizeof(head), sizeof(filled) - sizeof(head));
	if (nargs)
		memcpy((char *)record + sizeof(filled), event->args,
		       nargs * sizeof(struct tl_event_arg));
	if (event->arrows)
		memcpy((char *)record + plain, event->arrows, sizeof(*event->arrows));
	tl_record_commit(record, head);
	return true;
}

bool tl_event_put(const struct tl_event *event)
{
	return event_record(tl_event_wanted(event->level) ? event_thread() : NULL, event);
}

bool tl_event_put_end(const struct tl_event *event)
{
	return event_record(event_thread(), event);
}

/*
 * with 22 bits for the process's number, a flow's number is exact as a double, which many readers
 * use
 */
#define FLOW_BITS 30

uint64_t tl_event_flows(void)
{
	uint64_t number = atomic_fetch_add_explicit(&flows, 2, memory_order_relaxed), none = 0;

	if (number >> FLOW_BITS)
		return number;
	none = number + 2;
	atomic_compare_exchange_strong_explicit(&flows, &none, (uint64_t)getpid() << FLOW_BITS,
						memory_order_relaxed, memory_order_relaxed);
	return tl_event_flows();
}

void tl_events_after_fork(void)
{
	tl_event_lanes_after_fork();
	atomic_store_explicit(&flows, 0, memory_order_relaxed);
}
