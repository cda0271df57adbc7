/* SPDX-License-Identifier: MIT */
/*
 * event_lanes.c: see event_lanes.h.
 *
 * Entries lie in pages of the arena. A thread takes an entry by counting up, and fills it. The
 * entry counts once its .lane is stored.
 */
#include "layer/buffers/event_lanes.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "format/file/trace_file.h"
#include "layer/buffers/arena.h"
#include "layer/buffers/buffer.h"

#define PAGES	  256u
#define PAGE_SIZE TL_ARENA_UNIT
#define PAGE_LANES                                                                                 \
	((uint32_t)((PAGE_SIZE - sizeof(struct tl_lanes_piece)) / sizeof(struct tl_lane_entry)))

/* Release by the thread that made the page, acquire by those that look: the page is mapped. */
static _Atomic(struct tl_lanes_piece *) pages[PAGES];
static _Atomic uint32_t made;

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
	/*
	 * Release: pairs with the acquire in entry_at, and is for a reader after a kill, too:
	 * whoever sees the lane sees the rest.
	 */
	atomic_store_explicit(&entry->lane, lane, memory_order_release);
	return lane;
}

/* NULL: there is no lane with this index yet. */
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
 * The first lane that `is` accepts. Begins with the lane after the one that was found last, which
 * is often the right one.
 */
static const struct tl_lane_entry *
entry_find(bool (*is)(const struct tl_lane_entry *entry, uint32_t wanted), uint32_t wanted)
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

static bool entry_has_number(const struct tl_lane_entry *entry, uint32_t lane)
{
	return atomic_load_explicit(&entry->lane, memory_order_relaxed) == lane;
}

static bool entry_has_tid(const struct tl_lane_entry *entry, uint32_t tid)
{
	return entry->shown == tid;
}

const struct tl_lane_entry *tl_event_lane_entry(uint32_t lane)
{
	return entry_find(entry_has_number, lane);
}

uint32_t tl_event_lane_shown(uint32_t tid)
{
	const struct tl_lane_entry *entry = entry_find(entry_has_tid, tid);

	return entry ? atomic_load_explicit(&entry->lane, memory_order_relaxed) : 0;
}

void tl_event_lanes_after_fork(void)
{
	for (uint32_t i = 0; i < PAGES; i++)
		atomic_store_explicit(&pages[i], NULL, memory_order_relaxed);
	atomic_store_explicit(&made, 0, memory_order_relaxed);
}
