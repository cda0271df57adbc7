/* SPDX-License-Identifier: MIT */
/*
 * event.c: see event.h.
 *
 * Lanes are never freed; an entry is taken by counting up, filled, and counts once its .lane is
 * stored. Pages of entries are pieces of the arena, so that recovery knows what lanes are called.
 */
#include "layer/calls/event.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "format/file/trace_file.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"
#include "layer/base/environment.h"
#include "layer/base/cache_near.h"
#include "layer/buffers/process_state.h"
#include "layer/calls/thread.h"

#define PAGES	  256u
#define PAGE_SIZE TL_ARENA_UNIT
#define PAGE_LANES                                                                                 \
	((uint32_t)((PAGE_SIZE - sizeof(struct tl_lanes_piece)) / sizeof(struct tl_lane_entry)))

/* Release by who made the page, acquire by who looks an entry up: it is mapped. */
static _Atomic(struct tl_lanes_piece *) pages[PAGES];
static _Atomic uint32_t made;
/* the process's number, and below it how many there were; 0: none yet */
static _Atomic uint64_t flows;

TL_NEAR_CODE bool tl_event_wanted(uint8_t level)
{
	return tl_process_is_recording() && (tl_config.level & level);
}

static struct tl_thread *this_thread(void)
{
	tl_process_start();
	tl_process_notice_fork();
	if (tl_self)
		return tl_self;
	if (!tl_process_begin())
		return NULL;
	struct tl_thread *thread = tl_thread_attach();
	if (!thread)
		tl_buffer_lose();
	return thread;
}

uint64_t tl_event_now(void)
{
	struct tl_thread *thread = this_thread();

	return thread ? tl_ticks(thread) : 0;
}

static bool put(struct tl_thread *thread, const struct tl_event *event)
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
	return put(tl_event_wanted(event->level) ? this_thread() : NULL, event);
}

bool tl_event_put_end(const struct tl_event *event)
{
	return put(this_thread(), event);
}

/*
 * with 22 of the process's number it is small enough for readers that take all numbers for doubles
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

/* --- lanes */

static struct tl_lanes_piece *page_at(uint32_t index)
{
	struct tl_lanes_piece *page = atomic_load_explicit(&pages[index], memory_order_acquire);

	if (page)
		return page;
	struct tl_lanes_piece *own = tl_arena_take(TL_PIECE_LANES, PAGE_SIZE);
	if (!own)
		return NULL;
	if (atomic_compare_exchange_strong_explicit(&pages[index], &page, own, memory_order_acq_rel,
						    memory_order_acquire))
		return own;
	return page;
}

uint32_t tl_event_lane(uint32_t name, int32_t sort)
{
	uint32_t index = atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
	struct tl_lanes_piece *page =
		index / PAGE_LANES < PAGES ? page_at(index / PAGE_LANES) : NULL;

	if (!page)
		return 0;
	struct tl_lane_entry *entry = &page->lanes[index % PAGE_LANES];
	uint32_t lane = tl_buffer_lane(&entry->shown);
	entry->name = name;
	entry->sort = sort;
	/* Release: for a reader after a kill, who must not see it without the rest. */
	atomic_store_explicit(&entry->lane, lane, memory_order_release);
	return lane;
}

/* NULL: there is no lane yet. */
static const struct tl_lane_entry *entry_at(uint32_t index)
{
	struct tl_lanes_piece *page =
		index / PAGE_LANES < PAGES
			? atomic_load_explicit(&pages[index / PAGE_LANES], memory_order_acquire)
			: NULL;
	const struct tl_lane_entry *entry = page ? &page->lanes[index % PAGE_LANES] : NULL;

	return entry && atomic_load_explicit(&entry->lane, memory_order_acquire) ? entry : NULL;
}

/*
 * Calls back with each lane until one is taken, and returns that; first with the one behind that
 * which was taken last, as it often is this.
 */
static const struct tl_lane_entry *
find(bool (*is)(const struct tl_lane_entry *entry, uint32_t wanted), uint32_t wanted)
{
	static _Atomic uint32_t next;
	uint32_t index = atomic_load_explicit(&next, memory_order_relaxed);
	const struct tl_lane_entry *entry = entry_at(index);
	bool found = entry && is(entry, wanted);

	if (!found) {
		uint32_t count = atomic_load_explicit(&made, memory_order_relaxed);
		for (index = 0; index < count && !found; index += !found)
			found = (entry = entry_at(index)) && is(entry, wanted);
	}
	if (!found)
		return NULL;
	atomic_store_explicit(&next, index + 1, memory_order_relaxed);
	return entry;
}

static bool has_number(const struct tl_lane_entry *entry, uint32_t lane)
{
	return atomic_load_explicit(&entry->lane, memory_order_relaxed) == lane;
}

static bool has_tid(const struct tl_lane_entry *entry, uint32_t tid)
{
	return entry->shown == tid;
}

const struct tl_lane_entry *tl_event_lane_entry(uint32_t lane)
{
	return find(has_number, lane);
}

uint32_t tl_event_lane_shown(uint32_t tid)
{
	const struct tl_lane_entry *entry = find(has_tid, tid);

	return entry ? atomic_load_explicit(&entry->lane, memory_order_relaxed) : 0;
}

void tl_events_after_fork(void)
{
	for (uint32_t i = 0; i < PAGES; i++)
		atomic_store_explicit(&pages[i], NULL, memory_order_relaxed);
	atomic_store_explicit(&made, 0, memory_order_relaxed);
	atomic_store_explicit(&flows, 0, memory_order_relaxed);
}
