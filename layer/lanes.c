/*
 * lanes.c: see lanes.h.
 *
 * Lanes are numbered as threads come, so a table of tables by number is enough. Which of the
 * kernel's thread numbers are taken is a bit each; a lane whose number is taken gets one that the
 * kernel never gives out.
 */
#include "layer/lanes.h"

#include <stddef.h>
#include <sys/mman.h>

#define PAGE  1024u /* lanes of one table */
#define PAGES 4096u
#define TIDS  (1u << 22) /* PID_MAX_LIMIT: all of the kernel's numbers are below */

static struct tl_lane *pages[PAGES];
static uint64_t *taken;
static uint32_t count;
static uint32_t next_tid = TIDS;

static void *map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static uint32_t free_tid(uint32_t tid)
{
	uint64_t bit = 1ull << tid % 64;

	if (!taken)
		taken = map(TIDS / 8);
	if (!taken || tid >= TIDS || (taken[tid / 64] & bit))
		return next_tid++;
	taken[tid / 64] |= bit;
	return tid;
}

struct tl_lane *tl_lane_of(uint32_t number, uint32_t tid)
{
	if (number / PAGE >= PAGES)
		number = PAGE * PAGES - 1;
	if (!pages[number / PAGE])
		pages[number / PAGE] = map(PAGE * sizeof(struct tl_lane));
	if (!pages[number / PAGE])
		return NULL;
	struct tl_lane *lane = &pages[number / PAGE][number % PAGE];
	if (!lane->known) {
		lane->known = true;
		lane->tid = free_tid(tid);
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

void tl_lanes_forget(void)
{
	for (uint32_t i = 0; i < PAGES && i <= count / PAGE; i++) {
		if (pages[i])
			munmap(pages[i], PAGE * sizeof(struct tl_lane));
		pages[i] = NULL;
	}
	if (taken)
		munmap(taken, TIDS / 8);
	taken = NULL;
	count = 0;
	next_tid = TIDS;
}
