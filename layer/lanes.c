/*
 * lanes.c: see lanes.h.
 *
 * Lanes are numbered as threads come, so a table of tables by number is enough.
 */
#include "layer/lanes.h"

#include <stddef.h>
#include <sys/mman.h>

#include "layer/buffer.h"
#include "layer/event.h"

#define PAGE  1024u /* lanes of one table */
#define PAGES 4096u

static struct tl_lane *pages[PAGES];
static uint32_t count;

static void *map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Where a lane of this number is kept, known or not. */
static struct tl_lane *slot_of(uint32_t number)
{
	if (number / PAGE >= PAGES)
		number = PAGE * PAGES - 1;
	if (!pages[number / PAGE])
		pages[number / PAGE] = map(PAGE * sizeof(struct tl_lane));
	if (!pages[number / PAGE])
		return NULL;
	return &pages[number / PAGE][number % PAGE];
}

static void make_known(struct tl_lane *lane, uint32_t number, uint32_t shown)
{
	lane->known = true;
	lane->number = number;
	lane->tid = shown;
	count = number >= count ? number + 1 : count;
}

struct tl_lane *tl_lane_of(const struct tl_producer *producer)
{
	struct tl_lane *lane = slot_of(producer->lane);

	if (lane && !lane->known) {
		make_known(lane, producer->lane, producer->shown);
		lane->kernel_tid = producer->tid;
	}
	return lane;
}

struct tl_lane *tl_lane_of_events(uint32_t number)
{
	struct tl_lane *lane = tl_lane_at(number);
	const struct tl_lane_entry *entry = lane ? NULL : tl_event_lane_entry(number);

	if (lane || !entry || !(lane = slot_of(number)))
		return lane;
	make_known(lane, number, entry->shown);
	lane->text = entry->name;
	lane->sort = entry->sort;
	return lane;
}

void tl_lanes_unname(void)
{
	for (uint32_t number = 0; number < count; number++) {
		struct tl_lane *lane = tl_lane_at(number);
		if (lane && lane->text)
			lane->named_in = 0;
	}
}

uint32_t tl_lane_count(void)
{
	return count;
}

struct tl_lane *tl_lane_at(uint32_t number)
{
	struct tl_lane *page = number < count ? pages[number / PAGE] : NULL;

	return page && page[number % PAGE].known ? &page[number % PAGE] : NULL;
}

uint64_t tl_lane_lost(const struct tl_lane *lane)
{
	uint64_t lost = lane->lost + lane->unsaid + lane->dropped + lane->unwritten;

	return lost > lane->told ? lost - lane->told : 0;
}

void tl_lanes_forget(void)
{
	for (uint32_t i = 0; i < PAGES && i <= count / PAGE; i++) {
		if (pages[i])
			munmap(pages[i], PAGE * sizeof(struct tl_lane));
		pages[i] = NULL;
	}
	count = 0;
}
