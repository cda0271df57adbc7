/*
 * lanes.c: see lanes.h.
 *
 * Lanes are numbered as threads come, so a table of tables by number is enough.
 */
#include "layer/lanes.h"

#include <stddef.h>
#include <sys/mman.h>

#include "layer/buffer.h"

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

struct tl_lane *tl_lane_of(const struct tl_producer *producer)
{
	uint32_t number = producer->lane;

	if (number / PAGE >= PAGES)
		number = PAGE * PAGES - 1;
	if (!pages[number / PAGE])
		pages[number / PAGE] = map(PAGE * sizeof(struct tl_lane));
	if (!pages[number / PAGE])
		return NULL;
	struct tl_lane *lane = &pages[number / PAGE][number % PAGE];
	if (!lane->known) {
		lane->known = true;
		lane->number = number;
		lane->tid = producer->shown;
		lane->kernel_tid = producer->tid;
		count = number >= count ? number + 1 : count;
	}
	return lane;
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
